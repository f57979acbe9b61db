// Arguments by value: structs with arrays, with constructors, with a view of memory; pointers to
// kernels as parameters and members; kernels that are launched from class members.
#include "check.h"

struct Box {
  float low[3], high[3];
  __host__ __device__ bool contains(const float3& p) const {
    return p.x >= low[0] && p.x < high[0] && p.y >= low[1] && p.y < high[1] && p.z >= low[2] &&
           p.z < high[2];
  }
};

template <typename T>
class View {
 public:
  View(T* data, int rows, int cols) : data_(data), rows_(rows), cols_(cols) {}
  __device__ T& operator()(int row, int col) { return data_[row * cols_ + col]; }
  __host__ __device__ int rows() const { return rows_; }
  __host__ __device__ int cols() const { return cols_; }

 private:
  T* data_;
  int rows_, cols_;
};

__global__ void inside(const Box box, const float3* points, int* flags, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) flags[i] = box.contains(points[i]) ? 1 : 0;
}

__global__ void fill(View<int> view, int value) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y,
            col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < view.rows() && col < view.cols()) view(row, col) = value + row * 100 + col;
}
__global__ void negate(View<int> view, int) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y,
            col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < view.rows() && col < view.cols()) view(row, col) = -view(row, col);
}

class Runner {
 public:
  typedef void (*Kernel)(View<int>, int);
  explicit Runner(Kernel kernel) : kernel_(kernel) {}
  void run(View<int> view, int value = 7) const {
    const dim3 block(8, 4);
    const dim3 grid((view.cols() + block.x - 1) / block.x, (view.rows() + block.y - 1) / block.y,
                    1);
    kernel_<<<grid, block>>>(view, value);
    CUDA_CHECK(cudaGetLastError());
  }

 private:
  Kernel kernel_;
};

void run_twice(void (*kernel)(View<int>, int), View<int> view) {
  for (int i = 0; i < 2; ++i) (*kernel)<<<dim3{1, 1, 1}, {16, 16}>>>(view, 0);
}

int main() {
  const int n = 200;
  float3* points;
  int* flags;
  CUDA_CHECK(cudaMallocManaged(&points, n * sizeof(float3)));
  CUDA_CHECK(cudaMallocManaged(&flags, n * sizeof(int)));
  for (int i = 0; i < n; ++i) points[i] = make_float3(i % 5, i % 7, i % 3);
  inside<<<2, 128>>>(Box{{1, 2, 0}, {4, 6, 2}}, points, flags, n);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i)
    EXPECT(flags[i] == (i % 5 >= 1 && i % 5 < 4 && i % 7 >= 2 && i % 7 < 6 && i % 3 < 2));

  int* cells;
  CUDA_CHECK(cudaMallocManaged(&cells, 11 * 13 * sizeof(int)));
  View<int> view(cells, 11, 13);
  Runner(fill).run(view);
  Runner(&negate).run(view, 0);
  run_twice(negate, view);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int row = 0; row < 11; ++row)
    for (int col = 0; col < 13; ++col) EXPECT(cells[row * 13 + col] == -(7 + row * 100 + col));
  for (void* p : {(void*)points, (void*)flags, (void*)cells}) CUDA_CHECK(cudaFree(p));
}
