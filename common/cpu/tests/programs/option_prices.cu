// Monte Carlo option prices with states per thread, block reduction by shuffles, and pinned memory.
#include <curand_kernel.h>
#include <math_constants.h>
#include <cmath>
#include <cstdio>
__global__ void setup(curandState* s, unsigned long seed) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  curand_init(seed, i, 0, &s[i]);
}
__inline__ __device__ double warpReduceSum(double v) {
  for (int o = warpSize / 2; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
  return v;
}
__inline__ __device__ double blockReduceSum(double v) {
  static __shared__ double shared[32];
  int lane = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
  v = warpReduceSum(v);
  if (lane == 0) shared[wid] = v;
  __syncthreads();
  v = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : 0;
  if (wid == 0) v = warpReduceSum(v);
  return v;
}
__global__ void price(curandState* st, double* sum, int paths, float S, float K, float r, float sig,
                      float T) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  curandState local = st[i];
  double acc = 0;
  for (int p = 0; p < paths; ++p) {
    float2 z = curand_normal2(&local);
    float a = S * expf((r - 0.5f * sig * sig) * T + sig * sqrtf(T) * z.x),
          b = S * expf((r - 0.5f * sig * sig) * T + sig * sqrtf(T) * z.y);
    acc += fmaxf(a - K, 0.0f) + fmaxf(b - K, 0.0f);
  }
  st[i] = local;
  acc = blockReduceSum(acc);
  if (threadIdx.x == 0) atomicAdd(sum, acc);
}
double cnd(double d) { return 0.5 * erfc(-d / sqrt(2.0)); }
int main() {
  const int B = 8, N = 128, P = 200;
  curandState* s;
  cudaMalloc(&s, B * N * sizeof *s);
  double *sum, *h;
  cudaMalloc(&sum, sizeof *sum);
  cudaMallocHost(&h, sizeof *h);
  cudaMemset(sum, 0, sizeof *sum);
  setup<<<B, N>>>(s, 1234ul);
  price<<<B, N>>>(s, sum, P, 100, 105, 0.03f, 0.2f, 1);
  cudaMemcpy(h, sum, sizeof *h, cudaMemcpyDeviceToHost);
  double mean = *h / (2.0 * B * N * P) * exp(-0.03);
  double d1 = (log(100 / 105.) + (0.03 + 0.02) * 1) / 0.2, d2 = d1 - 0.2,
         bs = 100 * cnd(d1) - 105 * exp(-0.03) * cnd(d2);
  printf("%f %f\n", mean, bs);
  cudaFreeHost(h);
  cudaFree(sum);
  cudaFree(s);
  return fabs(mean - bs) > 0.15;
}
