#include "device/backend.h"
#include "device/check.h"
#include "device/info.h"
#include "device/l2_flush.h"

namespace device {
namespace {

__global__ void read_kernel(const float4* data, std::size_t count, float4* never) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float4 value = data[i];
  // The data are zeros. The store is there so that the load is not dropped.
  if (value.x != 0 || value.y != 0 || value.z != 0 || value.w != 0) *never = value;
}

}  // namespace

std::size_t L2Flush::bytes() {
  if (kIsCpu) return 0;
  int current = 0;
  CUDA_CHECK(cudaGetDevice(&current));
  return 4 * info(current).l2_bytes;
}

L2Flush::L2Flush(Lines lines) : lines_(lines) {
  if (bytes() == 0) return;
  scratch_ = std::make_unique<Buffer<float4>>(bytes() / sizeof(float4));
  CUDA_CHECK(cudaMemset(scratch_->data(), 0, bytes()));
}

void L2Flush::operator()(cudaStream_t stream) {
  if (!scratch_) return;
  if (lines_ == Lines::modified) {
    CUDA_CHECK(cudaMemsetAsync(scratch_->data(), 0, bytes(), stream));
    return;
  }
  constexpr unsigned kThreads = 256;
  const auto blocks = static_cast<unsigned>((scratch_->size() + kThreads - 1) / kThreads);
  read_kernel<<<blocks, kThreads, 0, stream>>>(scratch_->data(), scratch_->size(),
                                               scratch_->data());
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace device
