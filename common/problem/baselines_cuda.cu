// NVIDIA's libraries on the same problems.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cub/device/device_reduce.cuh>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "device/buffer.h"
#include "device/check.h"
#include "problem/baselines.h"
#include "problem/check_cublas.h"
#include "problem/cublaslt.h"

#ifdef TUTORIAL_HAVE_CUDNN
#include <cudnn.h>
#endif
// CUB has it since 2.7, which came with CUDA 12.8.
#if __has_include(<cub/device/device_transform.cuh>)
#define TUTORIAL_HAVE_TRANSFORM 1
#include <cub/device/device_transform.cuh>
#include <cuda/std/functional>
#include <cuda/std/tuple>
#endif

namespace problem {
namespace {

bool empty(const Shape& shape) {
  for (const std::size_t size : shape) {
    if (size == 0) return true;
  }
  return false;
}

bool fits_int(const Shape& shape) {
  for (const std::size_t size : shape) {
    if (size > static_cast<std::size_t>(std::numeric_limits<int>::max())) return false;
  }
  return true;
}

// One handle for the process, made for the device that is current at the first use.
cublasHandle_t cublas(cudaStream_t stream) {
  static const cublasHandle_t handle = [] {
    cublasHandle_t made = nullptr;
    check_cublas(cublasCreate(&made), "cublasCreate");
    // fp32 all the way: no tensor cores.
    check_cublas(cublasSetMathMode(made, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
    return made;
  }();
  check_cublas(cublasSetStream(handle, stream), "cublasSetStream");
  return handle;
}

#ifdef TUTORIAL_HAVE_TRANSFORM
void add(const Operands& on, cudaStream_t stream) {
  CUDA_CHECK(cub::DeviceTransform::Transform(cuda::std::make_tuple(on.inputs[0], on.inputs[1]),
                                             on.output, on.shape[0], cuda::std::plus<float>{},
                                             stream));
}
#endif

// Taking memory and giving it back is no part of a sum, so it is kept from launch to launch.
void* scratch(std::size_t bytes) {
  static std::unique_ptr<device::Buffer<std::byte>> memory;
  if (!memory || memory->size() < bytes) {
    memory = std::make_unique<device::Buffer<std::byte>>(bytes);
  }
  return memory->data();
}

void sum(const Operands& on, cudaStream_t stream) {
  std::size_t bytes = 0;
  CUDA_CHECK(cub::DeviceReduce::Sum(nullptr, bytes, on.inputs[0], on.output, on.shape[0], stream));
  CUDA_CHECK(
      cub::DeviceReduce::Sum(scratch(bytes), bytes, on.inputs[0], on.output, on.shape[0], stream));
}

// cuBLAS is column-major: our A is the transpose of a k x m matrix to it.
void gemv(const Operands& on, cudaStream_t stream) {
  const int m = static_cast<int>(on.shape[0]), k = static_cast<int>(on.shape[1]);
  const float one = 1, zero = 0;
  check_cublas(cublasSgemv(cublas(stream), CUBLAS_OP_T, k, m, &one, on.inputs[0], k, on.inputs[1],
                           1, &zero, on.output, 1),
               "cublasSgemv");
}

// cuBLAS is column-major: our rows are its columns, so the input is cols x rows to it.
void transpose(const Operands& on, cudaStream_t stream) {
  const int rows = static_cast<int>(on.shape[0]), cols = static_cast<int>(on.shape[1]);
  const float one = 1, zero = 0;
  check_cublas(cublasSgeam(cublas(stream), CUBLAS_OP_T, CUBLAS_OP_N, rows, cols, &one, on.inputs[0],
                           cols, &zero, on.output, rows, on.output, rows),
               "cublasSgeam");
}

// C^T = B^T A^T, which is C = A B for row-major matrices.
void sgemm(const Operands& on, cudaStream_t stream) {
  const int m = static_cast<int>(on.shape[0]), n = static_cast<int>(on.shape[1]);
  const int k = static_cast<int>(on.shape[2]);
  const float one = 1, zero = 0;
  check_cublas(cublasSgemm(cublas(stream), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, on.inputs[1], n,
                           on.inputs[0], k, &zero, on.output, n),
               "cublasSgemm");
}

#ifdef TUTORIAL_HAVE_CUDNN
void check_cudnn(cudnnStatus_t status, const char* call) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string(call) + ": " + cudnnGetErrorString(status));
}

cudnnHandle_t cudnn(cudaStream_t stream) {
  static const cudnnHandle_t handle = [] {
    cudnnHandle_t made = nullptr;
    check_cudnn(cudnnCreate(&made), "cudnnCreate");
    return made;
  }();
  check_cudnn(cudnnSetStream(handle, stream), "cudnnSetStream");
  return handle;
}

// A row is an image of one pixel with `cols` channels.
class RowsDescriptor {
 public:
  explicit RowsDescriptor(const Shape& shape) {
    check_cudnn(cudnnCreateTensorDescriptor(&descriptor_), "cudnnCreateTensorDescriptor");
    check_cudnn(
        cudnnSetTensor4dDescriptor(descriptor_, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT,
                                   static_cast<int>(shape[0]), static_cast<int>(shape[1]), 1, 1),
        "cudnnSetTensor4dDescriptor");
  }
  ~RowsDescriptor() { cudnnDestroyTensorDescriptor(descriptor_); }
  RowsDescriptor(const RowsDescriptor&) = delete;
  RowsDescriptor& operator=(const RowsDescriptor&) = delete;

  cudnnTensorDescriptor_t get() const { return descriptor_; }

 private:
  cudnnTensorDescriptor_t descriptor_ = nullptr;
};

void softmax(const Operands& on, cudaStream_t stream) {
  const RowsDescriptor rows(on.shape);
  const float one = 1, zero = 0;
  // The two modes mean the same for one pixel. On an H200 the one is faster for short rows, the
  // other for long ones. (The faster algorithm, FAST, does not subtract the maximum.)
  constexpr std::size_t kLongestShortRow = 1024;
  const auto mode =
      on.shape[1] <= kLongestShortRow ? CUDNN_SOFTMAX_MODE_CHANNEL : CUDNN_SOFTMAX_MODE_INSTANCE;
  check_cudnn(cudnnSoftmaxForward(cudnn(stream), CUDNN_SOFTMAX_ACCURATE, mode, &one, rows.get(),
                                  on.inputs[0], &zero, rows.get(), on.output),
              "cudnnSoftmaxForward");
}
#endif

// The library's choice for a product of this shape (m, n, k), and then those of cublasLt.
std::vector<Baseline> with_products(Baseline chosen, const Shape& product) {
  std::vector<Baseline> all = {std::move(chosen)};
  if (!fits_int(product)) return all;
  const auto size = [&](std::size_t i) { return static_cast<int>(product[i]); };
  for (Baseline& one : cublaslt_products(size(0), size(1), size(2))) all.push_back(std::move(one));
  return all;
}

}  // namespace

std::vector<Baseline> add_baselines(const Shape& shape) {
#ifdef TUTORIAL_HAVE_TRANSFORM
  if (empty(shape)) return {};
  return {{"CUB DeviceTransform", add}};
#else
  static_cast<void>(shape);
  return {};
#endif
}

std::vector<Baseline> sum_baselines(const Shape& shape) {
  if (empty(shape)) return {};
  return {{"CUB DeviceReduce", sum}};
}

std::vector<Baseline> gemv_baselines(const Shape& shape) {
  if (empty(shape) || !fits_int(shape)) return {};
  return with_products({"cuBLAS gemv", gemv}, {shape[0], 1, shape[1]});
}

std::vector<Baseline> transpose_baselines(const Shape& shape) {
  if (empty(shape) || !fits_int(shape)) return {};
  return {{"cuBLAS geam", transpose}};
}

std::vector<Baseline> sgemm_baselines(const Shape& shape) {
  if (empty(shape)) return {};
  return with_products({"cuBLAS sgemm", sgemm}, shape);
}

std::vector<Baseline> softmax_baselines(const Shape& shape) {
#ifdef TUTORIAL_HAVE_CUDNN
  if (empty(shape) || !fits_int({shape[0], shape[1], shape[0] * shape[1]})) return {};
  return {{"cuDNN softmax", softmax}};
#else
  static_cast<void>(shape);
  return {};
#endif
}

}  // namespace problem
