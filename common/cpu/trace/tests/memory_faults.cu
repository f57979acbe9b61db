// Programs with one fault each, and right ones that look like them: `memory_faults CASE`. The line
// with the fault of a case ends in a comment that names it; checkers_test.py knows what is to be
// found there.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <new>
#include <string>

namespace {

constexpr int kThreads = 64;
constexpr int kElements = 256;

__device__ float device_table[8];
__device__ float device_rows[2][4];
__constant__ float constant_table[8];

struct Pair {
  float first;
  float second;
};
__device__ Pair device_pairs[4];

__global__ void read_past_end(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i % kElements] = x[i + 1];  // read_past_end
}
__global__ void write_before_begin(float* y) {
  y[static_cast<int>(threadIdx.x) - 2] = 1;  // write_before_begin
}
__global__ void write_far_away(float* y) {
  if (threadIdx.x == 5) y[100'000'000'000] = 1;  // write_far_away
}
__global__ void write_null(float* y) {
  if (threadIdx.x == 5) *y = 1;  // write_null host_pointer
}
__global__ void read_partly_outside(const char* bytes, float4* y) {
  y[0] = *reinterpret_cast<const float4*>(bytes + 4 * kElements - 8);  // read_partly_outside
}
__global__ void misaligned_float4(const float* x, float4* y) {
  y[threadIdx.x] = reinterpret_cast<const float4*>(x + 1)[threadIdx.x];  // misaligned_float4
}
__global__ void misaligned_double(char* bytes) {
  *reinterpret_cast<double*>(bytes + 4 + 8 * threadIdx.x) = 1;  // misaligned_double
}
__global__ void unaligned_copy(const char* bytes, float* y) {
  float value;
  memcpy(&value, bytes + 1, sizeof value);
  y[threadIdx.x] = value;
}
__global__ void atomic_past_end(float* y) {
  atomicAdd(&y[kElements], 1.0f);  // atomic_past_end
}
// --- the device's heap ---

__global__ void heap_read_after_free(float* y) {
  auto* const p = static_cast<float*>(malloc(4 * sizeof(float)));
  p[1] = 1;
  free(p);
  y[threadIdx.x] = p[1];  // heap_read_after_free
}
__global__ void heap_freed_twice() {
  void* const p = malloc(8);
  free(p);
  free(p);  // heap_freed_twice
}
__global__ void heap_deleted_twice() {
  int* const p = new int[4];
  delete[] p;
  delete[] p;  // heap_deleted_twice
}
__global__ void heap_frees_global(float* y) {
  if (threadIdx.x == 3) free(y);  // heap_frees_global
}
__global__ void heap_frees_inside(int ahead) {
  char* const p = new char[64];
  delete (p + ahead);  // heap_frees_inside
  delete[] p;
}

struct Named {
  int name = 1;
  __device__ virtual ~Named() {}
};
struct Numbered {
  int number = 2;
  __device__ virtual ~Numbered() {}
};
// Its second base is not where it begins.
struct Both : Named, Numbered {
  __device__ ~Both() override {}
};
class Shared {
 public:
  __device__ void let_go() {
    if (--users_ == 0) delete this;
  }

 private:
  __device__ ~Shared() { users_ = -1; }
  int users_ = 1;
};
struct Counted {
  int* left;
  __device__ ~Counted() { atomicSub(left, 1); }
};
__global__ void heap_used_right(int* left) {
  free(nullptr);
  free(NULL);
  delete static_cast<int*>(nullptr);
  delete[] static_cast<Counted*>(nullptr);
  Numbered *one = new Both, *other = new Both;
  delete one, delete other;
  Counted* const three = new Counted[3];
  for (int i = 0; i < 3; ++i) three[i].left = left;
  atomicAdd(left, 3);
  delete[] three;
  (new Shared)->let_go();
  int* const p = static_cast<int*>(malloc(sizeof(int)));
  if (p != nullptr)
    free(p);
  else
    atomicAdd(left, 1);
  int* const again = static_cast<int*>(malloc(sizeof(int)));
  *again = 1;
  free(again);
}

__global__ void copy_past_end(const float* x, float* y) {
  __shared__ float tile[4];
  __pipeline_memcpy_async(tile, x + kElements, 4 * sizeof(float));  // copy_past_end
  __pipeline_commit();
  __pipeline_wait_prior(0);
  y[0] = tile[0];
}
__global__ void store_one(float* y) { y[threadIdx.x] = 1; }  // use_after_free

__global__ void static_shared_past_end(float* y) {
  __shared__ float tile[kThreads];
  tile[threadIdx.x] = 1;
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x + 1];  // static_shared_past_end
}
__global__ void static_shared_too_small(float* y) {
  __shared__ float tile[8];
  tile[threadIdx.x] = 1;  // static_shared_too_small
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x % 8];
}
__global__ void dynamic_shared_past_end(float* y) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = 1;  // dynamic_shared_past_end
  __syncthreads();
  y[threadIdx.x] = tile[0];
}
__global__ void flat_index(float* y) {
  __shared__ float tile[8][8];
  (&tile[0][0])[threadIdx.x] = 1;
  __syncthreads();
  y[threadIdx.x] = tile[0][threadIdx.x];
}
// The C library's functions.
__global__ void set_past_end(float* y) {
  if (threadIdx.x == 0) memset(y + kElements - 4, 0, 20);  // set_past_end
}
__global__ void copied_from_past_end(const float* x, float* y, int n) {
  if (threadIdx.x == 0) std::memcpy(y, x + kElements - n, 4 * n + 4);  // copied_from_past_end
}
__global__ void moved_uninitialized(float* y) {
  if (threadIdx.x == 0) memmove(y, y + 2, 3 * sizeof(float));  // moved_uninitialized
}
__global__ void set_and_copied(float* y) {
  __shared__ float row[kThreads][3];
  memset(row[threadIdx.x], 0, sizeof row[threadIdx.x]);
  row[threadIdx.x][1] = 1;
  memcpy(&y[3 * threadIdx.x], row[threadIdx.x], sizeof row[threadIdx.x]);
}

__global__ void local_past_end(float* y, int n) {
  float values[4] = {};
  for (int i = 0; i < 4; ++i) values[i] = y[i];
  if (threadIdx.x == 0) n += 3;
  y[kThreads + threadIdx.x] = values[n];  // local_past_end
}
__global__ void device_past_end(float* y, int n) {
  y[threadIdx.x] = device_table[n];  // device_past_end
}
__global__ void device_before_begin(float* y, int n) {
  if (threadIdx.x == 0) y[0] = device_table[n];  // device_before_begin
}
__global__ void device_past_row(float* y, int n) {
  y[threadIdx.x] = device_rows[0][n];  // device_past_row
}
__global__ void device_member_past_end(float* y, int n) {
  y[threadIdx.x] = device_pairs[n].second;  // device_member_past_end
}
__global__ void constant_past_end(float* y, int n) {
  y[threadIdx.x] = constant_table[n];  // constant_past_end
}

__global__ void uninitialized_global(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x];  // uninitialized_global uninitialized_tail
}
__global__ void uninitialized_accumulator(float* sum) {
  atomicAdd(sum, 1.0f);  // uninitialized_accumulator
}
__global__ void uninitialized_static_shared(float* y) {
  __shared__ float tile[kThreads];
  if (threadIdx.x != 7) tile[threadIdx.x] = 1;
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x];  // uninitialized_static_shared
}
__global__ void uninitialized_dynamic_shared(float* y) {
  extern __shared__ float tile[];
  y[threadIdx.x] = tile[threadIdx.x];  // uninitialized_dynamic_shared
}
// A block's writes do not initialize the next block's shared memory.
__global__ void left_by_last_block(float* y) {
  __shared__ float tile[kThreads];
  if (blockIdx.x == 0) tile[threadIdx.x] = 1;
  __syncthreads();
  y[blockIdx.x * kThreads + threadIdx.x] = tile[threadIdx.x];  // left_by_last_block
}
__global__ void half_written(Pair* pairs, Pair* copies) {
  pairs[threadIdx.x].first = 1;
  copies[threadIdx.x].second = pairs[threadIdx.x].second;  // half_written
}
__global__ void copied_before_wait(const float* x, float* y) {
  __shared__ float tile[kThreads];
  __pipeline_memcpy_async(&tile[threadIdx.x], &x[threadIdx.x], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  y[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];
}

__global__ void uses_tables(float* y) {
  static const float kOwn[4] = {1, 2, 3, 4};
  if (threadIdx.x < 8) device_table[threadIdx.x] = 1;
  __syncthreads();
  y[threadIdx.x] = constant_table[threadIdx.x % 8] + kOwn[threadIdx.x % 4] + device_table[3];
}
__global__ void shuffles(float* y) {
  float value = threadIdx.x;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  if (__any_sync(~0u, value > 0)) y[threadIdx.x] = value;
}

__global__ void two_barriers() {
  if (threadIdx.x < 32)
    __syncthreads();  // two_barriers
  else
    __syncthreads();  // two_barriers
}
__global__ void barrier_in_branch(float* y) {
  __shared__ float all[kThreads];
  all[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x < 40) {
    all[threadIdx.x] += 1;
    __syncthreads();  // barrier_in_branch
  }
  if (threadIdx.x == 0) *y = all[0];
}
__global__ void outside_mask() {
  __shfl_sync(0x0000ffffu, 1, 0);  // outside_mask
}
__global__ void overlapping_masks() {
  if (threadIdx.x < 16)
    __syncwarp(0x0001ffffu);  // overlapping_masks
  else
    __syncwarp(0xffff8000u);  // overlapping_masks
}
__global__ void lane_is_missing() {
  if (threadIdx.x % 32 == 5)
    __syncthreads();  // lane_is_missing
  else
    __syncwarp();  // lane_is_missing
}
// Some threads pass by the barrier of the second round, and more that of the third.
__global__ void barrier_in_loop(float* y) {
  for (unsigned i = 0; i < 1 + threadIdx.x % 3; ++i) {
    y[threadIdx.x] = i;
    __syncthreads();  // barrier_in_loop
  }
  y[kThreads + threadIdx.x] = 1;
}

// Each operation needs all lanes of a warp; here only the lower half of each warp comes.
enum class Together { shuffle, vote, match, reduction, barrier, tile };
__global__ void in_branch(Together what, int* y) {
  const auto tile =
      cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  int value = static_cast<int>(threadIdx.x);
  if (threadIdx.x % 32 < 16) {
    if (what == Together::shuffle) value += __shfl_down_sync(~0u, value, 1);  // shuffle_in_branch
    if (what == Together::vote) value += __any_sync(~0u, value == 3);         // vote_in_branch
    if (what == Together::match) value += __match_any_sync(~0u, value);       // match_in_branch
    if (what == Together::reduction) value = __reduce_max_sync(~0u, value);   // reduction_in_branch
    if (what == Together::barrier) __syncwarp();                              // syncwarp_in_branch
    if (what == Together::tile) value = tile.shfl(value, 3);                  // tile_in_branch
  }
  y[threadIdx.x] = value;
}
// Some lanes are one shuffle ahead of the others from then on.
__global__ void first_shuffle_in_branch(int* y) {
  int value = 1;
  if (threadIdx.x < 40) value += __shfl_down_sync(~0u, value, 16);  // first_shuffle_in_branch
  for (int half = 8; half > 0; half /= 2)
    value += __shfl_down_sync(~0u, value, half);  // first_shuffle_in_branch
  y[threadIdx.x] = value;
}
__global__ void out_of_step_at_barrier(int* y) {
  int value = 1;
  if (threadIdx.x < 40) value += __shfl_down_sync(~0u, value, 16);
  value += __shfl_down_sync(~0u, value, 8);  // out_of_step_at_barrier
  __syncthreads();                           // out_of_step_at_barrier
  y[threadIdx.x] = value;
}
__global__ void vote_meets_shuffle(int* y) {
  int value = 1;
  if (threadIdx.x < 40) value += __shfl_down_sync(~0u, value, 16);  // vote_meets_shuffle
  if (__all_sync(~0u, value < 3)) value = 0;                        // vote_meets_shuffle
  y[threadIdx.x] = value;
}
__global__ void lanes_return_early(int* y) {
  if (threadIdx.x >= 40) return;
  int value = 1;
  for (int half = 4; half > 0; half /= 2) value += __shfl_down_sync(~0u, value, half);
  __syncwarp();
  if (threadIdx.x % 32 == 0) y[threadIdx.x] = value;
}
__global__ void lanes_return_from_loop(int* y) {
  int value = 1;
  for (unsigned i = 0;; ++i) {
    const int other = __shfl_xor_sync(~0u, value, 1);
    if (threadIdx.x / 2 * 2 % 3 >= i && (threadIdx.x | 1) % 3 >= i) value += other;
    y[threadIdx.x] = value;
    if (i == threadIdx.x % 3) return;
  }
}

// --- values that nobody brings: of lanes that have exited, are not in the mask or do not exist ---

__global__ void takes_from_exited(int* y) {
  if (threadIdx.x >= 16) return;
  const int value = __shfl_sync(~0u, static_cast<int>(threadIdx.x), 20);  // takes_from_exited
  y[threadIdx.x] = value;                                                 // takes_from_exited
}
__global__ void takes_from_outside_mask(int* y) {
  if (threadIdx.x >= 16) return;
  int value = 1;
  value += __shfl_down_sync(0x0000ffffu, value, 16);  // takes_from_outside_mask
  for (int half = 8; half > 0; half /= 2) value += __shfl_down_sync(0x0000ffffu, value, half);
  if (threadIdx.x == 0) atomicAdd(y, value);  // takes_from_outside_mask
}
// A block of 20 threads.
__global__ void takes_from_beyond_block(float* y) {
  float value = 1;
  for (int half = 16; half > 0; half /= 2)
    value += __shfl_down_sync(~0u, value, half);  // takes_from_beyond_block
  if (threadIdx.x == 0) y[0] = value / 20;        // takes_from_beyond_block
}
__global__ void takes_from_no_rank(int* y) {
  if (threadIdx.x >= 12) return;
  const auto group = cooperative_groups::coalesced_threads();
  int value = static_cast<int>(threadIdx.x);
  value = group.shfl(value, 12);  // takes_from_no_rank
  y[threadIdx.x] = value;         // takes_from_no_rank
}
// Values are undefined here, but nobody uses them.
__global__ void sums_of_eight(int* y, float* z) {
  if (threadIdx.x >= 8) return;
  for (int round = 0; round < 3; ++round) {
    int sum = static_cast<int>(threadIdx.x) + round;
    float product = sum;
    for (int half = 4; half > 0; half /= 2) {
      sum += __shfl_down_sync(0xffu, sum, half);
      product *= __shfl_down_sync(0xffu, product, half);
    }
    if (threadIdx.x == 0) y[round] = sum, z[round] = product;
    if (threadIdx.x == 0) atomicAdd(&y[8], sum);
  }
}
__global__ void guarded_sum(int* y) {
  const unsigned n = blockDim.x;
  int value = 1;
  for (unsigned half = 16; half > 0; half /= 2) {
    const int other = __shfl_down_sync(~0u, value, half);
    if (threadIdx.x + half < n) value += other;
  }
  y[threadIdx.x] = value;
  y[32 + threadIdx.x] = 0;  // as 1 & other may be, too
}
__global__ void masks_of_branches(int* y) {
  int value = static_cast<int>(threadIdx.x);
  const bool takes_part = value < 40;
  const unsigned mask = __ballot_sync(~0u, takes_part);
  const int other = takes_part ? __shfl_down_sync(mask, value, 1) : 0;
  if (threadIdx.x % 32 < __popc(mask) - 1) value += other;
  if (takes_part) value += __shfl_xor_sync(__activemask(), value, 1);
  if (value % 32 == 3) value = __shfl_sync(1u << threadIdx.x % 32, value, threadIdx.x);
  const auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
  if (threadIdx.x / 8 % 2 == 0) value = tile.shfl(value, 0);
  y[threadIdx.x] = value;
}
__global__ void both_branches(int* y) {
  const auto warp =
      cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  int value = static_cast<int>(threadIdx.x);
  if (threadIdx.x % 32 < 16) {
    value += __shfl_xor_sync(~0u, value, 16);
    __syncwarp();
    value += warp.shfl_xor(value, 8);
  } else {
    value -= __shfl_xor_sync(~0u, value, 16);
    warp.sync();
    value -= __shfl_xor_sync(~0u, value, 8);
  }
  y[threadIdx.x] = value;
}

__global__ void exits_early(float* y) {
  if (threadIdx.x >= 40) return;
  __syncthreads();
  y[threadIdx.x] = 1;
}
__global__ void writes_and_exits(float* y) {
  if (threadIdx.x >= 40) {
    y[threadIdx.x] = 2;
    return;
  }
  __syncthreads();
  y[threadIdx.x] = 1;
}
__global__ void exits_from_loop(const float* x, float* y) {
  __shared__ float tile[kThreads];
  for (unsigned i = 0;; ++i) {
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = tile[threadIdx.x] + i;
    if (i == threadIdx.x % 3) return;
  }
}

struct Shape {
  __device__ virtual float area() const = 0;
};
struct Square : Shape {
  __device__ explicit Square(float side) : side(side) {}
  __device__ float area() const override { return side * side; }
  float side;
};
__global__ void virtual_in_shared(float* y) {
  __shared__ alignas(Square) unsigned char bytes[sizeof(Square)];
  const Shape* const shape = reinterpret_cast<const Square*>(bytes);
  if (threadIdx.x == 0) new (bytes) Square(3);
  __syncthreads();
  y[threadIdx.x] = shape->area();
}

struct Memory {
  Memory() {
    cudaMalloc(&x, kElements * sizeof(float));
    cudaMalloc(&y, kElements * sizeof(float));
    cudaMemset(x, 0, kElements * sizeof(float));
  }
  ~Memory() {
    cudaDeviceSynchronize();
    cudaFree(x);
    cudaFree(y);
  }
  int* integers() const { return reinterpret_cast<int*>(y); }
  int* zeros() const { return reinterpret_cast<int*>(x); }
  char* bytes() const { return reinterpret_cast<char*>(x); }
  float4* vectors() const { return reinterpret_cast<float4*>(y); }

  float* x;  // zeros
  float* y;  // not written
};

using Case = std::function<void(Memory&)>;

Case calls_in_branch(Together what) {
  return [what](Memory& m) { in_branch<<<1, kThreads>>>(what, m.integers()); };
}

const std::map<std::string, Case> kCases = {
    {"read_past_end", [](Memory& m) { read_past_end<<<4, kThreads>>>(m.x, m.y); }},
    {"write_before_begin", [](Memory& m) { write_before_begin<<<1, kThreads>>>(m.y); }},
    {"write_far_away", [](Memory& m) { write_far_away<<<1, kThreads>>>(m.y); }},
    {"write_null", [](Memory&) { write_null<<<1, kThreads>>>(nullptr); }},
    {"host_pointer",
     [](Memory&) {
       float on_the_host = 0;
       write_null<<<1, kThreads>>>(&on_the_host);
       cudaDeviceSynchronize();
     }},
    {"read_partly_outside",
     [](Memory& m) { read_partly_outside<<<1, 1>>>(m.bytes() + 8 - 8, m.vectors()); }},
    {"misaligned_float4", [](Memory& m) { misaligned_float4<<<1, 8>>>(m.x, m.vectors()); }},
    {"misaligned_double", [](Memory& m) { misaligned_double<<<1, 8>>>(m.bytes()); }},
    {"unaligned_copy", [](Memory& m) { unaligned_copy<<<1, 8>>>(m.bytes(), m.y); }},
    {"atomic_past_end", [](Memory& m) { atomic_past_end<<<1, 3>>>(m.x); }},
    {"copy_past_end", [](Memory& m) { copy_past_end<<<1, 1>>>(m.x, m.y); }},
    {"heap_read_after_free", [](Memory& m) { heap_read_after_free<<<1, 5>>>(m.y); }},
    {"heap_freed_twice", [](Memory&) { heap_freed_twice<<<2, 3>>>(); }},
    {"heap_deleted_twice", [](Memory&) { heap_deleted_twice<<<1, 1>>>(); }},
    {"heap_frees_global", [](Memory& m) { heap_frees_global<<<1, kThreads>>>(m.y); }},
    {"heap_frees_inside", [](Memory&) { heap_frees_inside<<<1, 1>>>(16); }},
    {"heap_used_right", [](Memory& m) { heap_used_right<<<2, kThreads>>>(m.zeros()); }},
    {"use_after_free",
     [](Memory& m) {
       cudaFree(m.y);
       store_one<<<1, kThreads>>>(m.y);
       cudaDeviceSynchronize();
       m.y = nullptr;
     }},
    {"freed_twice",
     [](Memory& m) {
       cudaFree(m.y);
       cudaFree(m.y);  // freed_twice
       m.y = nullptr;
     }},
    {"host_reads",
     [](Memory& m) {
       store_one<<<1, kThreads>>>(m.y);
       cudaDeviceSynchronize();
       float sum = 0;
       for (int i = 0; i < 3; ++i) sum += m.y[i];  // host_reads
       if (sum != 3) std::abort();
     }},
    {"host_writes",
     [](Memory& m) {
       volatile float* y = m.y;
       *y = 1;  // host_writes
     }},
    {"host_uses_managed",
     [](Memory&) {
       float* shared;
       cudaMallocManaged(&shared, sizeof *shared);
       *shared = 1;
       store_one<<<1, 1>>>(shared);
       cudaDeviceSynchronize();
       *shared += 1;
       cudaFree(shared);
     }},
    {"never_freed",
     [](Memory&) {
       float* lost;
       cudaMalloc(&lost, 100);
     }},
    {"static_shared_past_end", [](Memory& m) { static_shared_past_end<<<1, kThreads>>>(m.y); }},
    {"static_shared_too_small", [](Memory& m) { static_shared_too_small<<<1, kThreads>>>(m.y); }},
    {"dynamic_shared_past_end",
     [](Memory& m) {
       dynamic_shared_past_end<<<1, kThreads, (kThreads - 1) * sizeof(float)>>>(m.y);
     }},
    {"flat_index", [](Memory& m) { flat_index<<<1, kThreads>>>(m.y); }},
    {"set_past_end", [](Memory& m) { set_past_end<<<1, kThreads>>>(m.y); }},
    {"copied_from_past_end", [](Memory& m) { copied_from_past_end<<<1, kThreads>>>(m.x, m.y, 8); }},
    {"moved_uninitialized", [](Memory& m) { moved_uninitialized<<<1, kThreads>>>(m.y); }},
    {"set_and_copied",
     [](Memory& m) {
       set_and_copied<<<1, kThreads>>>(m.y);
       float copied[3 * kThreads];
       cudaMemcpy(copied, m.y, sizeof copied, cudaMemcpyDeviceToHost);
     }},
    {"local_past_end", [](Memory& m) { local_past_end<<<1, kThreads>>>(m.x, 1); }},
    {"device_past_end", [](Memory& m) { device_past_end<<<1, 4>>>(m.y, 8); }},
    {"device_before_begin", [](Memory& m) { device_before_begin<<<1, kThreads>>>(m.y, -2); }},
    {"device_past_row", [](Memory& m) { device_past_row<<<1, 4>>>(m.y, 5); }},
    {"device_member_past_end", [](Memory& m) { device_member_past_end<<<1, 4>>>(m.y, 4); }},
    {"constant_past_end", [](Memory& m) { constant_past_end<<<1, 4>>>(m.y, 9); }},
    {"uninitialized_global", [](Memory& m) { uninitialized_global<<<1, kThreads>>>(m.y, m.x); }},
    {"uninitialized_tail",
     [](Memory& m) {
       cudaMemset(m.y, 0, 60 * sizeof(float));
       uninitialized_global<<<1, kThreads>>>(m.y, m.x);
     }},
    {"copied_from_the_written",
     [](Memory& m) {
       float* copy;
       cudaMalloc(&copy, kThreads * sizeof(float));
       cudaMemcpy(copy, m.x, kThreads * sizeof(float), cudaMemcpyDeviceToDevice);
       uninitialized_global<<<1, kThreads>>>(copy, m.x);
       cudaDeviceSynchronize();
       cudaFree(copy);
     }},
    {"copied_from_the_unwritten",
     [](Memory& m) {
       float* copies;
       cudaMalloc(&copies, 2 * kThreads * sizeof(float));
       cudaMemset(m.y, 0, 60 * sizeof(float));
       for (int i = 0; i < 2; ++i)
         cudaMemcpyAsync(copies, m.y, kThreads * sizeof(float),  // copied_from_the_unwritten
                         cudaMemcpyDeviceToDevice);
       cudaFree(copies);
     }},
    {"rows_copied_from_the_unwritten",
     [](Memory& m) {
       float rows[2][4];
       cudaMemset(m.y, 0, 6 * sizeof(float));
       cudaMemcpy2D(rows, sizeof rows[0],  // rows_copied_from_the_unwritten
                    m.y, 8 * sizeof(float), sizeof rows[0], 2, cudaMemcpyDeviceToHost);
     }},
    {"uninitialized_accumulator", [](Memory& m) { uninitialized_accumulator<<<1, 1>>>(m.y); }},
    {"uninitialized_static_shared",
     [](Memory& m) { uninitialized_static_shared<<<1, kThreads>>>(m.y); }},
    {"uninitialized_dynamic_shared",
     [](Memory& m) { uninitialized_dynamic_shared<<<1, kThreads, 4 * kThreads>>>(m.y); }},
    {"left_by_last_block", [](Memory& m) { left_by_last_block<<<2, kThreads>>>(m.y); }},
    {"half_written",
     [](Memory& m) {
       half_written<<<1, 8>>>(reinterpret_cast<Pair*>(m.y), reinterpret_cast<Pair*>(m.x));
     }},
    {"copied_before_wait", [](Memory& m) { copied_before_wait<<<1, kThreads>>>(m.x, m.y); }},
    {"uses_tables", [](Memory& m) { uses_tables<<<1, kThreads>>>(m.y); }},
    {"virtual_in_shared", [](Memory& m) { virtual_in_shared<<<1, kThreads>>>(m.y); }},
    {"shuffles", [](Memory& m) { shuffles<<<1, kThreads>>>(m.y); }},
    {"two_barriers", [](Memory&) { two_barriers<<<1, kThreads>>>(); }},
    {"barrier_in_branch", [](Memory& m) { barrier_in_branch<<<1, kThreads>>>(m.y); }},
    {"outside_mask", [](Memory&) { outside_mask<<<1, 32>>>(); }},
    {"overlapping_masks", [](Memory&) { overlapping_masks<<<1, 32>>>(); }},
    {"lane_is_missing", [](Memory&) { lane_is_missing<<<1, 32>>>(); }},
    {"barrier_in_loop", [](Memory& m) { barrier_in_loop<<<1, kThreads>>>(m.y); }},
    {"writes_and_exits", [](Memory& m) { writes_and_exits<<<1, kThreads>>>(m.y); }},
    {"exits_from_loop", [](Memory& m) { exits_from_loop<<<1, kThreads>>>(m.x, m.y); }},
    {"shuffle_in_branch", calls_in_branch(Together::shuffle)},
    {"vote_in_branch", calls_in_branch(Together::vote)},
    {"match_in_branch", calls_in_branch(Together::match)},
    {"reduction_in_branch", calls_in_branch(Together::reduction)},
    {"syncwarp_in_branch", calls_in_branch(Together::barrier)},
    {"tile_in_branch", calls_in_branch(Together::tile)},
    {"first_shuffle_in_branch",
     [](Memory& m) { first_shuffle_in_branch<<<1, kThreads>>>(m.integers()); }},
    {"out_of_step_at_barrier",
     [](Memory& m) { out_of_step_at_barrier<<<1, kThreads>>>(m.integers()); }},
    {"vote_meets_shuffle", [](Memory& m) { vote_meets_shuffle<<<1, kThreads>>>(m.integers()); }},
    {"lanes_return_early", [](Memory& m) { lanes_return_early<<<1, kThreads>>>(m.integers()); }},
    {"lanes_return_from_loop",
     [](Memory& m) { lanes_return_from_loop<<<1, kThreads>>>(m.integers()); }},
    {"masks_of_branches", [](Memory& m) { masks_of_branches<<<1, kThreads>>>(m.integers()); }},
    {"both_branches", [](Memory& m) { both_branches<<<1, kThreads>>>(m.integers()); }},
    {"part_of_a_warp", [](Memory& m) { guarded_sum<<<1, 20>>>(m.integers()); }},
    {"sums_of_eight", [](Memory& m) { sums_of_eight<<<1, kThreads>>>(m.zeros(), m.y); }},
    {"takes_from_exited", [](Memory& m) { takes_from_exited<<<1, 32>>>(m.integers()); }},
    {"takes_from_outside_mask", [](Memory& m) { takes_from_outside_mask<<<1, 32>>>(m.zeros()); }},
    {"takes_from_beyond_block", [](Memory& m) { takes_from_beyond_block<<<1, 20>>>(m.y); }},
    {"takes_from_no_rank", [](Memory& m) { takes_from_no_rank<<<1, 32>>>(m.integers()); }},
    {"exits_early", [](Memory& m) { exits_early<<<1, kThreads>>>(m.y); }},
};

}  // namespace

int main(int, char** arguments) {
  Memory memory;
  kCases.at(arguments[1])(memory);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
