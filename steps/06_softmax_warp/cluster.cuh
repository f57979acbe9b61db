// Thread block clusters: blocks that run at the same time, close to each other, and can write into
// each other's shared memory. GPUs have them from compute capability 9.0 on.
#pragma once

#include <cooperative_groups.h>
#include <cuda_runtime.h>

constexpr int kMaxClusterBlocks = 8;  // that all of these GPUs allow

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
__device__ inline unsigned cluster_blocks() {
  return cooperative_groups::this_cluster().num_blocks();
}

// Which block of its cluster this one is.
__device__ inline unsigned cluster_rank() {
  return cooperative_groups::this_cluster().block_rank();
}

// The others may write into this block's shared memory from now on. They may not before: a block
// that has not begun yet has none. cluster_group::barrier_arrive() would do, but it also waits
// until others see what was written before; here that is nothing.
__device__ inline void join_cluster() { asm volatile("barrier.cluster.arrive.relaxed;"); }

// After join_cluster(): puts `value` into slots[rank] of every block of the cluster, and waits
// until all of them have done so.
template <class T>
__device__ void tell_cluster(const T& value, T (&slots)[kMaxClusterBlocks]) {
  const auto cluster = cooperative_groups::this_cluster();
  cluster.barrier_wait();  // all blocks have joined
  if (threadIdx.x < cluster_blocks()) {
    *cluster.map_shared_rank(&slots[cluster_rank()], threadIdx.x) = value;
  }
  cluster.sync();
}
#else
// Elsewhere every block is a cluster of its own.
__device__ inline unsigned cluster_blocks() { return 1; }
__device__ inline unsigned cluster_rank() { return 0; }
__device__ inline void join_cluster() {}
template <class T>
__device__ void tell_cluster(const T& value, T (&slots)[kMaxClusterBlocks]) {
  if (threadIdx.x == 0) slots[0] = value;
  __syncthreads();
}
#endif

// The most blocks that a cluster of this kernel may have on the current device.
template <class Kernel>
int max_cluster_blocks(Kernel kernel) {
#ifdef __CUCPU__
  static_cast<void>(kernel);  // the CPU runs a block at a time
  return 1;
#else
  // What was compiled for an older GPU may run on this one, but knows nothing of clusters.
  cudaFuncAttributes attributes = {};
  cudaFuncGetAttributes(&attributes, kernel);
  return attributes.ptxVersion >= 90 ? kMaxClusterBlocks : 1;
#endif
}

// kernel<<<blocks, threads, 0, stream>>>(arguments...), of whose blocks every `cluster` in a row
// are a cluster.
template <class... Parameters, class... Arguments>
void launch_clusters(void (*kernel)(Parameters...), unsigned blocks, unsigned cluster,
                     unsigned threads, cudaStream_t stream, Arguments... arguments) {
#ifdef __CUCPU__
  static_cast<void>(cluster);
  kernel<<<blocks, threads, 0, stream>>>(arguments...);
#else
  cudaLaunchAttribute size = {};
  size.id = cudaLaunchAttributeClusterDimension;
  size.val.clusterDim = {cluster, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.stream = stream;
  config.attrs = &size;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, kernel, arguments...);
#endif
}
