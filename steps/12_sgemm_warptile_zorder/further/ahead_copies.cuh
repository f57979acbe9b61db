// Bulk copies that go on to what the block multiplies next.
#pragma once

#include "bulk_copies.cuh"

template <class Tile>
struct AheadCopies : BulkCopies<Tile> {
  PartOperands next;  // of the next part; no slices, if that starts its copies itself
  bool started;       // the first slices are on their way
  __device__ void start(int slice) const {
    if (!kHasBulkCopy) return PanelCopies<Tile>::start(slice);
    if (this->warp != (this->before + slice) % (Tile::kBlockSize / 32)) return;
    const bool ahead = slice >= this->operands.slices;
    if (ahead && next.slices == 0) return;
    auto& to = this->stage(slice);
    memory_barrier_wait(&to.free, 1 - this->parity(slice));  // passes at once for a new stage
    if (!elect_one()) return;
    PartOperands from = this->operands;
    if (ahead) from = next, slice -= this->operands.slices;
    const unsigned row = from.columns * sizeof(float);  // bytes
    memory_barrier_arrive_expect(&to.arrived, sizeof(to.A) + Tile::BK * row);
    bulk_copy(to.A, from.A + slice * (sizeof(to.A) / 4), sizeof(to.A), &to.arrived);
    const float* b = from.B + slice * Tile::BK * from.ldb;
    for (int k = slice * Tile::BK; auto& to_row : to.B) {
      bulk_copy(to_row, k++ < from.depth ? b : from.zeros, row, &to.arrived), b += from.ldb;
    }
  }
};
