// Threads that talk to each other by atomic functions, volatile variables and fences: of the right
// scope and not. A comment names the cases in which the line is one of a race.
//
// usage: scopes CASE
#include <cuda_runtime.h>

#include <cstdio>
#include <cuda/atomic>
#include <functional>
#include <map>
#include <string>

namespace {

constexpr int kBlocks = 4;
constexpr int kThreads = 64;  // two warps

// The memory that the threads share, zeros at first.
struct Common {
  int data[kBlocks * kThreads];
  int flag;
  int lock;
  int count;
  int sum;
  int seen[kBlocks];
  int comes;
};

__device__ int block() { return blockIdx.x; }
__device__ int thread() { return threadIdx.x; }
// Two threads play a part each: of two blocks, or of two warps, whichever comes first.
enum class Apart { blocks, warps };
constexpr int kFirst = 0;
constexpr int kSecond = 1;
constexpr int kNobody = 2;
template <Apart kApart>
__device__ int part(Common* c) {
  if (thread() % 32 != 0) return kNobody;
  if (kApart == Apart::warps) return block() == 0 ? atomicAdd_block(&c->comes, 1) : kNobody;
  return thread() == 0 && block() < 2 ? block() : kNobody;
}

enum class Fence { none, of_block, of_device };
template <Fence kFence>
__device__ void fence() {
  if constexpr (kFence == Fence::of_block) __threadfence_block();
  if constexpr (kFence == Fence::of_device) __threadfence();
}
constexpr Fence kNone = Fence::none;
constexpr Fence kBlock = Fence::of_block;
constexpr Fence kDevice = Fence::of_device;

// --- one variable --------------------------------------------------------------------------------

enum class By { atomic, atomic_of_block, of_volatile, plain };
template <By kBy>
__device__ void add_one(int* word) {
  if constexpr (kBy == By::atomic) atomicAdd(word, 1);  // mixed_scopes volatile_and_atomic
  if constexpr (kBy == By::atomic_of_block)
    atomicAdd_block(word, 1);  // blocks_count_by_block mixed_scopes volatile_of_warps plain_and_atomic_of_block
  if constexpr (kBy == By::of_volatile)
    *const_cast<volatile int*>(word) = 1 + block();  // volatile_and_atomic volatile_of_warps
  if constexpr (kBy == By::plain) *word = 1 + thread();  // plain_and_atomic_of_block
}
template <Apart kApart, By kOne, By kOther>
__global__ void two_change(Common* c) {
  const int mine = part<kApart>(c);
  if (mine == kFirst) add_one<kOne>(&c->count);
  if (mine == kSecond) add_one<kOther>(&c->count);
}
// A word for each block.
__global__ void block_counts(Common* c) { atomicAdd_block(&c->seen[block()], 1); }
__global__ void atomics_of_all_kinds(Common* c) {
  atomicMax_block(&c->seen[block()], thread());
  __syncthreads();
  if (thread() == 0) atomicAdd(&c->count, c->seen[block()]);
}
__global__ void blocks_maximum(Common* c) {
  if (thread() == 0) atomicMax_block(&c->count, block());  // blocks_maximum
}
__global__ void blocks_exchange(Common* c) {
  if (thread() == 0) c->seen[block()] = atomicExch_block(&c->count, block());  // blocks_exchange
}
// A swap that fails reads.
__global__ void failed_swap_of_block(Common* c) {
  if (thread() != 0) return;
  if (block() == 0)
    atomicAdd(&c->count, 1);  // failed_swap_of_block
  else
    c->seen[block()] = atomicCAS_block(&c->count, 50, 60);  // failed_swap_of_block
}
__global__ void only_failed_swaps_of_block(Common* c) {
  if (thread() == 0) c->seen[block()] = atomicCAS_block(&c->count, 50, 60) + c->count;
}

// Nobody waits; the one may see the other's word or not.
__global__ void volatile_progress(Common* c) {
  volatile int* const count = &c->count;
  if (thread() != 0) return;
  if (block() == 0) *count = 7;                // volatile_progress
  if (block() == 1) c->seen[block()] = *count;  // volatile_progress
}
__global__ void volatile_neighbours(Common* c) {
  volatile int* const data = c->data;
  if (thread() != 0) return;
  data[block()] = block() + 1;                      // volatile_neighbours
  c->seen[block()] = data[(block() + 1) % kBlocks];  // volatile_neighbours
}
__global__ void volatile_own_word(Common* c) {
  volatile int* const data = c->data;
  data[block() * kThreads + thread()] = thread();
  data[block() * kThreads + thread()] += 1;
}
__global__ void read_by_volatile(const Common* c, Common* out) {
  const volatile int* const data = c->data;
  out->data[block() * kThreads + thread()] = data[thread()];
}
__global__ void polled(Common* c) {
  if (thread() != 0) return;
  if (block() == 0) atomicExch(&c->flag, 1);
  if (block() == 1) c->seen[1] = *const_cast<const volatile int*>(&c->flag);
}

// --- a message -----------------------------------------------------------------------------------

enum class Flag { atomic, atomic_of_block, of_volatile };
template <Flag kFlag>
__device__ void raise(int* flag) {
  if constexpr (kFlag == Flag::atomic) atomicExch(flag, 1);
  if constexpr (kFlag == Flag::atomic_of_block) atomicExch_block(flag, 1);  // flag_of_block
  if constexpr (kFlag == Flag::of_volatile) {
    *const_cast<volatile int*>(flag) = 1;  // volatile_unfenced volatile_fenced_in_block
  }
}
template <Flag kFlag>
__device__ void wait_for(int* flag) {
  if constexpr (kFlag == Flag::of_volatile) {
    while (*const_cast<volatile int*>(flag) == 0) {  // volatile_unfenced volatile_fenced_in_block
    }
  } else if constexpr (kFlag == Flag::atomic_of_block) {
    while (atomicAdd_block(flag, 0) == 0) {  // flag_of_block
    }
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
  }
}
// clang-format off: the cases are named in the line itself
template <Apart kApart, Flag kFlag, Fence kWriter, Fence kReader>
__global__ void message(Common* c) {
  const int mine = part<kApart>(c);
  if (mine == kFirst) {
    c->data[0] = 1;  // volatile_unfenced volatile_fenced_in_block flag_of_block writer_unfenced writer_fenced_in_block reader_unfenced reader_fenced_in_block warps_unfenced warps_reader_unfenced
    fence<kWriter>();
    raise<kFlag>(&c->flag);
  }
  if (mine == kSecond) {
    wait_for<kFlag>(&c->flag);
    fence<kReader>();
    c->sum = c->data[0];  // volatile_unfenced volatile_fenced_in_block flag_of_block writer_unfenced writer_fenced_in_block reader_unfenced reader_fenced_in_block warps_unfenced warps_reader_unfenced
  }
}
// clang-format on
// The same by volatile data: the reader sees them without a fence of its own.
template <Fence kWriter>
__global__ void volatile_message(Common* c) {
  volatile int* const data = c->data;
  const int mine = part<Apart::blocks>(c);
  if (mine == kFirst) {
    data[0] = 1;  // volatile_data_unfenced
    fence<kWriter>();
    atomicExch(&c->flag, 1);
  }
  if (mine == kSecond) {
    while (atomicAdd(&c->flag, 0) == 0) {
    }
    c->sum = data[0];  // volatile_data_unfenced
  }
}
// The reader looks once more after it has told the writer that it has done so.
__global__ void looks_again(Common* c) {
  volatile int* const data = c->data;
  const int mine = part<Apart::blocks>(c);
  if (mine == kFirst) {
    c->seen[0] = data[0];
    __threadfence();
    atomicExch(&c->flag, 1);
    c->seen[0] += data[0];  // looks_again
  }
  if (mine == kSecond) {
    while (atomicAdd(&c->flag, 0) == 0) {
    }
    data[0] = 1;  // looks_again
  }
}
// From thread to thread, the last one in another block: each fence reaches as far as it must.
template <Fence kBetweenBlocks>
__global__ void chain(Common* c) {
  const int mine = part<Apart::warps>(c);
  if (mine == kFirst) {
    c->data[0] = 1;  // chain_too_short
    __threadfence_block();
    atomicExch(&c->flag, 1);
  }
  if (mine == kSecond) {
    while (atomicAdd(&c->flag, 0) != 1) {
    }
    fence<kBetweenBlocks>();
    atomicExch(&c->flag, 2);
  }
  if (block() == 1 && thread() == 0) {
    while (atomicAdd(&c->flag, 0) != 2) {
    }
    __threadfence();
    c->sum = c->data[0];  // chain_too_short
  }
}

// --- the last block ------------------------------------------------------------------------------

enum class Read { plain, of_volatile };
template <Read kRead, Fence kReader>
__global__ void last_block(Common* c) {
  __shared__ bool is_last;
  if (thread() == 0) {
    *const_cast<volatile int*>(&c->seen[block()]) = block();  // last_block_reads_plainly
    __threadfence();
    is_last = atomicAdd(&c->count, 1) == kBlocks - 1;
  }
  __syncthreads();
  if (!is_last) return;
  fence<kReader>();
  if (thread() >= kBlocks) return;
  if constexpr (kRead == Read::plain)
    atomicAdd(&c->sum, c->seen[thread()]);  // last_block_reads_plainly
  else
    atomicAdd(&c->sum, *const_cast<volatile int*>(&c->seen[thread()]));
}
// The count starts at 0 here, as everything does: it is taken from what would be kBlocks.
__global__ void counts_down(Common* c) {
  if (thread() != 0) return;
  c->seen[block()] = 1;  // last_block_counts_down
  __threadfence();
  if (atomicSub(&c->count, 1) != 1 - kBlocks) return;
  for (int i = 0; i < kBlocks; ++i) c->sum += c->seen[i];  // last_block_counts_down
}
// One thread's fence is enough, if the others meet it at a barrier.
__global__ void one_fences_for_all(Common* c) {
  __shared__ bool is_last;
  c->data[block() * kThreads + thread()] = 1;
  __syncthreads();
  if (thread() == 0) {
    __threadfence();
    is_last = atomicAdd(&c->count, 1) == kBlocks - 1;
    __threadfence();
  }
  __syncthreads();
  if (is_last)
    for (int i = thread(); i < kBlocks * kThreads; i += kThreads) atomicAdd(&c->sum, c->data[i]);
}

// --- locks ---------------------------------------------------------------------------------------

template <By kBy>
__device__ void take(int* lock) {
  if constexpr (kBy == By::atomic) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
  } else {
    while (atomicCAS_block(lock, 0, 1) != 0) {  // lock_of_block
    }
  }
}
template <By kBy>
__device__ void give_back(int* lock) {
  if constexpr (kBy == By::atomic)
    atomicExch(lock, 0);
  else
    atomicExch_block(lock, 0);  // lock_of_block
}
template <By kBy, Fence kTaken, Fence kGivenBack>
__device__ void change_locked(Common* c, int value) {
  take<kBy>(&c->lock);
  fence<kTaken>();
  // clang-format off: as above
  *const_cast<volatile int*>(&c->sum) = value;  // lock_of_block lock_second_takes_unfenced lock_second_gives_unfenced lock_first_takes_unfenced lock_first_gives_unfenced lock_fenced_in_block lock_of_warps_taken_unfenced lock_of_warps_given_unfenced outside_the_lock
  // clang-format on
  fence<kGivenBack>();
  give_back<kBy>(&c->lock);
}
// The first does everything right.
template <Apart kApart, By kBy, Fence kRight, Fence kTaken, Fence kGivenBack>
__global__ void second_lacks(Common* c) {
  const int mine = part<kApart>(c);
  if (mine == kFirst) change_locked<kBy, kRight, kRight>(c, 1);
  if (mine == kSecond) change_locked<kBy, kTaken, kGivenBack>(c, 2);
}
// The second does.
template <Apart kApart, By kBy, Fence kRight, Fence kTaken, Fence kGivenBack>
__global__ void first_lacks(Common* c) {
  const int mine = part<kApart>(c);
  if (mine == kFirst) change_locked<kBy, kTaken, kGivenBack>(c, 1);
  if (mine == kSecond) change_locked<kBy, kRight, kRight>(c, 2);
}
__global__ void outside_the_lock(Common* c) {
  if (thread() != 0) return;
  change_locked<By::atomic, kDevice, kDevice>(c, block());
  *const_cast<volatile int*>(&c->sum) = kBlocks + block();  // outside_the_lock
}
// Whoever takes the slot fills it; no fence is needed before that.
__global__ void made_once(Common* c) {
  if (thread() != 0) return;
  if (atomicCAS(&c->flag, 0, 1) == 0) {
    c->data[0] = 5;
    __threadfence();
    atomicExch(&c->flag, 2);
  }
  while (atomicAdd(&c->flag, 0) != 2) {
  }
  __threadfence();
  c->seen[block()] = c->data[0];
}
__global__ void two_locks(Common* c) {
  if (thread() != 0) return;
  take<By::atomic>(&c->lock);
  take<By::atomic>(&c->flag);
  __threadfence();
  c->sum += 1;
  c->count += 1;
  __threadfence();
  give_back<By::atomic>(&c->flag);
  give_back<By::atomic>(&c->lock);
}
__global__ void released_by_volatile(Common* c) {
  if (thread() != 0) return;
  take<By::atomic>(&c->lock);
  __threadfence();
  c->sum += 1;
  __threadfence();
  *const_cast<volatile int*>(&c->lock) = 0;
}

// --- shared memory -------------------------------------------------------------------------------

template <Fence kWriter, Fence kReader>
__global__ void in_shared(Common* c) {
  __shared__ int data;
  __shared__ volatile int flag;
  __shared__ int comes;
  if (thread() == 0) flag = comes = 0;
  __syncthreads();
  const int mine = thread() % 32 == 0 ? atomicAdd(&comes, 1) : kNobody;
  if (mine == kFirst) {
    data = 5;  // shared_unfenced shared_reader_unfenced
    fence<kWriter>();
    flag = 1;  // shared_unfenced
  }
  if (mine == kSecond) {
    while (flag == 0) {  // shared_unfenced
    }
    fence<kReader>();
    c->seen[block()] = data;  // shared_unfenced shared_reader_unfenced
  }
}

// --- blocks one after the other ------------------------------------------------------------------

// Each block adds its own to what the one before it has told: a decoupled look-back.
__global__ void look_back(Common* c) {
  if (thread() != 0) return;
  volatile int* const status = c->seen;
  int before = 0;
  if (block() > 0) {
    while (status[block() - 1] == 0) {
    }
    __threadfence();
    before = c->data[block() - 1];
  }
  c->data[block()] = before + 1;
  __threadfence();
  status[block()] = 1;
}

// --- objects that are atomic ---------------------------------------------------------------------

constexpr cuda::thread_scope kOfDevice = cuda::thread_scope_device;
constexpr cuda::thread_scope kOfBlock = cuda::thread_scope_block;
constexpr cuda::memory_order kRelaxed = cuda::memory_order_relaxed;
constexpr cuda::memory_order kAcquire = cuda::memory_order_acquire;
constexpr cuda::memory_order kRelease = cuda::memory_order_release;
constexpr cuda::memory_order kStrongest = cuda::memory_order_seq_cst;

template <cuda::thread_scope kScope, cuda::memory_order kWriter, cuda::memory_order kReader>
__global__ void object_message(Common* c) {
  const cuda::atomic_ref<int, kScope> flag(c->flag);
  if (thread() != 0) return;
  if (block() == 0) {
    c->data[0] = 42;  // object_relaxed object_reader_relaxed object_writer_relaxed object_of_block
    flag.store(1, kWriter);  // object_of_block
  } else if (block() == 1) {
    while (flag.load(kReader) == 0) {  // object_of_block
    }
    c->seen[1] = c->data[0];  // object_relaxed object_reader_relaxed object_writer_relaxed object_of_block
  }
}
__global__ void objects_count_by_block(Common* c) {
  if (thread() == 0) ++cuda::atomic_ref<int, kOfBlock>(c->count);  // objects_count_by_block
}
__global__ void object_and_plain(Common* c) {
  if (thread() != 0) return;
  if (block() == 0) cuda::atomic_ref<int, kOfDevice>(c->count).fetch_add(1, kRelaxed);  // object_and_plain
  if (block() == 1) c->seen[1] = c->count;  // object_and_plain
}
// Nobody waits; the one may see the other's word or not.
__global__ void object_progress(Common* c) {
  const cuda::atomic_ref<int, kOfDevice> count(c->count);
  if (thread() != 0) return;
  if (block() == 0) count.store(7, kRelaxed);
  c->seen[block()] = count.load(kRelaxed);
}
__global__ void object_lock(Common* c) {
  const cuda::atomic_ref<int, kOfDevice> lock(c->lock);
  if (thread() != 0) return;
  int free = 0;
  while (!lock.compare_exchange_strong(free, 1, kAcquire)) free = 0;
  ++c->sum;
  lock.store(0, kRelease);
}

constexpr Apart kBlocksApart = Apart::blocks;
constexpr Apart kWarpsApart = Apart::warps;

auto launch(void (*kernel)(Common*)) {
  return [kernel](Common* c) { kernel<<<kBlocks, kThreads>>>(c); };
}
#define CASE(kernel) \
  { #kernel, launch(kernel) }
const std::map<std::string, std::function<void(Common*)>> kCases = {
    // Races.
    {"blocks_count_by_block",
     launch(two_change<kBlocksApart, By::atomic_of_block, By::atomic_of_block>)},
    {"mixed_scopes", launch(two_change<kBlocksApart, By::atomic, By::atomic_of_block>)},
    {"volatile_and_atomic", launch(two_change<kBlocksApart, By::atomic, By::of_volatile>)},
    {"volatile_of_warps", launch(two_change<kWarpsApart, By::of_volatile, By::atomic_of_block>)},
    {"plain_and_atomic_of_block",
     launch(two_change<kWarpsApart, By::plain, By::atomic_of_block>)},
    CASE(blocks_maximum),
    CASE(blocks_exchange),
    CASE(failed_swap_of_block),
    CASE(volatile_progress),
    CASE(volatile_neighbours),
    {"volatile_unfenced", launch(message<kBlocksApart, Flag::of_volatile, kNone, kDevice>)},
    {"volatile_fenced_in_block",
     launch(message<kBlocksApart, Flag::of_volatile, kBlock, kDevice>)},
    {"flag_of_block", launch(message<kBlocksApart, Flag::atomic_of_block, kDevice, kDevice>)},
    {"writer_unfenced", launch(message<kBlocksApart, Flag::atomic, kNone, kDevice>)},
    {"writer_fenced_in_block", launch(message<kBlocksApart, Flag::atomic, kBlock, kDevice>)},
    {"reader_unfenced", launch(message<kBlocksApart, Flag::atomic, kDevice, kNone>)},
    {"reader_fenced_in_block", launch(message<kBlocksApart, Flag::atomic, kDevice, kBlock>)},
    {"warps_unfenced", launch(message<kWarpsApart, Flag::atomic_of_block, kNone, kBlock>)},
    {"warps_reader_unfenced", launch(message<kWarpsApart, Flag::atomic_of_block, kBlock, kNone>)},
    {"volatile_data_unfenced", launch(volatile_message<kNone>)},
    CASE(looks_again),
    {"chain_too_short", launch(chain<kBlock>)},
    {"lock_of_block",
     launch(second_lacks<kBlocksApart, By::atomic_of_block, kBlock, kBlock, kBlock>)},
    {"lock_second_takes_unfenced",
     launch(second_lacks<kBlocksApart, By::atomic, kDevice, kNone, kDevice>)},
    {"lock_second_gives_unfenced",
     launch(second_lacks<kBlocksApart, By::atomic, kDevice, kDevice, kNone>)},
    {"lock_first_takes_unfenced",
     launch(first_lacks<kBlocksApart, By::atomic, kDevice, kNone, kDevice>)},
    {"lock_first_gives_unfenced",
     launch(first_lacks<kBlocksApart, By::atomic, kDevice, kDevice, kNone>)},
    {"lock_fenced_in_block",
     launch(second_lacks<kBlocksApart, By::atomic, kDevice, kBlock, kBlock>)},
    {"lock_of_warps_taken_unfenced",
     launch(second_lacks<kWarpsApart, By::atomic_of_block, kBlock, kNone, kBlock>)},
    {"lock_of_warps_given_unfenced",
     launch(first_lacks<kWarpsApart, By::atomic_of_block, kBlock, kBlock, kNone>)},
    CASE(outside_the_lock),
    {"shared_unfenced", launch(in_shared<kNone, kNone>)},
    {"shared_reader_unfenced", launch(in_shared<kBlock, kNone>)},

    {"object_relaxed", launch(object_message<kOfDevice, kRelaxed, kRelaxed>)},
    {"object_reader_relaxed", launch(object_message<kOfDevice, kRelease, kRelaxed>)},
    {"object_writer_relaxed", launch(object_message<kOfDevice, kRelaxed, kAcquire>)},
    {"object_of_block", launch(object_message<kOfBlock, kRelease, kAcquire>)},
    CASE(objects_count_by_block),
    CASE(object_and_plain),

    // Doubts.
    {"last_block_reads_plainly", launch(last_block<Read::plain, kNone>)},
    {"last_block_counts_down", launch(counts_down)},

    // Right.
    {"object_message", launch(object_message<kOfDevice, kRelease, kAcquire>)},
    {"object_message_by_default", launch(object_message<kOfDevice, kStrongest, kStrongest>)},
    CASE(object_progress),
    CASE(object_lock),
    CASE(block_counts),
    CASE(atomics_of_all_kinds),
    CASE(only_failed_swaps_of_block),
    {"scopes_in_a_block", launch(two_change<kWarpsApart, By::atomic, By::atomic_of_block>)},
    {"atomics_of_blocks", launch(two_change<kBlocksApart, By::atomic, By::atomic>)},
    CASE(volatile_own_word),
    {"read_by_volatile", [](Common* c) { read_by_volatile<<<kBlocks, kThreads>>>(c, c + 1); }},
    CASE(polled),
    {"message_by_atomic", launch(message<kBlocksApart, Flag::atomic, kDevice, kDevice>)},
    {"message_by_volatile", launch(message<kBlocksApart, Flag::of_volatile, kDevice, kDevice>)},
    {"message_of_warps", launch(message<kWarpsApart, Flag::atomic_of_block, kBlock, kBlock>)},
    {"volatile_data", launch(volatile_message<kDevice>)},
    {"long_chain", launch(chain<kDevice>)},
    {"last_block_fenced", launch(last_block<Read::plain, kDevice>)},
    {"last_block_of_the_guide", launch(last_block<Read::of_volatile, kNone>)},
    CASE(one_fences_for_all),
    {"lock", launch(second_lacks<kBlocksApart, By::atomic, kDevice, kDevice, kDevice>)},
    {"lock_of_warps",
     launch(second_lacks<kWarpsApart, By::atomic_of_block, kBlock, kBlock, kBlock>)},
    {"lock_of_either_scope",
     launch(second_lacks<kWarpsApart, By::atomic, kBlock, kBlock, kDevice>)},
    CASE(made_once),
    CASE(two_locks),
    CASE(released_by_volatile),
    {"shared_flag", launch(in_shared<kBlock, kBlock>)},
    CASE(look_back),
};
#undef CASE

}  // namespace

int main(int, char** arguments) {
  Common* common = nullptr;
  cudaMalloc(&common, 2 * sizeof(Common));
  cudaMemset(common, 0, 2 * sizeof(Common));
  kCases.at(arguments[1])(common);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(common);
}
