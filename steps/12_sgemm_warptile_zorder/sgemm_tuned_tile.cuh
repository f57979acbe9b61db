// Matrix product, C = A * B, row-major: as fast as it gets, for one choice of tiles. Included by
// sgemm_tuned.cuh, which chooses.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "float4.cuh"
#include "sgemm_warptile_zorder.cuh"  // for even_bits

// Which part of C is whose: a block's tile is (BM, BN), in slices of BK along K; a warp's (WM, WN);
// a thread's (TM, TN). kWidth floats of B are copied at once; 4 needs N % 4 == 0 and an aligned B.
// kBlocksPerSm blocks share an SM.
template <int kBM, int kBN, int kBK, int kWM, int kWN, int kTM, int kTN, int kWidth_,
          int kBlocksPerSm_>
struct Tiling {
  static constexpr int BM = kBM, BN = kBN, BK = kBK, WM = kWM, WN = kWN, TM = kTM, TN = kTN;
  static constexpr int kWidth = kWidth_;
  static constexpr int kBlocksPerSm = kBlocksPerSm_;
  static constexpr int kBlock = BM / TM * (BN / TN);  // threads

  // In shared memory there are kStages times a slice of A, transposed, and one of B.
  static constexpr int kStages = 3;
  static constexpr int kPad = 4;  // moves rows apart by 4 banks, and keeps them 16-byte aligned
  static constexpr int kPitchA = BM + kPad;
  static constexpr int kStage = BK * (kPitchA + BN);  // floats
  static constexpr int kSharedBytes = kStages * kStage * sizeof(float);
  // The stages are a ring: how many floats it is from one to the next.
  __device__ static constexpr int to_next(int stage) {
    return stage < kStages - 1 ? kStage : -(kStages - 1) * kStage;
  }

  // What a thread copies of each slice. Of A: a float of every kRowsA-th row in every 8th column.
  // Of B: kWidth floats of one row in every kColsB-th column.
  static constexpr int kRowsA = kBlock / 8;
  static constexpr int kColsB = kBlock / BK * kWidth;
  static constexpr int kCopiesA = BM / kRowsA * (BK / 8);
  static constexpr int kCopies = kCopiesA + BN / kColsB;

  // Copies are started three at a time: all at once would fill the queue of the memory unit, which
  // the reads of operands wait in too.
  static constexpr int kAtOnce = 3;
  static constexpr int kCopyEvery = BK / (kCopies / kAtOnce);  // steps of k from three to three

  static_assert(BM % WM == 0 && BN % WN == 0, "warp tiles fill the block tile");
  static_assert(kBlock == (BM / WM) * (BN / WN) * 32, "a warp for each warp tile");
  static_assert((WM / TM) * (WN / TN) == 32 && std::max(WM / TM, WN / TN) == 8,
                "lanes have 2 bits of one direction and 3 of the other");
  static_assert(TM % 4 == 0 && TN % 4 == 0 && BK % 8 == 0, "float4s fill the tiles");
  static_assert(BM % kRowsA == 0 && kBlock % BK == 0 && BN % kColsB == 0, "threads share copies");
  static_assert(kCopies % kAtOnce == 0 && BK % (kCopies / kAtOnce) == 0 && kCopyEvery >= 2,
                "copies are spread over a slice, and end before its last step");
};

// Where the tile with this number lies in C. Tiles are numbered down kGroup rows of tiles, then to
// the right, so that blocks that run together share rows of A and columns of B in the L2 cache.
struct TilePlace {
  int row, col;          // of its first element
  int own_row, own_col;  // and of the first one that no tile before it has
};
template <class Tiles>
__device__ inline TilePlace place_of(int tile, int M, int N) {
  constexpr int kGroup = 8;
  const int tiles_m = (M - 1) / Tiles::BM + 1;
  const int tiles_n = (N - 1) / Tiles::BN + 1;
  const int group = tile / (kGroup * tiles_n);
  const int in_group = tile % (kGroup * tiles_n);
  const int group_rows = min(kGroup, tiles_m - group * kGroup);
  const int own_row = (group * kGroup + in_group % group_rows) * Tiles::BM;
  const int own_col = in_group / group_rows * Tiles::BN;
  // A tile that would stick out of C is moved inside: then no copy needs a test.
  return {min(own_row, M - Tiles::BM), min(own_col, N - Tiles::BN), own_row, own_col};
}

// Who does what. The slices of the first `shared` tiles, one tile after the other, are dealt to the
// first `sharers` blocks in equal shares; each further tile has a block of its own. A share may
// begin and end inside a tile: then the block puts what it has of it aside, in one of its two
// places.
struct Schedule {
  int shared, sharers;
  int slices;  // of a tile

  __host__ __device__ std::int64_t shared_slices() const { return std::int64_t{shared} * slices; }
  __host__ __device__ std::int64_t share_begin(int sharer) const {
    return sharer * shared_slices() / sharers;
  }
  // Which share has this one of the shared slices.
  __host__ __device__ int sharer_of(std::int64_t slice) const {
    return static_cast<int>(((slice + 1) * sharers - 1) / shared_slices());
  }
};

// [sgemm_tuned]
// C = A * B, row-major, where C has at least one tile. `aside`: see Schedule; 2 * sharers tiles of
// (BM, BN). `one` is 1, which the compiler must not know: see the end.
template <class Tiles>
__global__ void __launch_bounds__(Tiles::kBlock, Tiles::kBlocksPerSm) sgemm_tuned_kernel(  //
    const float* A, const float* B, float* C, int M, int N, int K, Schedule schedule, float* aside,
    float one) {
  constexpr int BM = Tiles::BM, BN = Tiles::BN, BK = Tiles::BK;
  constexpr int WM = Tiles::WM, WN = Tiles::WN, TM = Tiles::TM, TN = Tiles::TN;
  constexpr int kPitchA = Tiles::kPitchA, kStage = Tiles::kStage, kStages = Tiles::kStages;
  extern __shared__ float4 dynamic_shared[];
  float* const As = reinterpret_cast<float*>(dynamic_shared);  // (BK, BM), transposed
  float* const Bs = As + BK * kPitchA;                         // (BK, BN)
  const std::size_t lda = K, ldb = N;                          // 64 bits: offsets pass 2^31

  // This thread's tile is cut into 4x4 parts, kStepM rows and kStepN columns apart, so that
  // neighbouring lanes read neighbouring float4s. The first one is at (row, col).
  constexpr int kStepM = WM / (TM / 4);
  constexpr int kStepN = WN / (TN / 4);
  constexpr bool kTall = WM / TM > WN / TN;  // 8 x 4 lanes, not 4 x 8
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int lane_row = even_bits(kTall ? lane : lane / 2);
  const int lane_col = even_bits(kTall ? lane / 2 : lane);
  const int row = warp / (BN / WN) * WM + lane_row * 4;
  const int col = warp % (BN / WN) * WN + lane_col * 4;

  // What it copies: see Tiling.
  constexpr int kRowsA = Tiles::kRowsA, kColsB = Tiles::kColsB, kWidth = Tiles::kWidth;
  const int a_row = threadIdx.x / 8;
  const int a_col = threadIdx.x % 8;
  const int b_row = threadIdx.x / (kColsB / kWidth);
  const int b_col = threadIdx.x % (kColsB / kWidth) * kWidth;
  float* const a_to = As + a_col * kPitchA + a_row;
  float* const b_to = Bs + b_row * BN + b_col;

  // The slices of this block, counted through all tiles.
  const int block = blockIdx.x;
  const bool shares = block < schedule.sharers;
  const int own_tile = schedule.shared + block - schedule.sharers;
  const std::int64_t begin =
      shares ? schedule.share_begin(block) : std::int64_t{own_tile} * schedule.slices;
  const std::int64_t end = shares ? schedule.share_begin(block + 1) : begin + schedule.slices;

#pragma unroll 1
  for (std::int64_t at = begin; at < end;) {
    // As many of them as are in one tile.
    const TilePlace place = place_of<Tiles>(static_cast<int>(at / schedule.slices), M, N);
    const int first = static_cast<int>(at % schedule.slices);
    const int count = static_cast<int>(min(std::int64_t{schedule.slices - first}, end - at));
    const int depth = min(count * BK, K - first * BK);
    const float* const A_tile = A + place.row * lda + first * BK;  // (BM, depth)
    const float* const B_tile = B + first * BK * ldb + place.col;  // (depth, BN)

    // Starts the `part`-th three of this thread's copies of the next whole slice.
    const float* a_from[BM / kRowsA];
    for (int i = 0; i < BM / kRowsA; ++i) a_from[i] = A_tile + (a_row + i * kRowsA) * lda + a_col;
    const float* b_from = B_tile + b_row * ldb + b_col;
    float* a_put = a_to;  // in the stage that is copied to
    float* b_put = b_to;
    const auto copy_part = [&](int part) {
#pragma unroll
      for (int i = 0; i < Tiles::kCopies; ++i) {
        if (i / Tiles::kAtOnce != part) continue;
        if (i < Tiles::kCopiesA) {
          const int r = i % (BM / kRowsA);
          const int c = i / (BM / kRowsA) * 8;
          __pipeline_memcpy_async(a_put + c * kPitchA + r * kRowsA, a_from[r] + c, sizeof(float));
        } else {
          const int c = (i - Tiles::kCopiesA) * kColsB;
          __pipeline_memcpy_async(b_put + c, b_from + c, kWidth * sizeof(float));
        }
      }
    };
    // After the last whole slice it is copied again and again, to stages that nobody reads: that
    // is cheaper than to test whether there is anything to copy. The steps are chosen without a
    // branch, so that the whole slice is one piece of code, in which FMAs fill all gaps.
    const int whole = depth / BK;
    int to_copy = whole;
    const auto end_of_copies = [&] {
      __pipeline_commit();
      --to_copy;
      const int a_step = to_copy > 0 ? BK : 0;
      const std::size_t b_step = to_copy > 0 ? BK * ldb : 0;
      for (int i = 0; i < BM / kRowsA; ++i) a_from[i] += a_step;
      b_from += b_step;
    };

    // Two sets of operands: while one is multiplied, the other is on its way from shared memory.
    float a[2][TM], b[2][TN];
    const float* a_at = As + row;  // in the stage that is read
    const float* b_at = Bs + col;
    const auto read = [&](int k, int set) {
#pragma unroll
      for (int m = 0; m < TM; m += 4) copy4(&a[set][m], a_at + k * kPitchA + m / 4 * kStepM);
#pragma unroll
      for (int n = 0; n < TN; n += 4) copy4(&b[set][n], b_at + k * BN + n / 4 * kStepN);
    };
    // To the right and back in turn, so that at each turn one operand stays.
    float sum[TM][TN] = {};
    const auto multiply = [&](int set) {
#pragma unroll
      for (int m = 0; m < TM; ++m) {
#pragma unroll
        for (int i = 0; i < TN; ++i) {
          const int n = m % 2 == 0 ? i : TN - 1 - i;
          sum[m][n] += a[set][m] * b[set][n];
        }
      }
    };

    // One stage is read, and the one before it is copied to. The first operands of a slice are read
    // at the end of the slice before.
    int reading = 0;
    int writing = kStages - 1;
    const auto next_stages = [&] {
      a_at += Tiles::to_next(reading);
      b_at += Tiles::to_next(reading);
      a_put += Tiles::to_next(writing);
      b_put += Tiles::to_next(writing);
      writing = reading;
      reading = reading < kStages - 1 ? reading + 1 : 0;
    };
    if (whole > 0) {
#pragma unroll 1
      for (int stage = 0; stage < kStages - 1; ++stage) {
#pragma unroll
        for (int k = 0; k < BK; k += Tiles::kCopyEvery) copy_part(k / Tiles::kCopyEvery);
        end_of_copies();
        a_put += kStage;
        b_put += kStage;
      }
      __pipeline_wait_prior(kStages - 2);
      __syncthreads();
      read(0, 0);
    }
#pragma unroll 1
    for (int slice = 0; slice < whole; ++slice) {
#pragma unroll
      for (int k = 0; k < BK; ++k) {
        if (k < BK - 1) {
          read(k + 1, (k + 1) % 2);
        } else {
          next_stages();
          __pipeline_wait_prior(kStages - 2);  // this thread's copies into the one have arrived,
          __syncthreads();                     // everybody's have, and the other is free
          read(0, 0);
        }
        if (k % Tiles::kCopyEvery == 0) copy_part(k / Tiles::kCopyEvery);
        if (k == BK - 2) end_of_copies();
        multiply(k % 2);
      }
    }
    __pipeline_wait_prior(0);
    __syncthreads();  // all stages are free

    // What is left of K, less than a slice.
    const int rest = depth - whole * BK;
    if (rest > 0) {
#pragma unroll 1
      for (int i = threadIdx.x; i < BM * BK; i += Tiles::kBlock) {
        const int r = i / BK, c = i % BK;
        if (c < rest) As[c * kPitchA + r] = A_tile[r * lda + whole * BK + c];
      }
#pragma unroll 1
      for (int i = threadIdx.x; i < rest * BN; i += Tiles::kBlock) {
        const int r = i / BN, c = i % BN;
        Bs[r * BN + c] = B_tile[(whole * BK + r) * ldb + c];
      }
      __syncthreads();
      a_at = As + row;
      b_at = Bs + col;
#pragma unroll 1
      for (int k = 0; k < rest; ++k) {
        read(k, 0);
        multiply(0);
      }
      __syncthreads();  // before the copies of the next tile
    }

    // A whole tile goes to C, less what an earlier tile has; a part of one is put aside.
    float* to = C + place.row * ldb + place.col;
    std::size_t pitch = N;
    int skipped_rows = place.own_row - place.row;
    int skipped_cols = place.own_col - place.col;
    if (count < schedule.slices) {
      to = aside + (2 * block + (at == begin ? 0 : 1)) * std::size_t{BM * BN};
      pitch = BN;
      skipped_rows = skipped_cols = 0;
    }
    // The product by one lets the sums be in other registers than a 128-bit store needs them in: in
    // ones of the other bank than the operands, so that an FMA gets all three at once.
#pragma unroll
    for (int m = 0; m < TM; ++m) {
#pragma unroll
      for (int n = 0; n < TN; ++n) sum[m][n] *= one;
    }
    const bool plain = skipped_rows == 0 && skipped_cols == 0 && pitch % 4 == 0 &&
                       reinterpret_cast<std::uintptr_t>(to) % sizeof(float4) == 0;
#pragma unroll
    for (int m = 0; m < TM; ++m) {
      const int r = row + m / 4 * kStepM + m % 4;
#pragma unroll
      for (int n = 0; n < TN; n += 4) {
        const int c = col + n / 4 * kStepN;
        float* const p = to + r * pitch + c;
        const float* const v = &sum[m][n];
        if (plain) {
          __stwb(reinterpret_cast<float4*>(p), make_float4(v[0], v[1], v[2], v[3]));
        } else if (r >= skipped_rows) {
          for (int i = 0; i < 4; ++i) {
            if (c + i >= skipped_cols) p[i] = v[i];
          }
        }
      }
    }
    at += count;
  }
}

// Adds up what was put aside of tile blockIdx.y, element by element and always in the same order.
// An element has blockDim.y threads, which take turns at its parts: one alone would wait long for
// many.
template <class Tiles>
__global__ void __launch_bounds__(kThreads)
    add_shares_kernel(const float* aside, float* C, int M, int N, Schedule schedule) {
  constexpr int BM = Tiles::BM, BN = Tiles::BN;
  const int tile = blockIdx.y;
  const std::int64_t begin = std::int64_t{tile} * schedule.slices;
  const int first = schedule.sharer_of(begin);
  const int last = schedule.sharer_of(begin + schedule.slices - 1);
  if (first == last) return;  // nobody put anything aside
  const int i = blockIdx.x * blockDim.x + threadIdx.x;

  float sum = 0.0f;
#pragma unroll 16
  for (int sharer = first + threadIdx.y; sharer <= last; sharer += blockDim.y) {
    // The first one may have begun with another tile; for the others this one is their first.
    const int second = sharer == first && schedule.share_begin(first) < begin ? 1 : 0;
    sum += aside[(2 * sharer + second) * std::size_t{BM * BN} + i];
  }
  if (blockDim.y > 1) {
    __shared__ float sums[kThreads];
    sums[threadIdx.y * blockDim.x + threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y > 0) return;
    for (unsigned y = 1; y < blockDim.y; ++y) sum += sums[y * blockDim.x + threadIdx.x];
  }

  const TilePlace place = place_of<Tiles>(tile, M, N);
  const int row = place.row + i / BN;
  const int col = place.col + i % BN;
  if (row >= place.own_row && col >= place.own_col) C[row * std::size_t(N) + col] = sum;
}

// The launch for one choice of tiles; C has at least one. `share`: where the tiles don't fill all
// SMs to the end, the last ones are cut, so that every SM has as much to do.
template <class Tiles>
void launch_sgemm_tuned(const float* A, const float* B, float* C, int M, int N, int K, bool share,
                        cudaStream_t stream) {
  constexpr int BM = Tiles::BM, BN = Tiles::BN;
  int device = 0;
  int sms = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);

  const int tiles = ((M - 1) / BM + 1) * ((N - 1) / BN + 1);
  const int at_once = sms * Tiles::kBlocksPerSm;
  Schedule schedule{.shared = 0, .sharers = 0, .slices = std::max(K - 1, 0) / Tiles::BK + 1};
  float* aside = nullptr;
  if (share && tiles % at_once != 0) {
    schedule.shared = tiles % at_once;
    schedule.sharers = static_cast<int>(std::min<std::int64_t>(at_once, schedule.shared_slices()));
    const std::size_t bytes = 2 * std::size_t(schedule.sharers) * BM * BN * sizeof(float);
    if (cudaMallocAsync(reinterpret_cast<void**>(&aside), bytes, stream) != cudaSuccess) return;
  }
  const auto kernel = sgemm_tuned_kernel<Tiles>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Tiles::kSharedBytes);
  const unsigned blocks = tiles - schedule.shared + schedule.sharers;
  kernel<<<blocks, Tiles::kBlock, Tiles::kSharedBytes, stream>>>(A, B, C, M, N, K, schedule, aside,
                                                                 1.0f);
  if (aside != nullptr) {
    static_assert(BM * BN % kThreads == 0, "blocks fill the tile");
    constexpr int kManyParts = 16;  // of a tile
    const unsigned threads_an_element = schedule.sharers >= kManyParts * schedule.shared ? 4 : 1;
    const dim3 block(kThreads / threads_an_element, threads_an_element);
    const dim3 grid(BM * BN / block.x, schedule.shared);
    add_shares_kernel<Tiles><<<grid, block, 0, stream>>>(aside, C, M, N, schedule);
    cudaFreeAsync(aside, stream);
  }
}
// [sgemm_tuned]
