// Filtering with one atomic per warp instead of one per element: by hand with __activemask, with
// ballots, and with cg::coalesced_threads; and labeled groups of lanes.
#include <cooperative_groups.h>
#include <algorithm>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

__device__ int atomicAggIncByHand(int *counter) {
  unsigned int active = __activemask();
  int leader = __ffs(active) - 1;
  int change = __popc(active);
  unsigned int lane = threadIdx.x % warpSize;
  unsigned int rank = __popc(active & ((1u << lane) - 1));
  int warp_res;
  if (rank == 0) warp_res = atomicAdd(counter, change);
  warp_res = __shfl_sync(active, warp_res, leader);
  return warp_res + rank;
}

__device__ int atomicAggInc(int *ctr) {
  auto g = cg::coalesced_threads();
  int warp_res;
  if (g.thread_rank() == 0) warp_res = atomicAdd(ctr, g.size());
  return g.shfl(warp_res, 0) + g.thread_rank();
}

__global__ void filter_by_hand(int *dst, int *nres, const int *src, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  if (src[i] > 0) dst[atomicAggIncByHand(nres)] = src[i];
}

__global__ void filter_groups(int *dst, int *nres, const int *src, int n) {
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x) {
    if (src[i] <= 0) continue;
    dst[atomicAggInc(nres)] = src[i];
  }
}

__global__ void filter_ballot(int *dst, int *nres, const int *src, int n) {
  const unsigned all = 0xFFFFFFFF;
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  const bool keep = i < n && src[i] > 0;
  const unsigned kept = __ballot_sync(all, keep);
  int base = 0;
  if (threadIdx.x % 32 == 0 && kept != 0) base = atomicAdd(nres, __popc(kept));
  base = __shfl_sync(all, base, 0);
  if (keep) {
    unsigned below;
    below = (1u << (threadIdx.x & 31)) - 1u;
    dst[base + __popc(kept & below)] = src[i];
  }
}

// One atomic for each bucket and warp.
__global__ void buckets(const int *src, int n, int *counts, int modulus) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  int bucket = ((src[i] % modulus) + modulus) % modulus;
  unsigned peers = __match_any_sync(__activemask(), bucket);
  if (threadIdx.x % 32 == __ffs(peers) - 1) atomicAdd(&counts[bucket], __popc(peers));
}

int main() {
  const int n = 10000;
  std::vector<int> src(n), expected;
  unsigned s = 1;
  for (int &x : src) {
    s = s * 1103515245 + 12345;
    x = (int)((s >> 16) % 201) - 100;
    if (x > 0) expected.push_back(x);
  }
  std::sort(expected.begin(), expected.end());

  int *d_src, *d_dst, *d_count;
  cudaMalloc(&d_src, n * sizeof(int));
  cudaMalloc(&d_dst, n * sizeof(int));
  cudaMalloc(&d_count, 10 * sizeof(int));
  cudaMemcpy(d_src, src.data(), n * sizeof(int), cudaMemcpyHostToDevice);

  using Filter = void (*)(int *, int *, const int *, int);
  const Filter filters[] = {filter_by_hand, filter_groups, filter_ballot};
  int wrong = 0;
  for (Filter filter : filters) {
    cudaMemset(d_count, 0, sizeof(int));
    filter<<<(n + 191) / 192, 192>>>(d_dst, d_count, d_src, n);
    int count = -1;
    cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost);
    std::vector<int> kept(std::max(0, std::min(count, n)));
    cudaMemcpy(kept.data(), d_dst, kept.size() * sizeof(int), cudaMemcpyDeviceToHost);
    std::sort(kept.begin(), kept.end());
    printf("%d kept\n", count);
    wrong += kept != expected;
  }

  int counts[10], sum = 0;
  cudaMemset(d_count, 0, sizeof(counts));
  buckets<<<(n + 255) / 256, 256>>>(d_src, n, d_count, 10);
  cudaMemcpy(counts, d_count, sizeof(counts), cudaMemcpyDeviceToHost);
  for (int b = 0; b < 10; b++) {
    wrong += counts[b] != std::count_if(src.begin(), src.end(), [b](int x) { return ((x % 10) + 10) % 10 == b; });
    sum += counts[b];
  }
  wrong += sum != n;
  cudaFree(d_src);
  cudaFree(d_dst);
  cudaFree(d_count);
  printf("%d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
  return wrong;
}
