// The time that a product should take with some tiles.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "../instructions/device_attributes.cuh"
#include "tuned_tiles.cuh"

struct Gpu {
  int sms;
  int shared_bytes;  // the most that a block may have
  bool bulk_copies;  // has them: sm_90 and later
};
inline Gpu current_gpu() {
  return {multiprocessors(), device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin),
          device_attribute(cudaDevAttrComputeCapabilityMajor) >= 9};
}

// With `share`, blocks share as many tiles as would make up a last, partly filled wave; else none.
// They share all if A is in panels.
inline Partition make_partition(const TunedTiles& tiles, int sms, int M, int N, int K, bool share) {
  const int at_once = sms * tiles.blocks_per_sm;
  const int all = tiles_of(tiles.BM, tiles.BN, M, N);
  const int shared = tiles.in_panels ? all : share ? all % at_once : 0;
  const int slices = std::max(K - 1, 0) / tiles.BK + 1;
  const auto most = std::min<std::int64_t>(at_once, std::int64_t{shared} * slices);
  return {.slices = slices, .shared = shared, .sharers = static_cast<int>(most)};
}

// The microseconds that a product should take: those of its steps or those of its bytes, the
// longer. The first slices must arrive whatever they hold: fewer steps take no less.
inline double expected_us(const TunedTiles& tiles, const Partition& partition, int sms, int M,
                          int N, int K) {
  const TileCosts& costs = tiles.costs;
  const double blocks =
      tiles.in_panels ? tiles.wide_tiles(M, N, K, sms) : tiles_of(tiles.BM, tiles.BN, M, N);
  const double turns = partition.shared > 0 ? blocks / sms : std::ceil(blocks / sms);
  const double first = std::min(turns, 1.0), later = turns - first;
  const bool some_whole = blocks > (tiles.in_panels ? sms : partition.shared);
  const double share_us = some_whole ? costs.share_us : costs.alone_us;
  const double unaligned_us = N % 4 == 0 ? 0.0 : costs.unaligned_us;
  const double sharers = 1.0 * partition.sharers / (sms * tiles.blocks_per_sm);
  constexpr int kFirstSlices = 3;
  const int steps = std::max(K, kFirstSlices * tiles.BK);
  const double steps_us = later * costs.turn_us + share_us * sharers + turns * unaligned_us +
                          steps * (first * costs.first_ns + later * costs.next_ns) / 1000;
  const double bytes = sizeof(float) * (1.0 * M * K + 1.0 * K * N + 1.0 * M * N);
  return costs.start_us + std::max(steps_us, bytes / (1000 * costs.bytes_per_ns));
}
