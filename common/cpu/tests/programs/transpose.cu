// Transposition over a padded tile, with float and with struct elements, blocks of 32 x 8 threads,
// and rows with a pitch.
#include <vector>

#include "check.h"

struct __align__(8) Pair {
  float value;
  int index;
  __host__ __device__ bool operator==(const Pair& o) const {
    return value == o.value && index == o.index;
  }
};

template <typename T, int TILE = 32, int ROWS = 8>
__global__ void transpose(T* out, size_t out_pitch, const T* in, size_t in_pitch, int width,
                          int height) {
  static_assert(TILE % ROWS == 0, "a tile is a whole number of steps");
  __shared__ T tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (x < width && y + j < height)
      tile[threadIdx.y + j][threadIdx.x] = *((const T*)((const char*)in + (y + j) * in_pitch) + x);
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (x < height && y + j < width)
      *((T*)((char*)out + (y + j) * out_pitch) + x) = tile[threadIdx.x][threadIdx.y + j];
}

template <typename T, typename Make>
void test(int width, int height, Make make) {
  std::vector<T> in(width * height), out(width * height);
  for (int i = 0; i < width * height; ++i) in[i] = make(i);
  T *d_in, *d_out;
  size_t in_pitch, out_pitch;
  CUDA_CHECK(cudaMallocPitch(&d_in, &in_pitch, width * sizeof(T), height));
  CUDA_CHECK(cudaMallocPitch(&d_out, &out_pitch, height * sizeof(T), width));
  CUDA_CHECK(cudaMemcpy2D(d_in, in_pitch, in.data(), width * sizeof(T), width * sizeof(T), height,
                          cudaMemcpyHostToDevice));
  dim3 grid((width + 31) / 32, (height + 31) / 32), block(32, 8);
  transpose<T><<<grid, block>>>(d_out, out_pitch, d_in, in_pitch, width, height);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy2D(out.data(), height * sizeof(T), d_out, out_pitch, height * sizeof(T),
                          width, cudaMemcpyDeviceToHost));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) EXPECT(out[x * height + y] == in[y * width + x]);
  cudaFree(d_in);
  cudaFree(d_out);
}

int main() {
  test<float>(100, 67, [](int i) { return i * 0.5f; });
  test<Pair>(33, 129, [](int i) { return Pair{i * 0.25f, i}; });
  test<double>(32, 64, [](int i) { return double(i); });
}
