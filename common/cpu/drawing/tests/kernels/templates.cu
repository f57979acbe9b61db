// A template with an unrolled loop: four instructions of one line.
template <class T, int kTimes>
__global__ void gather(const T* in, T* out) {
  T sum = 0;
#pragma unroll
  for (int i = 0; i < kTimes; ++i)
    sum += in[i * 32 + threadIdx.x];  // draws: global load 4:16
  out[threadIdx.x] = sum;             // draws: global store 1:4
}

int main() {
  float* in;
  cudaMalloc(&in, 128 * sizeof(float));
  cudaMemset(in, 0, 128 * sizeof(float));
  float* out;
  cudaMalloc(&out, 128 * sizeof(float));
  cudaMemset(out, 0, 128 * sizeof(float));
  gather<float, 4><<<1, 32>>>(in, out);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
