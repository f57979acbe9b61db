// A block copies the inputs of its outputs, and a slice of the taps, to shared memory with all
// loads under way at once. From there on it reads shared memory only, however long the kernel is.
#include <cuda_runtime.h>

constexpr int kBlockSize = 256;                      // threads in a block
constexpr int kPack = 4;                             // floats in a 128-bit access
constexpr int kGroups = 3;                           // packs of outputs per thread
constexpr int kTilePacks = kGroups * kBlockSize;     // packs of outputs per block
constexpr int kTile = kTilePacks * kPack;            // outputs
constexpr int kTapPacks = 128;                       // packs of taps in shared memory at a time
constexpr int kTaps = kTapPacks * kPack;             // taps
constexpr int kInputPacks = kTilePacks + kTapPacks;  // inputs that so many outputs and taps need
constexpr int kLoads = (kInputPacks - 1) / kBlockSize + 1;  // of them, by each thread
static_assert(kTapPacks <= kBlockSize, "a thread copies one pack of taps");

// Pack i of `from`, with zeros behind the end: read, but multiplied with nothing that counts.
__device__ float4 load_pack(const float* from, unsigned i, unsigned size) {
  const unsigned first = i * kPack;
  if (first + kPack <= size) return reinterpret_cast<const float4*>(from)[i];
  float4 pack = {};
  if (first < size) pack.x = from[first];
  if (first + 1 < size) pack.y = from[first + 1];
  if (first + 2 < size) pack.z = from[first + 2];
  return pack;
}

__global__ void convolution_kernel(const float* input, const float* kernel, float* output,
                                   unsigned input_size, unsigned kernel_size) {
  __shared__ float4 shared_input[kInputPacks];
  __shared__ float4 shared_taps[kTapPacks];
  const unsigned output_size = input_size - kernel_size + 1;
  const unsigned tile = blockIdx.x * kTile;

  float sum[kGroups][kPack] = {};
  for (unsigned slice = 0; slice < kernel_size; slice += kTaps) {
    const unsigned taps = min(kTaps, kernel_size - slice);
    const unsigned tap_packs = (taps - 1) / kPack + 1;
    float4 pack[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      const unsigned i = threadIdx.x + k * kBlockSize;
      const unsigned start = tile + slice;
      if (i < kTilePacks + tap_packs) pack[k] = load_pack(input + start, i, input_size - start);
    }
    __syncthreads();  // nobody needs the slice before this one any more
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      const unsigned i = threadIdx.x + k * kBlockSize;
      if (i < kTilePacks + tap_packs) shared_input[i] = pack[k];
    }
    if (threadIdx.x < tap_packs) {
      shared_taps[threadIdx.x] = load_pack(kernel + slice, threadIdx.x, taps);
    }
    __syncthreads();

    float4 low[kGroups];
#pragma unroll
    for (int g = 0; g < kGroups; ++g) low[g] = shared_input[threadIdx.x + g * kBlockSize];
    for (unsigned p = 0; p < tap_packs; ++p) {
      const float4 four = shared_taps[p];
      const float weight[kPack] = {four.x, four.y, four.z, four.w};
      const int left = taps - p * kPack;
#pragma unroll
      for (int g = 0; g < kGroups; ++g) {
        const float4 high = shared_input[threadIdx.x + g * kBlockSize + p + 1];
        const float window[] = {low[g].x, low[g].y, low[g].z, low[g].w,
                                high.x,   high.y,   high.z,   high.w};
#pragma unroll
        for (int t = 0; t < kPack; ++t) {
          if (t >= left) break;  // zero times infinity is not a number
#pragma unroll
          for (int o = 0; o < kPack; ++o) sum[g][o] += window[o + t] * weight[t];
        }
        low[g] = high;
      }
    }
  }

#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const unsigned first = tile + (threadIdx.x + g * kBlockSize) * kPack;
    if (first + kPack <= output_size) {
      *reinterpret_cast<float4*>(output + first) =
          make_float4(sum[g][0], sum[g][1], sum[g][2], sum[g][3]);
    } else {
#pragma unroll
      for (unsigned o = 0; o < kPack; ++o) {
        if (first + o < output_size) output[first + o] = sum[g][o];
      }
    }
  }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size,
                      int kernel_size) {
  const int output_size = input_size - kernel_size + 1;
  const int blocks = (output_size - 1) / kTile + 1;
  convolution_kernel<<<blocks, kBlockSize>>>(input, kernel, output, input_size, kernel_size);
}
