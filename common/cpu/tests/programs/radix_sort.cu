// Least significant digit radix sort, four bits a pass: a histogram of digits for each block, a scan
// over all of them, and a stable scatter whose ranks come from ballots and shuffles.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace radix {

constexpr int kBits = 4;
constexpr int kDigits = 1 << kBits;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

template <typename T>
class DeviceVector {
 public:
  explicit DeviceVector(size_t n) : size_(n) { check(cudaMalloc(&data_, n * sizeof(T)), "malloc"); }
  explicit DeviceVector(const std::vector<T>& v) : DeviceVector(v.size()) {
    check(cudaMemcpy(data_, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice), "upload");
  }
  ~DeviceVector() { cudaFree(data_); }
  DeviceVector(const DeviceVector&) = delete;
  DeviceVector& operator=(const DeviceVector&) = delete;
  T* get() { return data_; }
  void swap(DeviceVector& other) noexcept { std::swap(data_, other.data_); }
  std::vector<T> download() const {
    std::vector<T> v(size_);
    check(cudaMemcpy(v.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), "download");
    return v;
  }

 private:
  T* data_ = nullptr;
  size_t size_;
};

// Signed integers and floats in the order of their keys.
__device__ inline uint32_t to_key(uint32_t x) { return x; }
__device__ inline uint32_t to_key(int32_t x) { return static_cast<uint32_t>(x) ^ 0x80000000u; }
__device__ inline uint32_t to_key(float x) {
  const uint32_t bits = __float_as_uint(x);
  return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}

template <typename T>
__device__ inline int digit_of(T x, int shift) {
  return (to_key(x) >> shift) & (kDigits - 1);
}

// counts[digit][block]
template <typename T>
__global__ void count_digits(const T* __restrict__ in, int n, int shift, int* counts) {
  __shared__ int local[kDigits];
  if (threadIdx.x < kDigits) local[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) atomicAdd(&local[digit_of(in[i], shift)], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

__device__ int warp_inclusive_scan(int x) {
  const int lane = threadIdx.x & 31;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const int left = __shfl_up_sync(0xffffffff, x, d);
    if (lane >= d) x += left;
  }
  return x;
}

// One block for the whole array.
__global__ void exclusive_scan(int* data, int n) {
  __shared__ int warp_sums[32];
  __shared__ int carry;
  if (threadIdx.x == 0) carry = 0;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int base = 0; base < n; base += blockDim.x) {
    __syncthreads();
    const int i = base + threadIdx.x;
    const int mine = i < n ? data[i] : 0;
    const int inclusive = warp_inclusive_scan(mine);
    if (lane == 31) warp_sums[warp] = inclusive;
    __syncthreads();
    if (warp == 0) {
      const int sum = lane < blockDim.x / 32 ? warp_sums[lane] : 0;
      warp_sums[lane] = warp_inclusive_scan(sum) - sum;
    }
    __syncthreads();
    const int before = carry + warp_sums[warp];
    if (i < n) data[i] = before + inclusive - mine;
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) carry = before + inclusive;
  }
}

template <typename T>
__global__ void scatter(const T* __restrict__ in, T* __restrict__ out, int n, int shift,
                        const int* __restrict__ offsets) {
  __shared__ int warp_counts[kWarps][kDigits];
  for (int i = threadIdx.x; i < kWarps * kDigits; i += blockDim.x) (&warp_counts[0][0])[i] = 0;
  __syncthreads();
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const int warp = threadIdx.x / 32;
  const unsigned below = (1u << (threadIdx.x % 32)) - 1;
  const bool valid = i < n;
  const T x = valid ? in[i] : T{};
  const int digit = valid ? digit_of(x, shift) : 0;

  // The lanes of the warp that have the same digit.
  unsigned peers = __ballot_sync(~0u, valid);
  for (int bit = 0; bit < kBits; ++bit) {
    const unsigned set = __ballot_sync(~0u, digit >> bit & 1);
    peers &= (digit >> bit & 1) ? set : ~set;
  }
  const int rank = __popc(peers & below);
  if (valid && rank == 0) warp_counts[warp][digit] = __popc(peers);
  __syncthreads();
  if (!valid) return;
  int place = offsets[digit * gridDim.x + blockIdx.x] + rank;
  for (int w = 0; w < warp; ++w) place += warp_counts[w][digit];
  out[place] = x;
}

template <typename T>
std::vector<T> sorted(const std::vector<T>& values) {
  const int n = static_cast<int>(values.size());
  const int blocks = (n + kThreads - 1) / kThreads;
  DeviceVector<T> a(values), b(n);
  DeviceVector<int> counts(kDigits * blocks);
  for (int shift = 0; shift < 32; shift += kBits) {
    count_digits<<<blocks, kThreads>>>(a.get(), n, shift, counts.get());
    exclusive_scan<<<1, 512>>>(counts.get(), kDigits * blocks);
    scatter<T><<<blocks, kThreads>>>(a.get(), b.get(), n, shift, counts.get());
    check(cudaGetLastError(), "launch");
    a.swap(b);
  }
  return a.download();
}

}  // namespace radix

template <typename T, typename FromBits>
bool test(const char* name, int n, FromBits from_bits) {
  uint32_t state = 42;
  std::vector<T> values(n);
  for (auto& v : values) v = from_bits(state = state * 1664525u + 1013904223u);
  const auto result = radix::sorted(values);
  std::sort(values.begin(), values.end());
  const bool same = result == values;
  std::printf("%s %d: %s\n", name, n, same ? "ok" : "WRONG");
  return same;
}

int main() try {
  bool ok = true;
  for (int n : {1, 33, 256, 5000}) {
    ok &= test<uint32_t>("uint32", n, [](uint32_t bits) { return bits; });
    ok &= test<int32_t>("int32", n, [](uint32_t bits) { return int32_t(bits >> 20) - 2048; });
    ok &= test<float>("float", n, [](uint32_t bits) { return (int32_t(bits >> 8) - 8000000) / 4096.0f; });
  }
  return ok ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
