// 16 bytes per lane.
__global__ void scale(float4* x) {
  float4 v = x[threadIdx.x];  // draws: global load 2:32
  v.x *= 2;
  x[threadIdx.x] = v;  // draws: global store 2:32
}

int main() {
  float4* x;
  cudaMalloc(&x, 64 * sizeof(float4));
  cudaMemset(x, 0, 64 * sizeof(float4));
  scale<<<1, 64>>>(x);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
