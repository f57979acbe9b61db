// Prefix sums in one pass: each block waits for what the blocks before it have published. Blocks
// take their places by a ticket, so that those before them have begun.
#include <cstdint>
#include <cstdio>
#include <vector>

static constexpr int kBlock = 128;
static constexpr int kItems = 4;
static constexpr int kTile = kBlock * kItems;

enum Status : uint32_t { kNothing = 0, kAggregate = 1, kPrefix = 2 };

// Status and value in one word, which is read and written whole.
using Descriptor = unsigned long long;
__host__ __device__ constexpr Descriptor pack(Status status, uint32_t value) {
  return (static_cast<Descriptor>(status) << 32) | value;
}

__device__ unsigned int ticket;

__global__ void scan(const uint32_t* in, uint32_t* out, Descriptor* descriptors, int n) {
  __shared__ unsigned int tile;
  __shared__ uint32_t sums[kBlock / 32];
  __shared__ uint32_t before_tile;
  if (threadIdx.x == 0) tile = atomicAdd(&ticket, 1);
  __syncthreads();
  const int begin = tile * kTile + threadIdx.x * kItems;

  uint32_t items[kItems], sum = 0;
#pragma unroll
  for (int i = 0; i < kItems; ++i) sum += items[i] = begin + i < n ? in[begin + i] : 0;

  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  uint32_t inclusive = sum;
  for (int d = 1; d < 32; d <<= 1) {
    const uint32_t other = __shfl_up_sync(0xffffffffu, inclusive, d);
    if (lane >= d) inclusive += other;
  }
  if (lane == 31) sums[warp] = inclusive;
  __syncthreads();
  uint32_t before_warp = 0, total = 0;
  for (int w = 0; w < kBlock / 32; ++w) {
    if (w < warp) before_warp += sums[w];
    total += sums[w];
  }

  if (threadIdx.x == 0) {
    uint32_t before = 0;
    if (tile == 0) {
      atomicExch(&descriptors[0], pack(kPrefix, total));
    } else {
      atomicExch(&descriptors[tile], pack(kAggregate, total));
      for (int look = tile - 1;; --look) {
        Descriptor d;
        do d = atomicAdd(&descriptors[look], 0);
        while (d >> 32 == kNothing);
        before += static_cast<uint32_t>(d);
        if (d >> 32 == kPrefix) break;
      }
      atomicExch(&descriptors[tile], pack(kPrefix, before + total));
    }
    before_tile = before;
  }
  __syncthreads();
  uint32_t running = before_tile + before_warp + inclusive - sum;
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    if (begin + i < n) out[begin + i] = running;
    running += items[i];
  }
}

int main() {
  for (int n : {1, kTile, 20000, 65537}) {
    std::vector<uint32_t> in(n), out(n);
    for (int i = 0; i < n; ++i) in[i] = (i * 2654435761u) >> 28;
    const int tiles = (n + kTile - 1) / kTile;
    uint32_t *d_in, *d_out;
    Descriptor* descriptors;
    const unsigned int first = 0;
    cudaMalloc(&d_in, n * sizeof(uint32_t));
    cudaMalloc(&d_out, n * sizeof(uint32_t));
    cudaMalloc(&descriptors, tiles * sizeof(Descriptor));
    cudaMemset(descriptors, 0, tiles * sizeof(Descriptor));
    cudaMemcpyToSymbol(ticket, &first, sizeof first);
    cudaMemcpy(d_in, in.data(), n * sizeof(uint32_t), cudaMemcpyHostToDevice);
    scan<<<tiles, kBlock>>>(d_in, d_out, descriptors, n);
    cudaMemcpy(out.data(), d_out, n * sizeof(uint32_t), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(descriptors);
    uint32_t sum = 0;
    for (int i = 0; i < n; ++i) {
      if (out[i] != sum) {
        std::printf("n = %d: wrong at %d: %u instead of %u\n", n, i, out[i], sum);
        return 1;
      }
      sum += in[i];
    }
  }
  std::puts(cudaGetErrorString(cudaGetLastError()));
}
