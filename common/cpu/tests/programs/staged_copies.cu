// cp.async staging with pipeline primitives, cuda::barrier producer/consumer and memcpy_async.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>
#include <cstdio>
#include <cuda/barrier>
namespace cg = cooperative_groups;
template <int S>
__global__ void staged(const float* in, float* out, int tiles) {
  __shared__ alignas(16) float buf[S][128];
  int t = threadIdx.x;
  for (int s = 0; s < S - 1; ++s) {
    if (s < tiles) __pipeline_memcpy_async(&buf[s][t], &in[s * 128 + t], sizeof(float));
    __pipeline_commit();
  }
  float acc = 0;
  for (int i = 0; i < tiles; ++i) {
    int nx = i + S - 1;
    if (nx < tiles) __pipeline_memcpy_async(&buf[nx % S][t], &in[nx * 128 + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(S - 1);
    __syncthreads();
    acc += buf[i % S][127 - t];
    __syncthreads();
  }
  out[t] = acc;
}
__global__ void bar(const int* in, int* out, int n) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ barrier b;
  __shared__ int tile[64];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&b, block.size());
  block.sync();
  int s = 0;
  for (int i = 0; i < n; i += 64) {
    cuda::memcpy_async(block, tile, in + i, sizeof(int) * 64, b);
    b.arrive_and_wait();
    s += tile[63 - block.thread_rank()];
    b.arrive_and_wait();
  }
  out[block.thread_rank()] = s;
}
__global__ void cgm(const int* in, int* out) {
  __shared__ int s[256];
  auto g = cg::this_thread_block();
  cg::memcpy_async(g, s, in, sizeof s);
  cg::wait(g);
  out[g.thread_rank()] = s[255 - g.thread_rank()];
}
int main() {
  float *x, *y;
  cudaMallocManaged(&x, 1280 * 4);
  cudaMallocManaged(&y, 512);
  for (int i = 0; i < 1280; ++i) x[i] = i;
  staged<3><<<1, 128>>>(x, y, 10);
  cudaDeviceSynchronize();
  int bad = 0;
  for (int t = 0; t < 128; ++t) bad += y[t] != 10 * (127 - t) + 128 * 45;
  int *a, *b;
  cudaMallocManaged(&a, 1024);
  cudaMallocManaged(&b, 1024);
  for (int i = 0; i < 256; ++i) a[i] = i;
  bar<<<1, 64>>>(a, b, 256);
  cudaDeviceSynchronize();
  for (int t = 0; t < 64; ++t) bad += b[t] != 4 * (63 - t) + 64 * 6;
  cgm<<<1, 256>>>(a, b);
  cudaDeviceSynchronize();
  for (int t = 0; t < 256; ++t) bad += b[t] != 255 - t;
  cudaFree(x);
  cudaFree(y);
  cudaFree(a);
  cudaFree(b);
  printf("%d\n", bad);
  return bad;
}
