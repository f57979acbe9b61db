/*
 * Bitonic sort. Small partner distances are handled in shared memory, large ones by one launch
 * for each step. Sorts keys together with the places that they came from.
 */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define CHECK(call)                                                                        \
  {                                                                                        \
    const cudaError_t error = call;                                                        \
    if (error != cudaSuccess) {                                                            \
      printf("Error: %s:%d, ", __FILE__, __LINE__);                                        \
      printf("code:%d, reason: %s\n", error, cudaGetErrorString(error));                   \
      exit(1);                                                                             \
    }                                                                                      \
  }

#define SHARED_SIZE 512U

typedef unsigned int uint;

__device__ inline void Comparator(uint &keyA, uint &valA, uint &keyB, uint &valB, uint dir) {
  uint t;
  if ((keyA > keyB) == dir) {
    t = keyA; keyA = keyB; keyB = t;
    t = valA; valA = valB; valB = t;
  }
}

// Each block sorts SHARED_SIZE elements, blocks take turns in ascending and descending order.
__global__ void bitonicSortShared(uint *d_Key, uint *d_Val) {
  __shared__ uint s_key[SHARED_SIZE];
  __shared__ uint s_val[SHARED_SIZE];

  d_Key += blockIdx.x * SHARED_SIZE + threadIdx.x;
  d_Val += blockIdx.x * SHARED_SIZE + threadIdx.x;
  s_key[threadIdx.x] = d_Key[0];
  s_val[threadIdx.x] = d_Val[0];
  s_key[threadIdx.x + (SHARED_SIZE / 2)] = d_Key[(SHARED_SIZE / 2)];
  s_val[threadIdx.x + (SHARED_SIZE / 2)] = d_Val[(SHARED_SIZE / 2)];

  for (uint size = 2; size <= SHARED_SIZE; size <<= 1) {
    uint up = size < SHARED_SIZE ? (threadIdx.x & (size / 2)) == 0 : (blockIdx.x & 1) == 0;
    for (uint stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      Comparator(s_key[pos], s_val[pos], s_key[pos + stride], s_val[pos + stride], up);
    }
  }

  __syncthreads();
  d_Key[0] = s_key[threadIdx.x];
  d_Val[0] = s_val[threadIdx.x];
  d_Key[(SHARED_SIZE / 2)] = s_key[threadIdx.x + (SHARED_SIZE / 2)];
  d_Val[(SHARED_SIZE / 2)] = s_val[threadIdx.x + (SHARED_SIZE / 2)];
}

__global__ void bitonicMergeGlobal(uint *d_Key, uint *d_Val, uint size, uint stride) {
  uint comparator = blockIdx.x * blockDim.x + threadIdx.x;
  uint pos = 2 * comparator - (comparator & (stride - 1));
  uint up = (comparator & (size / 2)) == 0;
  Comparator(d_Key[pos], d_Val[pos], d_Key[pos + stride], d_Val[pos + stride], up);
}

int main(int argc, char **argv) {
  const uint n = argc > 1 ? atoi(argv[1]) : 1 << 12;
  uint *h_key = (uint *)malloc(n * sizeof(uint)), *h_val = (uint *)malloc(n * sizeof(uint));
  uint *h_original = (uint *)malloc(n * sizeof(uint));
  srand(2001);
  for (uint i = 0; i < n; i++) {
    h_original[i] = h_key[i] = rand() % 10000;
    h_val[i] = i;
  }

  uint *d_key, *d_val;
  CHECK(cudaMalloc((void **)&d_key, n * sizeof(uint)));
  CHECK(cudaMalloc((void **)&d_val, n * sizeof(uint)));
  CHECK(cudaMemcpy(d_key, h_key, n * sizeof(uint), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_val, h_val, n * sizeof(uint), cudaMemcpyHostToDevice));

  bitonicSortShared<<<n / SHARED_SIZE, SHARED_SIZE / 2>>>(d_key, d_val);
  for (uint size = 2 * SHARED_SIZE; size <= n; size <<= 1)
    for (uint stride = size / 2; stride > 0; stride >>= 1)
      bitonicMergeGlobal<<<n / 512, 256>>>(d_key, d_val, size, stride);
  CHECK(cudaGetLastError());

  CHECK(cudaMemcpy(h_key, d_key, n * sizeof(uint), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(h_val, d_val, n * sizeof(uint), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_key));
  CHECK(cudaFree(d_val));

  int ok = 1;
  char *seen = (char *)calloc(n, 1);
  for (uint i = 0; i < n && ok; i++) {
    if (i > 0 && h_key[i - 1] > h_key[i]) ok = 0;
    if (h_original[h_val[i]] != h_key[i] || seen[h_val[i]]) ok = 0;
    seen[h_val[i]] = 1;
  }
  printf("Test %s\n", ok ? "PASSED" : "FAILED");
  free(h_key); free(h_val); free(h_original); free(seen);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
