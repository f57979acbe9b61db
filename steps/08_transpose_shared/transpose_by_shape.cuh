// The fast transpose: tiles whose output is cut at the sectors of memory, and tiles of other shapes
// for a matrix that is long and thin.
//
// Where rows do not start on sectors, a tile cut at fixed rows leaves two sectors of each of its
// output rows half written. The memory writes sectors: somebody has to fetch the other half first.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "transpose_tile_vectorized.cuh"

constexpr int kWarpSize = 32;
constexpr int kSectorFloats = 8;  // 32 bytes
constexpr int kCutRows = 128;     // of the input in a tile; a segment of each output row
constexpr int kCutCols = 128;
constexpr int kCutWarps = 8;
constexpr int kCutThreads = kCutWarps * kWarpSize;
constexpr int kCutPitch = kCutCols + 1;  // one word of padding a row
// A segment starts up to kSectorFloats - 1 rows before its tile, on a sector: kSectorFloats more
// rows are loaded, `early`. Or none, where all rows of the output start on sectors.
constexpr int cut_shared_bytes(int early) { return sizeof(float) * (early + kCutRows) * kCutPitch; }
// Percent of an SM's memory that is to be shared memory: on an H200, for two blocks. The rest is L1
// cache, where all loads that are under way need room: at 85 %, 8192 x 8192 takes 5 % longer there.
constexpr int kCutSharedPercent = 75;

inline bool starts_on_sector(const float* p) {
  return reinterpret_cast<std::uintptr_t>(p) % (kSectorFloats * sizeof(float)) == 0;
}

inline unsigned current_device_attribute(cudaDeviceAttr attribute) {
  int device = 0;
  int value = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&value, attribute, device);
  return static_cast<unsigned>(value);
}

// A load for which the L2 cache fetches a whole line of 128 bytes from memory, or two: a tile ends
// inside a line, and the tile beside it will soon want the rest.
template <int kLines>
__device__ float load_lines(const float* from) {
  static_assert(kLines == 1 || kLines == 2);
#ifdef __CUDA_ARCH__
  float value;
  if constexpr (kLines == 1) {
    asm volatile("ld.global.L2::128B.f32 %0, [%1];" : "=f"(value) : "l"(from));
  } else {
    asm volatile("ld.global.L2::256B.f32 %0, [%1];" : "=f"(value) : "l"(from));
  }
  return value;
#else
  return *from;
#endif
}

// [transpose]
// Loads the rows of a tile, and the kEarly before them, into `tile` in shared memory. kInside: all
// of them are rows of the matrix, and there is nothing to ask.
template <int kRows, int kEarly, bool kInside>
__device__ void load_cut_tile(const float* in, std::ptrdiff_t rows, std::ptrdiff_t cols,
                              std::ptrdiff_t first_row, std::ptrdiff_t first_col, float* tile) {
  constexpr int kRounds = (kEarly + kRows) / kCutWarps;
  constexpr int kAcross = kCutCols / kWarpSize;
  static_assert(kRounds * kCutWarps == kEarly + kRows, "warps share the rows");
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  float value[kRounds][kAcross] = {};  // all on their way before the first is needed
  const float* from = in + (first_row - kEarly + warp) * cols + first_col + lane;
#pragma unroll
  for (int round = 0; round < kRounds; ++round, from += kCutWarps * cols) {
    const std::ptrdiff_t row = first_row - kEarly + warp + round * kCutWarps;
#pragma unroll
    for (int i = 0; i < kAcross; ++i) {
      const std::ptrdiff_t col = first_col + lane + i * kWarpSize;
      if (kInside || (row >= 0 && row < rows && col < cols)) {
        const float* const at = from + i * kWarpSize;
        value[round][i] = i == kAcross - 1 ? load_lines<2>(at) : load_lines<1>(at);
      }
    }
  }
  float* const to = tile + warp * kCutPitch + lane;
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
#pragma unroll
    for (int i = 0; i < kAcross; ++i) {
      to[round * kCutWarps * kCutPitch + i * kWarpSize] = value[round][i];
    }
  }
}

// Stores the tile's segment of each output row.
template <int kRows, int kEarly, bool kInside>
__device__ void store_cut_tile(float* out, std::ptrdiff_t rows, std::ptrdiff_t cols,
                               std::ptrdiff_t first_row, std::ptrdiff_t first_col,
                               const float* tile) {
  static_assert(kCutWarps % kSectorFloats == 0, "a warp's output rows lie alike in sectors");
  static_assert(kCutCols % kCutWarps == 0, "warps share the output rows");
  static_assert((kRows & (kRows - 1)) == 0, "y & (kRows - 1) is a row");
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  // How far into a sector the output row would be at the tile's first row: so much earlier does its
  // segment start.
  const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(out) / sizeof(float);
  const int shift = (start + (first_col + warp) * rows) % kSectorFloats;
  const float* from = tile + (kEarly - shift) * kCutPitch + warp;
  float* to = out + (first_col + warp) * rows + first_row - shift;
#pragma unroll 4
  for (int x = 0; x < kCutCols; x += kCutWarps, from += kCutWarps, to += kCutWarps * rows) {
    if constexpr (kInside) {
      // A warp's stores start on lines. The first one takes what of the segment lies before its
      // first line, and what lies behind its last one.
      const int in_line = reinterpret_cast<std::uintptr_t>(to) / sizeof(float) % kWarpSize;
      const int y = lane - in_line;
      const int around = y & (kRows - 1);
      to[around] = from[around * kCutPitch];
#pragma unroll
      for (int i = kWarpSize; i < kRows; i += kWarpSize) to[y + i] = from[(y + i) * kCutPitch];
    } else {
      const bool last = first_row + kRows >= rows;  // its segments go on to the end
      const std::ptrdiff_t end = last ? rows : first_row - shift + kRows;
#pragma unroll
      for (int i = 0; i < kRows + kEarly; i += kWarpSize) {
        const int y = lane + i;
        const std::ptrdiff_t row = first_row - shift + y;
        const bool mine = row >= 0 && row < end && first_col + warp + x < cols;
        if (mine) to[y] = from[y * kCutPitch];
      }
    }
  }
}

template <int kRows, int kEarly>
__device__ void transpose_cut_tile(const float* in, float* out, std::ptrdiff_t rows,
                                   std::ptrdiff_t cols, std::ptrdiff_t first_row,
                                   std::ptrdiff_t first_col, float* tile) {
  const bool longer = kEarly > 0 && first_row + kRows >= rows;  // segments than kRows
  const bool inside =
      first_row >= kEarly && first_row + kRows <= rows && !longer && first_col + kCutCols <= cols;
  if (inside) {
    load_cut_tile<kRows, kEarly, true>(in, rows, cols, first_row, first_col, tile);
    __syncthreads();
    store_cut_tile<kRows, kEarly, true>(out, rows, cols, first_row, first_col, tile);
  } else if (first_row < rows) {  // not the half of a tile that has less
    load_cut_tile<kRows, kEarly, false>(in, rows, cols, first_row, first_col, tile);
    __syncthreads();
    store_cut_tile<kRows, kEarly, false>(out, rows, cols, first_row, first_col, tile);
  }
}

// Blocks go down the input first: what those that run at the same time write is one dense stretch
// of the output. Of the first `halved` tiles and of the last ones, a block has half: at the
// beginning all blocks read and nobody writes, at the end it is the other way round, and both
// should be short.
template <int kEarly>
__global__ void __launch_bounds__(kCutThreads, 2)
    transpose_cut_kernel(const float* in, float* out, std::size_t rows, std::size_t cols,
                         unsigned tiles_down, unsigned halved) {
  extern __shared__ float tile[];  // (kEarly + kCutRows, kCutPitch)
  constexpr int kHalf = kCutRows / 2;
  const unsigned whole_tiles = gridDim.x - 4 * halved;
  const unsigned behind_halves = max(blockIdx.x, 2 * halved) - 2 * halved;
  const bool whole = blockIdx.x >= 2 * halved && behind_halves < whole_tiles;
  const unsigned half = blockIdx.x + min(behind_halves, whole_tiles);  // the block's first
  const auto first_row = static_cast<std::ptrdiff_t>(half % (2 * tiles_down)) * kHalf;
  const auto first_col = static_cast<std::ptrdiff_t>(half / (2 * tiles_down)) * kCutCols;
  const auto m = static_cast<std::ptrdiff_t>(rows);
  const auto n = static_cast<std::ptrdiff_t>(cols);
  if (whole) {
    transpose_cut_tile<kCutRows, kEarly>(in, out, m, n, first_row, first_col, tile);
  } else {
    transpose_cut_tile<kHalf, kEarly>(in, out, m, n, first_row, first_col, tile);
  }
}

// Of small matrices, what is read is the first to leave the L2 cache: so it makes room for what is
// written, all of which the cache can hold. In longer launches that costs more than it gains.
template <bool kSmall>
__device__ float4 load_once(const float* from) {
  const auto four = reinterpret_cast<const float4*>(from);
  return kSmall ? __ldcs(four) : __ldcg(four);
}

// Whether both matrices fit into half of the L2 cache.
inline bool are_small(std::size_t rows, std::size_t cols) {
  const unsigned l2_bytes = current_device_attribute(cudaDevAttrL2CacheSize);
  return 2 * sizeof(float) * rows * cols <= l2_bytes / 2;
}

constexpr int kFlatRows = 32;  // of the input in a tile: all that there are
constexpr int kFlatCols = 128;
constexpr int kFlatWarps = 8;

// Few rows: a warp asks for 128 columns of a row at once, in packs of four, and what the block
// writes is one stretch. Packs change places by a rule of their row, so that those above each other
// lie in different banks.
template <bool kSmall>
__global__ void __launch_bounds__(kFlatWarps* kWarpSize)
    transpose_flat_kernel(const float* in, float* out, std::size_t rows, std::size_t cols) {
  constexpr int kPackFloats = 4;
  constexpr int kPacksDown = kFlatRows / kPackFloats;
  constexpr int kRounds = kFlatRows / kFlatWarps;
  static_assert(kFlatCols == kWarpSize * kPackFloats, "a pack of each row for each lane");
  static_assert(kFlatCols / (kFlatWarps * kWarpSize / kPacksDown) == kRounds, "as many packs out");
  __shared__ float4 tile[kFlatRows][kWarpSize];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const std::size_t first_col = std::size_t{blockIdx.x} * kFlatCols;

  float4 packs[kRounds] = {};
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    const std::size_t row = warp + round * kFlatWarps;
    const std::size_t col = first_col + lane * kPackFloats;
    if (row < rows && col < cols) {
      packs[round] = load_once<kSmall>(in + row * cols + col);
    }
  }
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    const int y = warp + round * kFlatWarps;
    tile[y][lane ^ (y / kPackFloats)] = packs[round];
  }
  __syncthreads();
  const int pack_down = threadIdx.x % kPacksDown;  // rows 4 * pack_down to 4 * pack_down + 3
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    const int x = (threadIdx.x + round * kFlatWarps * kWarpSize) / kPacksDown;
    const auto at = [&](int i) {
      const float4& pack = tile[pack_down * kPackFloats + i][x / kPackFloats ^ pack_down];
      return reinterpret_cast<const float*>(&pack)[x % kPackFloats];
    };
    const std::size_t row = pack_down * kPackFloats;
    const std::size_t col = first_col + x;
    if (row < rows && col < cols) {
      __stcg(reinterpret_cast<float4*>(out + col * rows + row),
             make_float4(at(0), at(1), at(2), at(3)));
    }
  }
}

constexpr int kThinSide = 32;  // of a warp's tile
constexpr int kThinWarps = 2;  // warps of a block

// Few columns: a warp a tile, in packs of four, as in transpose_tile_vectorized: no thread waits
// for another warp. Each element is used once, so the SM's own cache is passed by, or left first.
template <bool kSmall>
__global__ void __launch_bounds__(kThinWarps* kWarpSize)
    transpose_thin_kernel(const float* in, float* out, std::size_t rows, std::size_t cols,
                          unsigned tiles_across, unsigned tiles) {
  constexpr int kPackFloats = 4;
  constexpr int kLanesAcross = kThinSide / kPackFloats;
  constexpr int kRowsAtOnce = kWarpSize / kLanesAcross;
  constexpr int kRounds = kThinSide / kRowsAtOnce;
  __shared__ float tile_of_warp[kThinWarps][kThinSide][kThinSide + 1];
  float(&tile)[kThinSide][kThinSide + 1] = tile_of_warp[threadIdx.x / kWarpSize];
  const unsigned index = blockIdx.x * kThinWarps + threadIdx.x / kWarpSize;
  if (index >= tiles) return;  // the whole warp
  const std::size_t first_row = std::size_t{index / tiles_across} * kThinSide;
  const std::size_t first_col = std::size_t{index % tiles_across} * kThinSide;
  const int across = threadIdx.x % kLanesAcross * kPackFloats;
  const int down = threadIdx.x % kWarpSize / kLanesAcross;
  const bool inside = first_row + kThinSide <= rows && first_col + kThinSide <= cols;

  float4 packs[kRounds] = {};
  const auto load = [&](bool guarded) {
#pragma unroll
    for (int round = 0; round < kRounds; ++round) {
      const std::size_t row = first_row + down + round * kRowsAtOnce;
      const std::size_t col = first_col + across;
      if (!guarded || (row < rows && col < cols)) {
        packs[round] = load_once<kSmall>(in + row * cols + col);
      }
    }
  };
  // All loads without a test between them, where none is needed.
  if (inside) {
    load(false);
  } else {
    load(true);
  }
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    float* const to = &tile[down + round * kRowsAtOnce][across];
    to[0] = packs[round].x;
    to[1] = packs[round].y;
    to[2] = packs[round].z;
    to[3] = packs[round].w;
  }
  __syncwarp();
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    const int x = down + round * kRowsAtOnce;
    const std::size_t row = first_row + across;
    const std::size_t col = first_col + x;
    const float4 pack =
        make_float4(tile[across][x], tile[across + 1][x], tile[across + 2][x], tile[across + 3][x]);
    if (inside || (row < rows && col < cols)) {
      __stcg(reinterpret_cast<float4*>(out + col * rows + row), pack);
    }
  }
}

inline unsigned multiprocessors() {
  return current_device_attribute(cudaDevAttrMultiProcessorCount);
}

inline void transpose(const float* in, float* out, std::size_t rows, std::size_t cols,
                      cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const auto tiles_along = [](std::size_t length, int tile) {
    return static_cast<unsigned>((length + tile - 1) / tile);
  };
  if (rows < kCutRows || cols < kCutCols) {
    if (!rows_are_aligned(in, cols) || !rows_are_aligned(out, rows)) {
      return transpose_tile_vectorized(in, out, rows, cols, stream);
    }
    const bool small = are_small(rows, cols);
    if (rows <= kFlatRows && cols >= kFlatCols) {
      const auto kernel = small ? transpose_flat_kernel<true> : transpose_flat_kernel<false>;
      kernel<<<tiles_along(cols, kFlatCols), kFlatWarps * kWarpSize, 0, stream>>>(in, out, rows,
                                                                                  cols);
      return;
    }
    const unsigned tiles_across = tiles_along(cols, kThinSide);
    const unsigned tiles = tiles_across * tiles_along(rows, kThinSide);
    const auto kernel = small ? transpose_thin_kernel<true> : transpose_thin_kernel<false>;
    kernel<<<tiles_along(tiles, kThinWarps), kThinWarps * kWarpSize, 0, stream>>>(
        in, out, rows, cols, tiles_across, tiles);
    return;
  }
  const bool on_sectors = starts_on_sector(out) && rows % kSectorFloats == 0;
  const int early = on_sectors ? 0 : kSectorFloats;
  const auto kernel = on_sectors ? transpose_cut_kernel<0> : transpose_cut_kernel<kSectorFloats>;
  const int shared_bytes = cut_shared_bytes(early);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, kCutSharedPercent);
  const unsigned tiles_down = tiles_along(rows, kCutRows);
  const unsigned tiles = tiles_down * tiles_along(cols, kCutCols);
  const unsigned halved = std::min(multiprocessors(), tiles) / 2;
  kernel<<<tiles + 2 * halved, kCutThreads, shared_bytes, stream>>>(in, out, rows, cols, tiles_down,
                                                                    halved);
}
// [transpose]
