// Kernels get objects that own memory. A launch copies them on the host and destroys the copies
// there; the device gets bits and runs neither constructors nor destructors of parameters.
#include "check.h"

int copies = 0;
int ends = 0;

// Frees its memory at its end, which waits for the kernels that use it.
class Vector {
 public:
  explicit Vector(int size) : size_(size) { CUDA_CHECK(cudaMallocManaged(&data_, bytes())); }
  Vector(const Vector& other) : Vector(other.size_) {
    ++copies;
    CUDA_CHECK(cudaMemcpy(data_, other.data_, bytes(), cudaMemcpyDefault));
  }
  Vector& operator=(const Vector&) = delete;
  ~Vector() {
    ++ends;
    CUDA_CHECK(cudaFree(data_));
  }

  __host__ __device__ float& operator[](int i) { return data_[i]; }
  __host__ __device__ int size() const { return size_; }
  __device__ void shrink() { --size_; }

 private:
  std::size_t bytes() const { return size_ * sizeof(float); }

  int size_;
  float* data_ = nullptr;
};

// Parameters are each thread's own: every thread of the block sees the size shrink by one.
__global__ void sum_up(Vector v, double scale, float* sums) {
  v.shrink();
  float sum = 0;
  for (int i = 0; i < v.size(); ++i) sum += v[i];
  sums[threadIdx.x] = static_cast<float>(scale * sum);
}

template <class Source>
__global__ void copy_reversed(Source source, float* to) {
  __shared__ float staged[64];
  staged[threadIdx.x] = source[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = staged[blockDim.x - 1 - threadIdx.x];
}

// By reference, the kernel gets the object itself, which has to be in managed memory.
__global__ void double_all(Vector& v) { v[threadIdx.x] *= 2; }

constexpr int kThreads = 64;

void expect_sums(float* sums, float sum) {
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < kThreads; ++i) {
    EXPECT(sums[i] == sum);
    sums[i] = 0;
  }
}

int main() {
  Vector ones(kThreads);
  for (int i = 0; i < ones.size(); ++i) ones[i] = 1;
  float* sums = nullptr;
  CUDA_CHECK(cudaMallocManaged(&sums, kThreads * sizeof(float)));

  sum_up<<<1, kThreads>>>(ones, 2, sums);
  EXPECT(copies == 1 && ends == 1);
  expect_sums(sums, 2 * (kThreads - 1));

  void (*const kernel)(Vector, double, float*) = sum_up;
  kernel<<<1, kThreads>>>(ones, 3, sums);
  EXPECT(copies == 2 && ends == 2);
  expect_sums(sums, 3 * (kThreads - 1));

  // This one gets the address of the object, and copies nothing.
  double scale = 4;
  void* arguments[] = {&ones, &scale, &sums};
  CUDA_CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(kThreads),
                              arguments, 0, nullptr));
  EXPECT(copies == 2 && ends == 2);
  expect_sums(sums, 4 * (kThreads - 1));

  for (int i = 0; i < ones.size(); ++i) ones[i] = static_cast<float>(i);
  copy_reversed<<<1, kThreads>>>(ones, sums);
  EXPECT(copies == 3 && ends == 3);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < kThreads; ++i) EXPECT(sums[i] == kThreads - 1 - i);

  void* place = nullptr;
  CUDA_CHECK(cudaMallocManaged(&place, sizeof(Vector)));
  auto* const managed = new (place) Vector(ones);
  double_all<<<1, kThreads>>>(*managed);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < kThreads; ++i) EXPECT((*managed)[i] == 2.0f * i);
  managed->~Vector();
  EXPECT(copies == 4 && ends == 4);

  CUDA_CHECK(cudaFree(place));
  CUDA_CHECK(cudaFree(sums));
  return 0;
}
