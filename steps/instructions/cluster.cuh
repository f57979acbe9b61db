// Thread block clusters: blocks that run at the same time, close to each other, and reach each
// other's shared memory. PTX ISA: "Cluster special registers", "mapa", "barrier.cluster",
// "st.async"; CUDA Runtime API, "Execution Control": cudaLaunchKernelEx. From sm_90 on; elsewhere
// every block is a cluster of its own.
#pragma once

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "memory_barrier.cuh"

constexpr int kMaxClusterBlocks = 8;  // that all of these GPUs allow

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && !defined(__CUCPU__)
__device__ inline unsigned cluster_blocks() {
  return cooperative_groups::this_cluster().num_blocks();
}

// Which block of its cluster this one is.
__device__ inline unsigned cluster_rank() {
  return cooperative_groups::this_cluster().block_rank();
}

// The place in another block's shared memory that corresponds to `p` in this block's.
template <class T>
__device__ T* in_block(unsigned rank, T* p) {
  return cooperative_groups::this_cluster().map_shared_rank(p, rank);
}

// The same as a shared-memory address, as these instructions take it.
__device__ inline unsigned shared_address_in(unsigned rank, const void* p) {
  unsigned address;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared_address(p)), "r"(rank));
  return address;
}

// A barrier of all threads of the cluster.
__device__ inline void cluster_barrier() { cooperative_groups::this_cluster().sync(); }

// Its two halves; a relaxed arrival makes nothing visible to others.
__device__ inline void cluster_arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
__device__ inline void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

// Makes barriers in shared memory that this thread has initialized visible to the cluster.
__device__ inline void fence_barrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Stores 8 bytes into the shared memory of a block of the cluster, and counts them in a barrier
// there when they have arrived. `to` and `barrier` are this block's own.
template <class T>
__device__ void store_async(unsigned rank, T* to, const T& value, std::uint64_t* barrier) {
  static_assert(sizeof(T) == sizeof(std::uint64_t));
  std::uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(
                   shared_address_in(rank, to)),
               "l"(bits), "r"(shared_address_in(rank, barrier))
               : "memory");
}

// As memory_barrier_try_wait, for bytes that come from other blocks of the cluster.
__device__ inline bool memory_barrier_try_wait_cluster(std::uint64_t* barrier, unsigned parity) {
  unsigned ended = 0;
  asm volatile(
      "{\n"
      " .reg .pred p;\n"
      " mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
      " selp.u32 %0, 1, 0, p;\n"
      " }"
      : "=r"(ended)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return ended != 0;
}
#else
__device__ inline unsigned cluster_blocks() { return 1; }
__device__ inline unsigned cluster_rank() { return 0; }
template <class T>
__device__ T* in_block(unsigned, T* p) {
  return p;
}
__device__ inline void cluster_barrier() { __syncthreads(); }
__device__ inline void cluster_arrive_relaxed() {}
__device__ inline void cluster_wait() {}
__device__ inline void fence_barrier_init() {}
// In order with the block's other accesses: a waiting thread finds it behind the next
// __syncthreads.
template <class T>
__device__ void store_async(unsigned, T* to, const T& value, std::uint64_t*) {
  *to = value;
}
__device__ inline bool memory_barrier_try_wait_cluster(std::uint64_t*, unsigned) {
  __syncthreads();
  return true;
}
#endif

// The most blocks that a cluster of this kernel may have on the current device.
template <class Kernel>
int max_cluster_blocks(Kernel kernel) {
#ifdef __CUCPU__
  static_cast<void>(kernel);  // the CPU runs a block at a time
  return 1;
#else
  // Code compiled for an older GPU may run on this one, but knows nothing of clusters.
  cudaFuncAttributes attributes = {};
  cudaFuncGetAttributes(&attributes, kernel);
  return attributes.ptxVersion >= 90 ? kMaxClusterBlocks : 1;
#endif
}

// kernel<<<blocks, threads, 0, stream>>>(arguments...), where each run of `cluster` consecutive
// blocks forms a cluster.
template <class... Parameters, class... Arguments>
void launch_clusters(void (*kernel)(Parameters...), unsigned blocks, unsigned cluster,
                     unsigned threads, cudaStream_t stream, Arguments... arguments) {
#ifdef __CUCPU__
  static_cast<void>(cluster);
  kernel<<<blocks, threads, 0, stream>>>(arguments...);
#else
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {cluster, 1, 1};
  // Else clusters are kept apart, at the price of SMs that get no block.
  attributes[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
  attributes[1].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicyLoadBalancing;
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = 2;
  cudaLaunchKernelEx(&config, kernel, arguments...);
#endif
}
