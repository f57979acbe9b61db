// Fast Fourier transforms of 512 points in shared memory, a block each; then a product of two
// polynomials with them. Roots of unity come from a table in __device__ memory that a kernel fills.
#include <cassert>
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

typedef float2 Complex;
constexpr int LOG_N = 9, N = 1 << LOG_N;

__device__ Complex roots[N / 2];

static __device__ __host__ inline Complex operator+(Complex a, Complex b) { return {a.x + b.x, a.y + b.y}; }
static __device__ __host__ inline Complex operator-(Complex a, Complex b) { return {a.x - b.x, a.y - b.y}; }
static __device__ __host__ inline Complex operator*(Complex a, Complex b)
{
    Complex c;
    c.x = a.x * b.x - a.y * b.y;
    c.y = a.x * b.y + a.y * b.x;
    return c;
}

__global__ void fill_roots()
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s, c;
    sincospif(-2.0f * i / N, &s, &c);
    roots[i] = make_float2(c, s);
}

template <bool Inverse>
__device__ Complex root(int i)
{
    Complex w = roots[i];
    if (Inverse) w.y = -w.y;
    return w;
}

template <bool Inverse>
__global__ void __launch_bounds__(N / 2) fft(Complex *data)
{
    __shared__ Complex s[N];
    const int t = threadIdx.x;
    data += blockIdx.x * N;
    for (int i = t; i < N; i += N / 2)
        s[__brev(i) >> (32 - LOG_N)] = data[i];
    __syncthreads();
    for (int half = 1; half < N; half *= 2)
    {
        const int k = t & (half - 1), i = 2 * (t - k) + k;
        const Complex a = s[i], b = root<Inverse>(k * (N / 2 / half)) * s[i + half];
        s[i] = a + b;
        s[i + half] = a - b;
        __syncthreads();
    }
    const float scale = Inverse ? 1.0f / N : 1.0f;
    for (int i = t; i < N; i += N / 2)
        data[i] = make_float2(scale * s[i].x, scale * s[i].y);
}

__global__ void multiply(Complex *a, const Complex *b)
{
    a[threadIdx.x] = a[threadIdx.x] * b[threadIdx.x];
}

int main()
{
    const int batch = 3;
    std::vector<Complex> in(batch * N), out(batch * N);
    for (int i = 0; i < batch * N; i++) in[i] = {cosf(0.37f * i), (i % 5) - 2.0f};
    Complex *d;
    cudaMalloc(&d, batch * N * sizeof(Complex));
    cudaMemcpy(d, in.data(), batch * N * sizeof(Complex), cudaMemcpyHostToDevice);
    fill_roots<<<N / 2 / 64, 64>>>();
    fft<false><<<batch, N / 2>>>(d);
    cudaMemcpy(out.data(), d, batch * N * sizeof(Complex), cudaMemcpyDeviceToHost);

    double worst = 0;
    for (int b = 0; b < batch; b++)
        for (int k = 0; k < N; k += 37)
        {
            std::complex<double> sum = 0;
            for (int i = 0; i < N; i++)
                sum += std::complex<double>(in[b * N + i].x, in[b * N + i].y) * std::polar(1.0, -2 * M_PI * i * k / N);
            worst = std::max(worst, std::abs(sum - std::complex<double>(out[b * N + k].x, out[b * N + k].y)));
        }
    fft<true><<<batch, N / 2>>>(d);
    cudaMemcpy(out.data(), d, batch * N * sizeof(Complex), cudaMemcpyDeviceToHost);
    for (int i = 0; i < batch * N; i++)
        worst = fmax(worst, fmax(fabs(out[i].x - in[i].x), fabs(out[i].y - in[i].y)));

    // (1 + x + ... + x^99)^2 has the coefficients 1, 2, ..., 100, ..., 2, 1.
    std::vector<Complex> p(N, Complex{0, 0});
    for (int i = 0; i < 100; i++) p[i].x = 1;
    Complex *q = d + N;
    for (Complex *to : {d, q}) cudaMemcpy(to, p.data(), N * sizeof(Complex), cudaMemcpyHostToDevice);
    fft<false><<<2, N / 2>>>(d);
    multiply<<<1, N>>>(d, q);
    fft<true><<<1, N / 2>>>(d);
    cudaMemcpy(p.data(), d, N * sizeof(Complex), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < N; i++) wrong += lround(p[i].x) != (i < 100 ? i + 1 : i < 199 ? 199 - i : 0);
    cudaFree(d);
    printf("largest error %g, %d wrong coefficients\n", worst, wrong);
    return worst > 2e-3 || wrong || cudaGetLastError() != cudaSuccess;
}
