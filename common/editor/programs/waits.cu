// Threads that wait in every way there is, for debugger_test.py.
#include <cuda/barrier>

#include <cstdio>

// No thread waits: they run one after the other.
__global__ void plain(int* out) {
  out[threadIdx.x] = threadIdx.x;  // plain
}

// 8 of 64 threads exit at once.
__global__ void ways(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> arrivals;
  const unsigned t = threadIdx.x;
  if (t == 0) init(&arrivals, 2);
  __syncthreads();
  if (t < 8) return;
  if (t < 16) {
    out[t] = __shfl_xor_sync(0xff00, t, 1);  // the first half waits for 15
    __syncwarp(0xff00);
  } else if (t == 16) {
    arrivals.arrive_and_wait();  // for 63
  } else if (t < 32) {
    __syncwarp(0xfffe0000);
  }
  if (t == 63) {
    arrivals.arrive_and_wait();  // late
    out[t] = 63;  // the last one
  }
  __syncthreads();  // all
  out[t] += 1;
}

int main() {
  int* out;
  cudaMallocManaged(&out, 64 * sizeof(int));
  plain<<<1, 64>>>(out);
  ways<<<1, 64>>>(out);
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
  std::printf("%d %d %d %d\n", out[0], out[8], out[17], out[63]);
}
