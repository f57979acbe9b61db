// y = A x: a thread a row, a warp a row, by columns with atomics; and a sparse A in compressed rows.
#include "cuda_runtime.h"
#include "device_launch_parameters.h"

#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define FULL_MASK 0xffffffff
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))

static void checkCuda(cudaError_t result, char const *const func, const char *const file, int line)
{
    if (result) {
        fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line,
                (unsigned int)result, cudaGetErrorName(result), func);
        cudaDeviceReset();
        exit(EXIT_FAILURE);
    }
}
#define checkCudaErrors(val) checkCuda((val), #val, __FILE__, __LINE__)

__global__ void gemvThread(const float *A, const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows)
    {
        float sum = 0;
        for (int c = 0; c < cols; c++)
            sum += A[row * cols + c] * x[c];
        y[row] = sum;
    }
}

template <typename T>
__inline__ __device__ T warpReduceSum(T val)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        val += __shfl_down_sync(FULL_MASK, val, offset);
    return val;
}

// blockDim = (32, rows of a block)
__global__ void gemvWarp(const float *A, const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    float sum = 0;
    for (int c = threadIdx.x; c < cols; c += warpSize)
        sum += __ldg(&A[row * cols + c]) * __ldg(x + c);
    sum = warpReduceSum(sum);
    if (threadIdx.x == 0)
        y[row] = sum;
}

// A as columns; each block takes some of them and adds what they give.
__global__ void gemvColumns(const float *At, const float *x, float *y, int rows, int cols)
{
    extern __shared__ float xs[];
    const int perBlock = CEIL_DIV(cols, (int)gridDim.y);
    const int first = blockIdx.y * perBlock, last = min(first + perBlock, cols);
    for (int c = first + threadIdx.x; c < last; c += blockDim.x)
        xs[c - first] = x[c];
    __syncthreads();
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows)
    {
        float sum = 0;
        for (int c = first; c < last; c++)
            sum = fmaf(At[c * rows + row], xs[c - first], sum);
        atomicAdd(&y[row], sum);
    }
}

__global__ void spmvCsr(int rows, const int *ptr, const int *indices, const double *data,
                        const double *x, double *y)
{
    int lane = threadIdx.x & (32 - 1);
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row < rows)
    {
        double sum = 0;
        for (int j = ptr[row] + lane; j < ptr[row + 1]; j += 32)
            sum += data[j] * x[indices[j]];
        sum = warpReduceSum(sum);
        if (lane == 0)
            y[row] = sum;
    }
}

int main()
{
    const int rows = 203, cols = 150;
    float *A, *At, *x, *y;
    checkCudaErrors(cudaMallocManaged(&A, rows * cols * sizeof(float)));
    checkCudaErrors(cudaMallocManaged(&At, rows * cols * sizeof(float)));
    checkCudaErrors(cudaMallocManaged(&x, cols * sizeof(float)));
    checkCudaErrors(cudaMallocManaged(&y, rows * sizeof(float)));

    // Small integers: every order of additions gives the same sum.
    double *expected = (double *)calloc(rows, sizeof(double));
    for (int c = 0; c < cols; c++)
        x[c] = (float)(c % 7 - 3);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
        {
            A[r * cols + c] = At[c * rows + r] = (float)((r * 31 + c * 17) % 11 - 5);
            expected[r] += A[r * cols + c] * x[c];
        }

    int failures = 0;
    for (int variant = 0; variant < 3; variant++)
    {
        for (int r = 0; r < rows; r++)
            y[r] = 0;
        if (variant == 0)
            gemvThread<<<CEIL_DIV(rows, 64), 64>>>(A, x, y, rows, cols);
        else if (variant == 1)
            gemvWarp<<<CEIL_DIV(rows, 4), dim3(32, 4)>>>(A, x, y, rows, cols);
        else
        {
            dim3 grid(CEIL_DIV(rows, 128), 3);
            size_t shared = CEIL_DIV(cols, grid.y) * sizeof(float);
            gemvColumns<<<grid, 128, shared>>>(At, x, y, rows, cols);
        }
        checkCudaErrors(cudaGetLastError());
        checkCudaErrors(cudaDeviceSynchronize());
        for (int r = 0; r < rows; r++)
            if (y[r] != expected[r])
                failures++;
    }

    // The tridiagonal matrix with 2 on its diagonal and -1 beside it, times (0, 1, 4, 9, ...).
    const int n = 100;
    int hptr[n + 1], hindices[3 * n], nnz = 0;
    double hdata[3 * n], hx[n], hy[n];
    for (int r = 0; r < n; r++)
    {
        hptr[r] = nnz;
        hx[r] = r * r;
        for (int c = r - 1; c <= r + 1; c++)
        {
            if (c < 0 || c >= n)
                continue;
            hindices[nnz] = c;
            hdata[nnz++] = c == r ? 2 : -1;
        }
    }
    hptr[n] = nnz;
    int *dptr, *dindices;
    double *ddata, *dx, *dy;
    checkCudaErrors(cudaMalloc((void **)&dptr, sizeof(hptr)));
    checkCudaErrors(cudaMalloc((void **)&dindices, nnz * sizeof(int)));
    checkCudaErrors(cudaMalloc((void **)&ddata, nnz * sizeof(double)));
    checkCudaErrors(cudaMalloc((void **)&dx, sizeof(hx)));
    checkCudaErrors(cudaMalloc((void **)&dy, sizeof(hy)));
    checkCudaErrors(cudaMemcpy(dptr, hptr, sizeof(hptr), cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(dindices, hindices, nnz * sizeof(int), cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(ddata, hdata, nnz * sizeof(double), cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(dx, hx, sizeof(hx), cudaMemcpyHostToDevice));
    spmvCsr<<<(n * 32 + 255) / 256, 256>>>(n, dptr, dindices, ddata, dx, dy);
    checkCudaErrors(cudaMemcpy(hy, dy, sizeof(hy), cudaMemcpyDeviceToHost));
    for (int r = 1; r < n - 1; r++)
        if (hy[r] != -2)
            failures++;

    printf("%d failures\n", failures);
    cudaFree(A); cudaFree(At); cudaFree(x); cudaFree(y);
    cudaFree(dptr); cudaFree(dindices); cudaFree(ddata); cudaFree(dx); cudaFree(dy);
    free(expected);
    cudaDeviceReset();
    return failures != 0;
}
