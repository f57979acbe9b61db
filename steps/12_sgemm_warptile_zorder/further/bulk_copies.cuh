// Load of a slice with bulk copies, which the warps start in turn; before sm_90, asynchronous ones.
#pragma once

#include "../../instructions/bulk_copy.cuh"
#include "panel_copies.cuh"

template <class Tile>
struct BulkTile : PanelTile<Tile> {
  struct Stage : PanelTile<Tile>::Stage {
    std::uint64_t arrived, free;  // barriers: a slice is here; all warps are done with it
  };
};

template <class Tile>
struct BulkCopies : PanelCopies<Tile> {
  // With bulk copies one more stage stays free: a warp that is one slice behind delays no copy.
  static constexpr int kStages = Tile::kStages, kAhead = kStages - (kHasBulkCopy ? 2 : 1);
  using PanelCopies<Tile>::operands;
  unsigned warp, before;  // this warp's number; slices of the block's earlier tiles
  __device__ auto& stage(int slice) const { return this->stages[(before + slice) % kStages]; }
  __device__ unsigned parity(int slice) const { return (before + slice) / kStages % 2; }
  __device__ void start(int slice) const {
    if (!kHasBulkCopy) return PanelCopies<Tile>::start(slice);
    if (warp != (before + slice) % (Tile::kBlockSize / 32) || slice >= operands.slices) return;
    auto& to = stage(slice);
    memory_barrier_wait(&to.free, 1 - parity(slice));  // passes at once for a new stage
    if (!elect_one()) return;
    const unsigned row = operands.columns * sizeof(float);  // bytes
    memory_barrier_arrive_expect(&to.arrived, sizeof(to.A) + Tile::BK * row);
    bulk_copy(to.A, operands.A + slice * (sizeof(to.A) / 4), sizeof(to.A), &to.arrived);
    const float* b = operands.B + slice * Tile::BK * operands.ldb;
    for (int k = slice * Tile::BK; auto& to_row : to.B) {
      bulk_copy(to_row, k++ < operands.depth ? b : operands.zeros, row, &to.arrived),
          b += operands.ldb;
    }
  }

  // Releases the slice before, which this warp has read, and waits for this one, if there is one.
  __device__ void wait(int slice) const {
    if (!kHasBulkCopy) return PanelCopies<Tile>::wait(slice);
    __syncwarp();
    if (slice > 0 && elect_one()) memory_barrier_arrive(&stage(slice - 1).free);
    if (slice < operands.slices) memory_barrier_wait(&stage(slice).arrived, parity(slice));
  }
};
