// Dynamic shared memory of a template's type by way of a struct with specializations, as the samples
// have it; several sizes of it in one program; an option's price by the Black-Scholes formula.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Utility class used to avoid linker errors with extern
// unsized shared memory arrays with templated type
template <class T>
struct SharedMemory
{
    __device__ inline operator T *()
    {
        extern __shared__ int __smem[];
        return (T *)__smem;
    }

    __device__ inline operator const T *() const
    {
        extern __shared__ int __smem[];
        return (T *)__smem;
    }
};

// specialize for double to avoid unaligned memory
// access compile errors
template <>
struct SharedMemory<double>
{
    __device__ inline operator double *()
    {
        extern __shared__ double __smem_d[];
        return (double *)__smem_d;
    }
};

template <class T>
__global__ void reverse_blocks(T *g_data)
{
    T *sdata = SharedMemory<T>();
    const unsigned int tid = threadIdx.x, num_threads = blockDim.x;
    sdata[tid] = g_data[blockIdx.x * num_threads + tid];
    __syncthreads();
    g_data[blockIdx.x * num_threads + tid] = (T)num_threads * sdata[num_threads - 1 - tid];
}

// Two arrays in one piece of memory, one of a size that only the launch knows.
template <typename Index, typename Value>
__global__ void gather(const Index *indices, const Value *values, Value *out, int n_values)
{
    extern __shared__ __align__(16) unsigned char memory[];
    Value *table = reinterpret_cast<Value *>(memory);
    Index *mine = reinterpret_cast<Index *>(&table[n_values]);
    for (int i = threadIdx.x; i < n_values; i += blockDim.x) table[i] = values[i];
    mine[threadIdx.x] = indices[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = table[mine[blockDim.x - 1 - threadIdx.x]];
}

template <class T>
int test_reverse(int blocks, int threads)
{
    std::vector<T> h(blocks * threads);
    for (size_t i = 0; i < h.size(); i++) h[i] = (T)(i % 100);
    T *d;
    cudaMalloc((void **)&d, h.size() * sizeof(T));
    cudaMemcpy(d, &h[0], h.size() * sizeof(T), cudaMemcpyHostToDevice);
    reverse_blocks<T><<<blocks, threads, threads * sizeof(T)>>>(d);
    cudaMemcpy(&h[0], d, h.size() * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(d);
    int wrong = 0;
    for (int b = 0; b < blocks; b++)
        for (int t = 0; t < threads; t++)
            wrong += h[b * threads + t] != (T)((T)threads * (T)((b * threads + threads - 1 - t) % 100));
    return wrong;
}

__device__ inline float cndGPU(float d)
{
    const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f, A5 = 1.330274429f;
    const float RSQRT2PI = 0.39894228040143267793994605993438f;
    float K = __fdividef(1.0f, (1.0f + 0.2316419f * fabsf(d)));
    float cnd = RSQRT2PI * __expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
    if (d > 0)
        cnd = 1.0f - cnd;
    return cnd;
}

__launch_bounds__(128)
__global__ void BlackScholesGPU(float2 *__restrict d_Results, const float3 *__restrict d_Options, float R, float V, int n)
{
    const int opt = blockDim.x * blockIdx.x + threadIdx.x;
    if (opt >= n) return;
    const float3 o = d_Options[opt];  // price, strike, years
    float sqrtT = __fdividef(1.0F, rsqrtf(o.z));
    float d1 = __fdividef(__logf(o.x / o.y) + (R + 0.5f * V * V) * o.z, V * sqrtT);
    float d2 = d1 - V * sqrtT;
    float CNDD1 = cndGPU(d1), CNDD2 = cndGPU(d2), expRT = __expf(-R * o.z);
    d_Results[opt] = make_float2(o.x * CNDD1 - o.y * expRT * CNDD2,
                                 o.y * expRT * (1.0f - CNDD2) - o.x * (1.0f - CNDD1));
}

int main()
{
    int wrong = 0;
    wrong += test_reverse<float>(3, 32);
    wrong += test_reverse<int>(1, 256);
    wrong += test_reverse<double>(2, 1024);
    wrong += test_reverse<unsigned char>(2, 48);

    const int n = 256, table = 31;
    short *indices;
    double *values, *out;
    cudaMallocManaged(&indices, n * sizeof(*indices));
    cudaMallocManaged(&values, table * sizeof(*values));
    cudaMallocManaged(&out, n * sizeof(*out));
    for (int i = 0; i < n; i++) indices[i] = (i * 7) % table;
    for (int i = 0; i < table; i++) values[i] = i * 1.5;
    for (int threads = 32; threads <= n; threads *= 2)
    {
        const size_t shared = table * sizeof(double) + threads * sizeof(short);
        gather<<<n / threads, threads, shared>>>(indices, values, out, table);
        cudaDeviceSynchronize();
        for (int i = 0; i < n; i++)
            wrong += out[i] != values[indices[i / threads * threads + threads - 1 - i % threads]];
    }

    const int options = 1000;
    const float R = 0.02f, V = 0.30f;
    float3 *d_options;
    float2 *d_results;
    cudaMallocManaged(&d_options, options * sizeof(float3));
    cudaMallocManaged(&d_results, options * sizeof(float2));
    srand(5347);
    auto random = [](float low, float high) { return low + (high - low) * (rand() / (float)RAND_MAX); };
    for (int i = 0; i < options; i++) d_options[i] = make_float3(random(5, 30), random(1, 100), random(0.25f, 10));
    BlackScholesGPU<<<(options + 127) / 128, 128>>>(d_results, d_options, R, V, options);
    cudaDeviceSynchronize();
    double sum_delta = 0, sum_ref = 0;
    for (int i = 0; i < options; i++)
    {
        const double S = d_options[i].x, X = d_options[i].y, T = d_options[i].z;
        const double d1 = (log(S / X) + (R + 0.5 * V * V) * T) / (V * sqrt(T)), d2 = d1 - V * sqrt(T);
        const auto cnd = [](double d) { return 0.5 * erfc(-d / sqrt(2)); };
        const double call = S * cnd(d1) - X * exp(-R * T) * cnd(d2);
        const double put = X * exp(-R * T) * cnd(-d2) - S * cnd(-d1);
        sum_delta += fabs(call - d_results[i].x) + fabs(put - d_results[i].y);
        sum_ref += call + put;
    }
    printf("L1 norm: %E, %d wrong\n", sum_delta / sum_ref, wrong);
    cudaFree(indices); cudaFree(values); cudaFree(out); cudaFree(d_options); cudaFree(d_results);
    return sum_delta / sum_ref > 1e-6 || wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
