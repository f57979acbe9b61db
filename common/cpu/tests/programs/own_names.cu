// Functions of the program's own that are called as CUDA's or the C++ library's are. (Those of max and
// min not every nvcc takes.)
#include <cuda_runtime.h>
#include <cmath>

inline __host__ __device__ float lerp(float a, float b, float t) { return a + t * (b - a) + 100; }
inline __host__ __device__ int max(int a, int b) { return 1000 + (a > b ? a : b); }
inline __device__ float min(float a, float b) { return a < b ? a : b; }
__device__ double norm(int n, const double *v)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += fabs(v[i]);
    return sum;
}
__device__ float4 make_float4(float s) { return make_float4(s, s, s, s); }

__global__ void use(float *out)
{
    const double v[2] = {3, -4};
    out[0] = lerp(1.0f, 3.0f, 0.5f);
    out[1] = max(3, 4);
    out[2] = min(3.0f, 4.0f);
    out[3] = norm(2, v);
    out[4] = make_float4(5.0f).w;
    out[5] = max(3.0f, 4.0f); // CUDA's own
}

int main()
{
    const float expected[] = {102, 1004, 3, 7, 5, 4};
    float *out;
    cudaMallocManaged(&out, sizeof(expected));
    use<<<1, 1>>>(out);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int i = 0; i < 6; i++)
        if (out[i] != expected[i]) return 2 + i;
    cudaFree(out);
    return lerp(0.0f, 1.0f, 0.0f) == 100 && max(1, 2) == 1002 ? 0 : 1;
}
