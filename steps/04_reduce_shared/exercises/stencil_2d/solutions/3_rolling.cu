// A warp walks down the grid and keeps in registers the rows that it still needs: each is loaded
// once, and serves as the one below, the middle one and the one above. A lane has four neighboring
// columns, loaded as one pack, and gets the elements to the left and right of them from its
// neighbor lanes by shuffles. So there is no shared memory, no barrier, and one index per pack
// instead of two divisions per element.
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kWarp = 32, kWarps = 8;  // of a block; they lie side by side
constexpr int kRows = 32;              // that a warp walks over
constexpr float kWeight = 1.0f / 5;

// One lane's part of a row: kPack elements, the first of them in column `col`.
template <int kPack>
struct Part {
  float own[kPack];
  // The neighbor that no lane of the warp owns: left of the first lane's, right of the last lane's.
  float beyond;
};

// Rows before the first one, and from `rows` on, load as zeros: no result uses them.
template <int kPack>
__device__ Part<kPack> load(const float* input, int row, int col, int rows, int cols) {
  Part<kPack> part = {};
  if (row < 0 || row >= rows || col >= cols) return part;
  input += std::size_t(row) * cols;
  if constexpr (kPack == 4) {
    const float4 pack = *reinterpret_cast<const float4*>(input + col);
    part.own[0] = pack.x;
    part.own[1] = pack.y;
    part.own[2] = pack.z;
    part.own[3] = pack.w;
  } else {
    part.own[0] = input[col];
  }
  const int lane = threadIdx.x % kWarp;
  const int beyond = lane == 0 ? col - 1 : col + kPack;
  const bool at_end = lane == 0 || lane == kWarp - 1;
  if (at_end && beyond >= 0 && beyond < cols) part.beyond = input[beyond];
  return part;
}

template <int kPack>
__device__ void store(float* to, const float (&mean)[kPack]) {
  if constexpr (kPack == 4)
    *reinterpret_cast<float4*>(to) = make_float4(mean[0], mean[1], mean[2], mean[3]);
  else
    *to = mean[0];
}

// `cols` is a multiple of kPack, so that a pack is inside the grid or outside, in every row.
template <int kPack>
__global__ void __launch_bounds__(kWarps* kWarp)
    stencil_kernel(const float* __restrict__ input, float* __restrict__ output, int rows,
                   int cols) {
  const int col = (blockIdx.x * kWarps * kWarp + threadIdx.x) * kPack;
  const int lane = threadIdx.x % kWarp;
  if (col - lane * kPack >= cols) return;  // the whole warp: the shuffles need all lanes
  const int first = blockIdx.y * kRows, last = min(first + kRows, rows);
  const int end = min(last + 1, rows);  // of the rows that the warp needs

  Part<kPack> above = load<kPack>(input, first - 1, col, end, cols);
  Part<kPack> here = load<kPack>(input, first, col, end, cols);
  Part<kPack> below = load<kPack>(input, first + 1, col, end, cols);
#pragma unroll 4
  for (int row = first; row < last; ++row) {
    // A row is asked for long before it is needed: meanwhile the one before it is used.
    const Part<kPack> next = load<kPack>(input, row + 2, col, end, cols);
    float left = __shfl_up_sync(0xffffffff, here.own[kPack - 1], 1);
    float right = __shfl_down_sync(0xffffffff, here.own[0], 1);
    if (lane == 0) left = here.beyond;
    if (lane == kWarp - 1) right = here.beyond;
    float mean[kPack];
#pragma unroll
    for (int k = 0; k < kPack; ++k) {
      const float before = k == 0 ? left : here.own[k - 1];
      const float after = k == kPack - 1 ? right : here.own[k + 1];
      const bool inside = row > 0 && row < rows - 1 && col + k > 0 && col + k < cols - 1;
      const float sum = here.own[k] + above.own[k] + below.own[k] + before + after;
      mean[k] = inside ? sum * kWeight : here.own[k];
    }
    if (col < cols) store<kPack>(output + std::size_t(row) * cols + col, mean);
    above = here;
    here = below;
    below = next;
  }
}

template <int kPack>
void launch(const float* input, float* output, int rows, int cols) {
  constexpr int kCols = kWarps * kWarp * kPack;
  const dim3 grid((cols + kCols - 1) / kCols, (rows + kRows - 1) / kRows);
  stencil_kernel<kPack><<<grid, kWarps * kWarp>>>(input, output, rows, cols);
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  // Otherwise most rows do not begin at a multiple of 16 bytes, as a pack has to.
  if (cols % 4 == 0)
    launch<4>(input, output, rows, cols);
  else
    launch<1>(input, output, rows, cols);
}
