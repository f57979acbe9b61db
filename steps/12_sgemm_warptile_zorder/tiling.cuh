// How a matrix product is cut into tiles.
#pragma once

constexpr int kWarpSize = 32;

// A block computes a tile of C, (BM, BN), in slices of BK along K; a warp a part of it, (WM, WN); a
// thread a part of that, (TM, TN), in registers, split into 4x4 parts that are kStepM and kStepN
// apart. kStages slices of A and B fit into shared memory, and kBlocksPerSm blocks on an SM.
template <int kBM, int kBN, int kBK, int kWM, int kWN, int kTM, int kTN, int Stages, int Blocks>
struct Tiling {
  static constexpr int BM = kBM, BN = kBN, BK = kBK, WM = kWM, WN = kWN, TM = kTM, TN = kTN;
  static constexpr int kStages = Stages, kBlocksPerSm = Blocks;
  static constexpr int kStepM = WM / (TM / 4), kStepN = WN / (TN / 4);
  static constexpr int kBlockSize = (BM / WM) * (BN / WN) * kWarpSize;  // a warp for each warp tile
  struct Stage {  // in shared memory: (BK, BM), transposed; the padding is 4 banks; and (BK, BN)
    alignas(16) float A[BK][BM + 4], B[BK][BN];
  };
  static_assert(BM % WM == 0 && BN % WN == 0, "warp tiles fill the block tile");
  static_assert(kWarpSize == (WM / TM) * (WN / TN), "a lane for each thread tile");
  static_assert(TM % 4 == 0 && TN % 4 == 0 && BK % 4 == 0, "float4s fill the tiles");
};
