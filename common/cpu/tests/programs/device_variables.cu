// Variables of the device: counters, tables, constants, a managed one, and a pointer to a function.
#include "check.h"

__device__ int counter;
__device__ float table[4] = {1.0f, 2.0f, 4.0f, 8.0f};
__constant__ int threshold = 10;
__managed__ int largest;

typedef float (*Operation)(float, float);
__device__ float add(float a, float b) { return a + b; }
__device__ float multiply(float a, float b) { return a * b; }
__device__ Operation device_operations[2] = {add, multiply};
__device__ unsigned int ticket = 0;
__device__ volatile int steps = 3;

__global__ void count_above(const int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (x[i] > threshold) atomicAdd(&counter, 1);
  atomicMax(&largest, x[i]);
}

__global__ void take_step() { steps = steps + 1; }

__global__ void combine(float* out, Operation operation) {
  out[threadIdx.x] = operation(table[threadIdx.x], device_operations[0](1.0f, 2.0f));
}

// The last block to finish adds up what all blocks have left.
__global__ void sum_by_last_block(const float* in, float* partial, float* out) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    float sum = 0.0f;
    for (unsigned i = 0; i < blockDim.x; ++i) sum += in[blockIdx.x * blockDim.x + i];
    partial[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicInc(&ticket, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    float sum = 0.0f;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += ((volatile float*)partial)[b];
    *out = sum;
    ticket = 0;
  }
}

int main() {
  const int n = 100;
  int x[n], *d_x;
  for (int i = 0; i < n; ++i) x[i] = i * 37 % 41;
  CUDA_CHECK(cudaMalloc(&d_x, sizeof x));
  CUDA_CHECK(cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice));

  const int two = 2;
  int taken = 0;
  CUDA_CHECK(cudaMemcpyToSymbol(steps, &two, sizeof two));
  take_step<<<1, 1>>>();
  CUDA_CHECK(cudaMemcpyFromSymbol(&taken, steps, sizeof taken));
  EXPECT(taken == 3);

  // By its address, which programs hand on as that of any symbol.
  const int twenty = 20;
  const void* const symbol = &threshold;
  CUDA_CHECK(cudaMemcpyToSymbol(symbol, &twenty, sizeof twenty));
  CUDA_CHECK(cudaMemcpyFromSymbol(&taken, threshold, sizeof taken));
  EXPECT(taken == 20);
  CUDA_CHECK(cudaMemcpyFromSymbol(&taken, static_cast<const void*>(&threshold), sizeof taken));
  EXPECT(taken == 20);

  for (int limit : {10, 20}) {
    const int zero = 0;
    CUDA_CHECK(cudaMemcpyToSymbol(threshold, &limit, sizeof limit));
    CUDA_CHECK(cudaMemcpyToSymbol(counter, &zero, sizeof zero));
    count_above<<<4, 32>>>(d_x, n);
    int above = 0, expected = 0;
    CUDA_CHECK(cudaMemcpyFromSymbol(&above, counter, sizeof above));
    for (int value : x) expected += value > limit;
    EXPECT(above == expected);
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT(largest == 40);

  Operation operation;
  float *out, *d_table;
  CUDA_CHECK(
      cudaMemcpyFromSymbol(&operation, device_operations, sizeof operation, sizeof(Operation)));
  CUDA_CHECK(cudaGetSymbolAddress((void**)&d_table, table));
  CUDA_CHECK(cudaMemset(d_table, 0, sizeof(float)));
  CUDA_CHECK(cudaMallocManaged(&out, 64 * sizeof(float)));
  combine<<<1, 4>>>(out, operation);
  CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT(out[0] == 0.0f && out[1] == 6.0f && out[2] == 12.0f && out[3] == 24.0f);

  float *in, *partial;
  CUDA_CHECK(cudaMallocManaged(&in, 32 * 16 * sizeof(float)));
  CUDA_CHECK(cudaMallocManaged(&partial, 32 * sizeof(float)));
  for (int i = 0; i < 32 * 16; ++i) in[i] = i;
  for (int round = 0; round < 2; ++round) {
    sum_by_last_block<<<32, 16>>>(in, partial, out);
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(*out == 511 * 512 / 2);
    *out = 0.0f;
  }
  for (void* p : {(void*)d_x, (void*)out, (void*)in, (void*)partial}) CUDA_CHECK(cudaFree(p));
}
