#include "cucpu/device/wide_tile.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "cucpu/device/arrival_barrier.h"
#include "cucpu/execution.h"
#include "cucpu/shared.h"
#include "preemption.h"
#include "worker.h"

namespace cucpu {
namespace {

constexpr unsigned kMostWarps = kMaxBlockThreads / warpSize;

// All tiles of one size.
struct Tiles {
  std::array<ArrivalBarrier, kMostWarps> barrier;  // of each tile
  std::array<const void*, kMostWarps> shown;       // by each warp of the block
};

// Those of the block that this worker runs, by the logarithm of their size.
Tiles& tiles_of(unsigned size) {
  thread_local std::array<Tiles, std::bit_width(kMaxBlockThreads)> tiles;
  thread_local std::uint64_t serial = 0;
  if (serial != block_serial()) {
    serial = block_serial();
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    for (unsigned log = 0; log < tiles.size(); ++log) {
      const unsigned count = 1u << log;
      for (unsigned tile = 0; tile < kMostWarps && tile * count < threads; ++tile)
        begin_barrier(tiles[log].barrier[tile], std::min(count, threads - tile * count));
    }
  }
  return tiles[static_cast<unsigned>(std::countr_zero(size))];
}

unsigned first_warp(unsigned size) { return linear_thread() / size * (size / warpSize); }

}  // namespace

void sync_wide_tile(unsigned size, Site site) {
  ArrivalBarrier* barrier = nullptr;
  {
    const InRuntime in_runtime;
    barrier = &tiles_of(size).barrier[linear_thread() / size];
  }
  wait_for_end(*barrier, arrive(*barrier, 1, /*drop=*/false, site), site);
}

void show_in_wide_tile(unsigned size, unsigned slot, const void* value) {
  const InRuntime in_runtime;
  tiles_of(size).shown[first_warp(size) + slot] = value;
}

void copy_from_wide_tile(unsigned size, unsigned slot, void* to, std::size_t bytes) {
  const InRuntime in_runtime;
  std::memcpy(to, tiles_of(size).shown[first_warp(size) + slot], bytes);
}

}  // namespace cucpu
