// A sum in one launch: blocks leave partial sums, and the block that finishes last, which it learns
// from a counter behind a memory fence, adds them up.
#include <stdio.h>

__device__ unsigned int retirementCount = 0;

template <class T, unsigned int blockSize>
__device__ void reduceBlock(volatile T *sdata, T mySum, const unsigned int tid)
{
    sdata[tid] = mySum;
    __syncthreads();

    if (blockSize >= 512) { if (tid < 256) { sdata[tid] = mySum = mySum + sdata[tid + 256]; } __syncthreads(); }
    if (blockSize >= 256) { if (tid < 128) { sdata[tid] = mySum = mySum + sdata[tid + 128]; } __syncthreads(); }
    if (blockSize >= 128) { if (tid <  64) { sdata[tid] = mySum = mySum + sdata[tid +  64]; } __syncthreads(); }
    if (tid < 32)
    {
        if (blockSize >= 64) mySum += sdata[tid + 32];
        for (int offset = warpSize / 2; offset > 0; offset /= 2)
            mySum += __shfl_down_sync(0xffffffff, mySum, offset);
        if (tid == 0) sdata[0] = mySum;
    }
}

template <typename T, unsigned int blockSize, bool nIsPow2>
__global__ void reduceSinglePass(const T *g_idata, T *g_odata, unsigned int n)
{
    extern __shared__ __align__(8) unsigned char raw[];
    T *sdata = reinterpret_cast<T *>(raw);
    __shared__ bool amLast;

    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockSize * 2) + threadIdx.x;
    unsigned int gridSize = blockSize * 2 * gridDim.x;
    T mySum = 0;
    while (i < n)
    {
        mySum += g_idata[i];
        if (nIsPow2 || i + blockSize < n) mySum += g_idata[i + blockSize];
        i += gridSize;
    }
    reduceBlock<T, blockSize>(sdata, mySum, tid);
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];

    if (gridDim.x > 1)
    {
        // wait until all outstanding memory instructions in this thread are finished
        __threadfence();
        if (tid == 0)
        {
            unsigned int ticket = atomicInc(&retirementCount, gridDim.x);
            amLast = (ticket == gridDim.x - 1);
        }
        __syncthreads();
        if (amLast)
        {
            // what other blocks stored before their ticket is to be seen from here on
            __threadfence();
            T sum = 0;
            for (unsigned int b = tid; b < gridDim.x; b += blockSize) sum += g_odata[b];
            reduceBlock<T, blockSize>(sdata, sum, tid);
            if (tid == 0)
            {
                g_odata[0] = sdata[0];
                // reset retirement count so that next run succeeds
                retirementCount = 0;
            }
        }
    }
}

bool isPow2(unsigned int x) { return ((x & (x - 1)) == 0); }

template <typename T>
void launch(const T *in, T *out, unsigned int n, int threads, int blocks)
{
    dim3 dimBlock(threads, 1, 1), dimGrid(blocks, 1, 1);
    int smemSize = threads * sizeof(T);
    if (isPow2(n))
    {
        switch (threads)
        {
            case 512: reduceSinglePass<T, 512, true><<<dimGrid, dimBlock, smemSize>>>(in, out, n); break;
            case 128: reduceSinglePass<T, 128, true><<<dimGrid, dimBlock, smemSize>>>(in, out, n); break;
            case  32: reduceSinglePass<T,  32, true><<<dimGrid, dimBlock, smemSize>>>(in, out, n); break;
        }
    }
    else
    {
        switch (threads)
        {
            case 512: reduceSinglePass<T, 512, false><<<dimGrid, dimBlock, smemSize>>>(in, out, n); break;
            case 128: reduceSinglePass<T, 128, false><<<dimGrid, dimBlock, smemSize>>>(in, out, n); break;
            case  32: reduceSinglePass<T,  32, false><<<dimGrid, dimBlock, smemSize>>>(in, out, n); break;
        }
    }
}

template <typename T>
bool test(unsigned int n, int threads, int blocks)
{
    T *h_in = new T[n], expected = 0, result = -1;
    for (unsigned int i = 0; i < n; i++)
    {
        h_in[i] = T(i % 13) - 4;
        expected += h_in[i];
    }
    T *d_in = NULL, *d_out = NULL;
    cudaMalloc((void **)&d_in, n * sizeof(T));
    cudaMalloc((void **)&d_out, blocks * sizeof(T));
    cudaMemcpy(d_in, h_in, n * sizeof(T), cudaMemcpyHostToDevice);
    for (int repeat = 0; repeat < 2; repeat++) launch<T>(d_in, d_out, n, threads, blocks);
    cudaMemcpy(&result, d_out, sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    delete[] h_in;
    bool ok = cudaGetLastError() == cudaSuccess && result == expected;
    printf("%u elements, %d x %d threads: %s\n", n, blocks, threads, ok ? "OK" : "Failed!");
    return ok;
}

int main()
{
    bool ok = true;
    ok = test<float>(1 << 14, 128, 16) && ok;
    ok = test<int>(10007, 512, 7) && ok;
    ok = test<double>(999, 32, 5) && ok;
    ok = test<float>(8192, 512, 1) && ok;
    return ok ? 0 : 1;
}
