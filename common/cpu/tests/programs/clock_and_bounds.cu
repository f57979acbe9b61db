// A kernel about itself: clocks, launch bounds, template flags, warp and lane numbers, read-only
// loads, assertions that hold, and bit tricks.
#include <cuda_runtime.h>
#include <assert.h>
#include <stdint.h>
#include <stdio.h>

#ifndef MAX_THREADS
#define MAX_THREADS 256
#endif

// A timer for each block, as in the samples.
static __global__ void timedReduction(const float *input, float *output, clock_t *timer)
{
    extern __shared__ float shared[];
    const int tid = threadIdx.x;
    const int bid = blockIdx.x;
    if (tid == 0) timer[bid] = clock();
    shared[tid] = input[tid];
    shared[tid + blockDim.x] = input[tid + blockDim.x];
    for (int d = blockDim.x; d > 0; d /= 2)
    {
        __syncthreads();
        if (tid < d)
        {
            float f0 = shared[tid];
            float f1 = shared[tid + d];
            if (f1 < f0) shared[tid] = f1;
        }
    }
    if (tid == 0) output[bid] = shared[0];
    __syncthreads();
    if (tid == 0) timer[bid + gridDim.x] = clock();
}

template <bool CheckBounds, bool Accumulate = false>
__global__ void __launch_bounds__(MAX_THREADS, 2)
scale(const int *__restrict__ in, int *__restrict__ out, int n, long long int *cycles)
{
    long long int begin = clock64();
    int i = blockIdx.x * MAX_THREADS + threadIdx.x;
    if (!CheckBounds || i < n)
    {
        int v = 3 * __ldg(&in[i]);
        if (Accumulate) out[i] += v; else out[i] = v;
    }
    assert(blockDim.x <= MAX_THREADS);
    long long int end = clock64();
    if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
}

__device__ __forceinline__ unsigned warpId() { return threadIdx.x / warpSize; }
__device__ __noinline__ int laneOf(unsigned t) { return t & (warpSize - 1); }

struct Record { uint32_t warp : 8, lane : 8, reversed : 16; };

__global__ void identify(Record *records, uint64_t *bits)
{
    Record r;
    r.warp = warpId();
    r.lane = laneOf(threadIdx.x);
    r.reversed = __brev(threadIdx.x) >> 16;
    records[threadIdx.x] = r;
    uint64_t all = 0;
    all |= uint64_t(__clz(threadIdx.x)) << 0;
    all |= uint64_t(__ffs(threadIdx.x)) << 8;
    all |= uint64_t(__popc(threadIdx.x)) << 16;
    all |= uint64_t(__byte_perm(threadIdx.x, 0xabcd, 0x5410) >> 16) << 32;
    bits[threadIdx.x] = all;
}

int main()
{
    const int n = 1000, blocks = (n + MAX_THREADS - 1) / MAX_THREADS, padded = blocks * MAX_THREADS;
    int *in, *out;
    long long int *cycles;
    cudaMallocManaged(&in, padded * sizeof(int));
    cudaMallocManaged(&out, padded * sizeof(int));
    cudaMallocManaged(&cycles, blocks * sizeof(long long int));
    for (int i = 0; i < padded; i++) in[i] = i, out[i] = -1;
    scale<true><<<blocks, MAX_THREADS>>>(in, out, n, cycles);
    scale<true, true><<<blocks, MAX_THREADS>>>(in, out, n, cycles);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < padded; i++) wrong += out[i] != (i < n ? 6 * i : -1);
    scale<false><<<blocks, MAX_THREADS>>>(in, out, n, cycles);
    cudaDeviceSynchronize();
    for (int i = 0; i < padded; i++) wrong += out[i] != 3 * i;
    for (int b = 0; b < blocks; b++) wrong += cycles[b] < 0;

    const int timed = 8, threads = 64;
    float h_in[2 * threads], h_out[timed], *d_in, *d_out;
    clock_t h_timer[2 * timed], *d_timer;
    for (int i = 0; i < 2 * threads; i++) h_in[i] = (float)((i * 37 + 5) % 101);
    h_in[77] = -4.5f;
    cudaMalloc((void **)&d_in, sizeof(h_in));
    cudaMalloc((void **)&d_out, sizeof(h_out));
    cudaMalloc((void **)&d_timer, sizeof(h_timer));
    cudaMemcpy(d_in, h_in, sizeof(h_in), cudaMemcpyHostToDevice);
    timedReduction<<<timed, threads, sizeof(float) * 2 * threads>>>(d_in, d_out, d_timer);
    cudaMemcpy(h_out, d_out, sizeof(h_out), cudaMemcpyDeviceToHost);
    cudaMemcpy(h_timer, d_timer, sizeof(h_timer), cudaMemcpyDeviceToHost);
    for (int b = 0; b < timed; b++) wrong += h_out[b] != -4.5f || h_timer[timed + b] < h_timer[b];

    Record *records;
    uint64_t *bits;
    cudaMallocManaged(&records, 96 * sizeof(Record));
    cudaMallocManaged(&bits, 96 * sizeof(uint64_t));
    identify<<<1, 96>>>(records, bits);
    cudaDeviceSynchronize();
    for (unsigned t = 0; t < 96; t++)
    {
        unsigned reversed = 0, ones = 0, leading = 0;
        for (int b = 0; b < 16; b++) reversed |= (t >> b & 1) << (15 - b), ones += t >> b & 1;
        while (leading < 32 && !(t >> (31 - leading) & 1)) leading++;
        unsigned first = 0;
        for (int b = 15; b >= 0; b--) if (t >> b & 1) first = b + 1;
        wrong += records[t].warp != t / 32 || records[t].lane != t % 32 || records[t].reversed != reversed;
        wrong += bits[t] != (uint64_t(leading) | uint64_t(first) << 8 | uint64_t(ones) << 16 | 0xabcdull << 32);
    }

    cudaFuncAttributes attributes;
    wrong += cudaFuncGetAttributes(&attributes, scale<true, false>) != cudaSuccess;
    wrong += attributes.maxThreadsPerBlock < MAX_THREADS;
    for (void *p : {(void *)in, (void *)out, (void *)cycles, (void *)d_in, (void *)d_out, (void *)d_timer, (void *)records, (void *)bits})
        cudaFree(p);
    printf("%d wrong (%s)\n", wrong, cudaGetErrorString(cudaGetLastError()));
    return wrong != 0;
}
