// Pi and the price of an option by Monte Carlo, with generators written by hand: xorshift in device
// memory, and one that computes its numbers from a counter.
#include <cstdio>
#include <cmath>
#include <cstdint>

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line)
{
   if (code != cudaSuccess)
   {
      fprintf(stderr,"GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
      exit(code);
   }
}

typedef unsigned long long ull;

struct XorShift {
  uint32_t x, y, z, w;

  __device__ void init(uint32_t seed) {
    x = seed * 1812433253u + 1; y = x * 1812433253u + 2; z = y * 1812433253u + 3; w = z * 1812433253u + 4;
    for (int i = 0; i < 16; ++i) next();
  }
  __device__ uint32_t next() {
    uint32_t t = x ^ (x << 11);
    x = y; y = z; z = w;
    return w = w ^ (w >> 19) ^ (t ^ (t >> 8));
  }
  __device__ float uniform() { return (next() >> 8) * (1.0f / 16777216.0f); }
};

__global__ void setup(XorShift *states, uint32_t seed) {
  int id = threadIdx.x + blockIdx.x * blockDim.x;
  states[id].init(seed ^ (id * 2654435761u));
}

__global__ void monteCarloPi(XorShift *states, int trials, ull *inside) {
  int id = threadIdx.x + blockIdx.x * blockDim.x;
  XorShift local = states[id];
  unsigned count = 0;
  for (int i = 0; i < trials; i++) {
    float x = local.uniform(), y = local.uniform();
    if (x * x + y * y <= 1.0f) count++;
  }
  states[id] = local;
  count = __reduce_add_sync(0xffffffffu, count);
  if (threadIdx.x % warpSize == 0) atomicAdd(inside, (ull)count);
}

// splitmix64 of a counter: no state at all.
__host__ __device__ inline double uniformAt(ull counter) {
  ull z = (counter + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  return ((z >> 11) + 0.5) * (1.0 / 9007199254740992.0);
}

__global__ void optionPrice(double spot, double strike, double r, double sigma, double years,
                            int paths, double *sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  double payoff = 0;
  if (i < paths) {
    double u1 = uniformAt(2ull * i), u2 = uniformAt(2ull * i + 1);
    double radius = sqrt(-2 * log(u1)), s, c;
    sincospi(2 * u2, &s, &c);
    for (double gauss : {radius * s, radius * c}) {
      double price = spot * exp((r - 0.5 * sigma * sigma) * years + sigma * sqrt(years) * gauss);
      payoff += fmax(price - strike, 0.0) / 2;
    }
  }
  __shared__ double partial[8];
  for (int d = 16; d; d >>= 1) payoff += __shfl_xor_sync(~0u, payoff, d);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = payoff;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; ++w) payoff += partial[w];
    atomicAdd(sum, payoff);
  }
}

int main()
{
   const int blocks = 8, threads = 128, trials = 200;
   XorShift *states;
   ull *inside, h_inside = 0;
   gpuErrchk( cudaMalloc((void**)&states, blocks * threads * sizeof(XorShift)) );
   gpuErrchk( cudaMalloc((void**)&inside, sizeof(ull)) );
   gpuErrchk( cudaMemset(inside, 0, sizeof(ull)) );
   setup<<<blocks, threads>>>(states, 1234u);
   gpuErrchk( cudaPeekAtLastError() );
   monteCarloPi<<<blocks, threads>>>(states, trials, inside);
   gpuErrchk( cudaPeekAtLastError() );
   gpuErrchk( cudaDeviceSynchronize() );
   gpuErrchk( cudaMemcpy(&h_inside, inside, sizeof(ull), cudaMemcpyDeviceToHost) );
   double pi = 4.0 * h_inside / ((double)blocks * threads * trials);
   printf("pi ~ %f\n", pi);

   const double S = 100, K = 105, r = 0.03, sigma = 0.2, T = 1;
   const int paths = 20000;
   double *d_sum, sum = 0;
   gpuErrchk( cudaMalloc(&d_sum, sizeof *d_sum) );
   gpuErrchk( cudaMemcpy(d_sum, &sum, sizeof sum, cudaMemcpyHostToDevice) );
   optionPrice<<<(paths + 255) / 256, 256>>>(S, K, r, sigma, T, paths, d_sum);
   gpuErrchk( cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost) );
   const double price = exp(-r * T) * sum / paths;
   const double d1 = (log(S / K) + (r + sigma * sigma / 2) * T) / (sigma * sqrt(T));
   const double exact = S * normcdf(d1) - K * exp(-r * T) * normcdf(d1 - sigma * sqrt(T));
   printf("call ~ %f, exactly %f\n", price, exact);

   cudaFree(states);
   cudaFree(inside);
   cudaFree(d_sum);
   return fabs(pi - M_PI) < 0.02 && fabs(price - exact) < 0.2 ? 0 : 1;
}
