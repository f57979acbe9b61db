// Operations chosen at run time: pointers to device functions fetched from symbols, tables of them,
// functors, an enum in a switch, and a class template over an operation.
#include <cstdio>
#include <cmath>

#define CUDA_RT_CALL(call)                                                          \
    {                                                                               \
        cudaError_t cudaStatus = call;                                              \
        if (cudaSuccess != cudaStatus) {                                            \
            fprintf(stderr, "ERROR: CUDA RT call \"%s\" in line %d of file %s failed with %s (%d).\n", \
                    #call, __LINE__, __FILE__, cudaGetErrorString(cudaStatus), cudaStatus);            \
            exit(cudaStatus);                                                       \
        }                                                                           \
    }

typedef float (*pointFunction_t)(float);

__device__ float square(float x) { return x * x; }
__device__ float negate(float x) { return -x; }
template <int N>
__device__ float plus_n(float x) { return x + N; }

__device__ pointFunction_t p_square = square;
__device__ pointFunction_t p_negate = negate;
__device__ pointFunction_t p_plus = plus_n<7>;
__constant__ pointFunction_t chain[3] = {plus_n<1>, square, negate};

__global__ void apply(float *data, int n, pointFunction_t op) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = (*op)(data[i]);
}

__global__ void apply_chain(float *data, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        for (auto f : chain) data[i] = f(data[i]);
}

enum class Op { Sum, Product, Maximum };

template <Op op>
__device__ float combine(float a, float b) {
    if constexpr (op == Op::Sum) return a + b;
    else if constexpr (op == Op::Product) return a * b;
    else return fmaxf(a, b);
}

template <Op op, unsigned BLOCK>
__global__ void fold(const float *in, float *out, float identity, int n) {
    __shared__ float s[BLOCK];
    float mine = identity;
    for (unsigned i = threadIdx.x; i < n; i += BLOCK) mine = combine<op>(mine, in[i]);
    s[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned half = BLOCK / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half) s[threadIdx.x] = combine<op>(s[threadIdx.x], s[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = s[0];
}

struct Saxpy {
    const float a;
    explicit Saxpy(float a_) : a(a_) {}
    __host__ __device__ float operator()(const float &x, const float &y) const { return a * x + y; }
};

template <class Functor, class... Arrays>
__global__ void zip_with(Functor f, int n, float *out, const Arrays *...in) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) out[i] = f(in[i]...);
}

// A class that owns its memory and passes a view of it to kernels.
class Array {
public:
    struct View {
        float *p;
        int n;
        __device__ float &operator[](int i) const { return p[i]; }
    };
    Array(int n, float value);
    ~Array() { cudaFree(p_); }
    Array(const Array &) = delete;
    View view() { return {p_, n_}; }
    float at(int i) const {
        float v;
        cudaMemcpy(&v, p_ + i, sizeof(v), cudaMemcpyDeviceToHost);
        return v;
    }
    operator float *() { return p_; }
private:
    float *p_;
    int n_;
};

__global__ void fill(Array::View view, float value) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < view.n) view[i] = value + i;
}

Array::Array(int n, float value) : n_(n) {
    CUDA_RT_CALL(cudaMalloc(&p_, n * sizeof(float)));
    fill<<<(n + 63) / 64, 64>>>(view(), value);
    CUDA_RT_CALL(cudaGetLastError());
}

int main() {
    const int n = 200;
    int wrong = 0;
    Array data(n, 1);  // 1, 2, 3, ...

    pointFunction_t h_square, h_negate, h_plus;
    CUDA_RT_CALL(cudaMemcpyFromSymbol(&h_square, p_square, sizeof(pointFunction_t)));
    CUDA_RT_CALL(cudaMemcpyFromSymbol(&h_negate, p_negate, sizeof(pointFunction_t)));
    CUDA_RT_CALL(cudaMemcpyFromSymbol(&h_plus, p_plus, sizeof(pointFunction_t)));
    for (pointFunction_t op : {h_plus, h_negate, h_square}) apply<<<4, 64>>>(data, n, op);
    wrong += data.at(9) != 17 * 17;
    apply_chain<<<1, 32>>>(data, n);
    wrong += data.at(0) != -65.0f * 65 || data.at(1) != -82.0f * 82;

    Array x(n, 0), y(n, 100), out(n, 0), result(1, 0);
    zip_with<<<4, 64>>>(Saxpy(2), n, (float *)out, (const float *)x, (const float *)y);
    for (int i = 0; i < n; i += 37) wrong += out.at(i) != Saxpy(2)(i, 100 + i);
    zip_with<<<4, 64>>>([] __device__(float a, float b, float c) { return a * b - c; }, n,
                        (float *)out, (const float *)x, (const float *)x, (const float *)y);
    wrong += out.at(12) != 144 - 112;

    fold<Op::Sum, 64><<<1, 64>>>(x, result, 0, n);
    wrong += result.at(0) != n * (n - 1) / 2;
    fold<Op::Maximum, 128><<<1, 128>>>(y, result, -INFINITY, n);
    wrong += result.at(0) != 100 + n - 1;
    fold<Op::Product, 32><<<1, 32>>>((float *)x + 1, result, 1, 10);
    wrong += result.at(0) != 3628800;

    CUDA_RT_CALL(cudaDeviceSynchronize());
    printf("%d wrong\n", wrong);
    return wrong;
}
