// One launch, in which every element is read once: a block publishes the sum of its part as soon as
// it knows it, and then looks back at the parts before its own until it meets one whose sum from
// the beginning on is known. Merrill and Garland, "Single-pass parallel prefix scan with decoupled
// look-back", 2016.
#include <cuda_runtime.h>

constexpr int kThreads = 512, kWarp = 32, kWarps = kThreads / kWarp;
constexpr int kPacks = 4;                     // of four elements, per thread
constexpr int kPart = kThreads * kPacks * 4;  // elements of a block
constexpr int kMostParts = (1 << 28) / kPart;

// A part's sum, and how much it covers, share one word: nobody sees one without the other, and no
// fence has to keep them in order.
using State = unsigned long long;
constexpr unsigned kNothing = 0, kSum = 1, kPrefix = 2;  // kPrefix: all parts up to this one

__device__ State state_of(unsigned known, int sum) { return State{known} << 32 | unsigned(sum); }
__device__ unsigned known_of(State state) { return unsigned(state >> 32); }
__device__ int sum_of(State state) { return int(unsigned(state)); }

struct Progress {
  unsigned parts_taken;
  State of_part[kMostParts];
};
__device__ Progress progress;  // all zero before the launch

__device__ int scan_warp(int value) {
  for (int distance = 1; distance < kWarp; distance *= 2) {
    const int left = __shfl_up_sync(0xffffffff, value, distance);
    if (threadIdx.x % kWarp >= distance) value += left;
  }
  return value;
}

__device__ int sum_warp(int value) {
  for (int mask = kWarp / 2; mask > 0; mask /= 2) value += __shfl_xor_sync(0xffffffff, value, mask);
  return value;  // in all lanes
}

// The sum of all parts before this one, by a whole warp: 32 parts at a time, the nearest in lane 0.
__device__ int look_back(int part) {
  const int lane = threadIdx.x % kWarp;
  int sum = 0;
  for (int nearest = part - 1;; nearest -= kWarp) {
    const int other = nearest - lane;
    // Before the first part there is nothing to wait for.
    State state = state_of(other >= 0 ? kNothing : kPrefix, 0);
    do {
      if (known_of(state) == kNothing)
        state = atomicAdd(&progress.of_part[other], 0);  // an atomic read
    } while (__any_sync(0xffffffff, known_of(state) == kNothing));
    const unsigned prefixes = __ballot_sync(0xffffffff, known_of(state) == kPrefix);
    const int last = __ffs(prefixes) - 1;  // the nearest one has all that lies before it
    sum += sum_warp(prefixes == 0 || lane <= last ? sum_of(state) : 0);
    if (prefixes != 0) return sum;
  }
}

// Four elements from i on, with zeros behind the end.
__device__ int4 load(const int* input, int i, int N) {
  if (i + 4 <= N) return *reinterpret_cast<const int4*>(input + i);
  int4 pack = {};
  if (i < N) pack.x = input[i];
  if (i + 1 < N) pack.y = input[i + 1];
  if (i + 2 < N) pack.z = input[i + 2];
  return pack;
}

__device__ void store(int* output, int i, int N, int4 pack) {
  if (i + 4 <= N) {
    *reinterpret_cast<int4*>(output + i) = pack;
    return;
  }
  if (i < N) output[i] = pack.x;
  if (i + 1 < N) output[i + 1] = pack.y;
  if (i + 2 < N) output[i + 2] = pack.z;
}

__global__ void __launch_bounds__(kThreads)
    scan_kernel(const int* __restrict__ input, int* __restrict__ output, int N) {
  __shared__ int own_part, before_block, before_warp[kWarps];
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  // Blocks may start in any order. Those that take an earlier part have started, so that nobody
  // waits for a block that finds no room to run.
  if (threadIdx.x == 0) own_part = int(atomicAdd(&progress.parts_taken, 1));
  __syncthreads();
  const int part = own_part;

  // A warp has a stretch of its own, and reads 32 packs side by side at a time.
  const int first = part * kPart + (warp * kPacks * kWarp + lane) * 4;
  int4 pack[kPacks];
#pragma unroll
  for (int k = 0; k < kPacks; ++k) pack[k] = load(input, first + k * kWarp * 4, N);
  int before[kPacks];  // the sum of the warp's elements before each pack
  int sum = 0;         // of the warp
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int own = pack[k].x + pack[k].y + pack[k].z + pack[k].w;
    const int up_to = scan_warp(own);
    before[k] = sum + up_to - own;
    sum += __shfl_sync(0xffffffff, up_to, kWarp - 1);
  }
  if (lane == 0) before_warp[warp] = sum;
  __syncthreads();

  if (warp == 0) {
    const int own = lane < kWarps ? before_warp[lane] : 0;
    const int up_to = scan_warp(own);
    const int total = __shfl_sync(0xffffffff, up_to, kWarp - 1);
    State* const state = &progress.of_part[part];
    if (lane == 0 && part > 0) atomicExch(state, state_of(kSum, total));
    const int sum_before = look_back(part);
    if (lane == 0) atomicExch(state, state_of(kPrefix, sum_before + total));
    if (lane == 0) before_block = sum_before;
    if (lane < kWarps) before_warp[lane] = up_to - own;
  }
  __syncthreads();

  const int before_all = before_block + before_warp[warp];
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    int4 out;
    out.x = before_all + before[k];
    out.y = out.x + pack[k].x;
    out.z = out.y + pack[k].y;
    out.w = out.z + pack[k].z;
    store(output, first + k * kWarp * 4, N, out);
  }
}

extern "C" void solve(const int* input, int* output, int N) {
  void* begin;
  cudaGetSymbolAddress(&begin, progress);
  cudaMemset(begin, 0, sizeof(Progress));
  scan_kernel<<<(N - 1) / kPart + 1, kThreads>>>(input, output, N);
}
