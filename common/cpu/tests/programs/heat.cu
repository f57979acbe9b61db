// Heat in a plate by Jacobi's iteration, until it changes no more: the largest change of a step by
// an atomic maximum on the bits of floats, two buffers, and a check every few steps.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

using real = float;
using Field = std::vector<real>;

#define IDX(row, col) ((row) * (nx) + (col))

constexpr int BLOCK_X = 32, BLOCK_Y = 8;

static __device__ __inline__ float atomicMaxFloat(float *address, float value) {
  // Floats that are not negative are in the order of their bits.
  return __int_as_float(atomicMax(reinterpret_cast<int *>(address), __float_as_int(value)));
}

template <bool WithChange>
__global__ void jacobi_step(const real *__restrict__ a, real *__restrict__ a_new, int nx, int ny,
                            real *change) {
  const int ix = blockIdx.x * blockDim.x + threadIdx.x;
  const int iy = blockIdx.y * blockDim.y + threadIdx.y;
  real mine = 0;
  if (ix > 0 && iy > 0 && ix < nx - 1 && iy < ny - 1) {
    const real updated = 0.25f * (a[IDX(iy, ix - 1)] + a[IDX(iy, ix + 1)] + a[IDX(iy - 1, ix)] + a[IDX(iy + 1, ix)]);
    a_new[IDX(iy, ix)] = updated;
    mine = fabsf(updated - a[IDX(iy, ix)]);
  }
  if (WithChange) {
    __shared__ real largest[BLOCK_Y];
    #pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) mine = fmaxf(mine, __shfl_down_sync(0xffffffff, mine, offset));
    if (threadIdx.x == 0) largest[threadIdx.y] = mine;
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
      for (int w = 1; w < BLOCK_Y; w++) mine = max(mine, largest[w]);
      atomicMaxFloat(change, mine);
    }
  }
}

int main(int argc, char *argv[]) {
  const int nx = 65, ny = argc > 2 ? atoi(argv[2]) : 33;
  const real tolerance = 1e-5f;
  // sin(pi x) at the lower edge: u = sin(pi x) sinh(pi (h - y)) / sinh(pi h).
  Field initial(nx * ny, 0.0f);
  for (int i = 0; i < nx; i++) initial[IDX(0, i)] = sin(M_PI * i / (nx - 1));

  real *d_a, *d_b, *d_change, change = 1;
  const size_t size = nx * ny * sizeof(real);
  cudaMalloc(&d_a, size);
  cudaMalloc(&d_b, size);
  cudaMalloc(&d_change, sizeof(real));
  cudaMemcpy(d_a, initial.data(), size, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, d_a, size, cudaMemcpyDeviceToDevice);

  dim3 block(BLOCK_X, BLOCK_Y, 1);
  dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y, 1);
  int iteration = 0;
  while (change > tolerance && iteration < 5000) {
    const bool look = iteration % 50 == 49;
    if (look) {
      cudaMemset(d_change, 0, sizeof(real));
      jacobi_step<true><<<grid, block>>>(d_a, d_b, nx, ny, d_change);
      cudaMemcpy(&change, d_change, sizeof(real), cudaMemcpyDeviceToHost);
    } else {
      jacobi_step<false><<<grid, block>>>(d_a, d_b, nx, ny, nullptr);
    }
    std::swap(d_a, d_b);
    ++iteration;
  }
  Field result(nx * ny);
  cudaMemcpy(result.data(), d_a, size, cudaMemcpyDeviceToHost);
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_change);

  double worst = 0;
  const double height = double(ny - 1) / (nx - 1);
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++) {
      const double x = double(i) / (nx - 1), y = double(j) / (nx - 1);
      const double exact = sin(M_PI * x) * sinh(M_PI * (height - y)) / sinh(M_PI * height);
      worst = std::max(worst, std::fabs(result[IDX(j, i)] - exact));
    }
  printf("%d iterations, change %g, off by %g\n", iteration, change, worst);
  return cudaGetLastError() != cudaSuccess || !(change <= tolerance) || !(worst < 5e-3);
}
