#include "cucpu/device/pending_copies.h"

#include <cstring>
#include <vector>

#include "cucpu/execution.h"
#include "cucpu/shared.h"
#include "driver_types.h"
#include "observer.h"
#include "preemption.h"

namespace cucpu {
namespace {

struct Copy {
  char* to;
  const char* from;
  std::uint32_t bytes;       // that are copied
  std::uint32_t zero_bytes;  // that follow them in `to` and become 0
  std::uint64_t batch;
  const void* code;  // that asked for it
};

// The copies of one CUDA thread, oldest first.
struct Queue {
  std::vector<Copy> copies;
  std::uint64_t open_batch = 0;  // what new copies belong to
};

// The queues of the block that this worker runs, by linear thread.
struct BlockQueues {
  std::uint64_t block = 0;
  std::vector<Queue> by_thread;
};

Queue& my_queue() {
  thread_local BlockQueues queues;
  if (queues.block != block_serial()) {
    // Copies that the last block did not wait for are lost with its shared memory.
    queues.block = block_serial();
    for (Queue& queue : queues.by_thread) {
      queue.copies.clear();
      queue.open_batch = 0;
    }
  }
  const unsigned thread = linear_thread();
  if (queues.by_thread.size() <= thread) queues.by_thread.resize(thread + 1);
  return queues.by_thread[thread];
}

}  // namespace

void copy_later(void* to, const void* from, std::size_t bytes, std::size_t zero_bytes) {
  const InRuntime in_runtime;
  if (this_observer != nullptr)
    this_observer->copy(to, bytes + zero_bytes, from, bytes, __builtin_return_address(0));
  Queue& queue = my_queue();
  queue.copies.push_back({static_cast<char*>(to), static_cast<const char*>(from),
                          static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(zero_bytes),
                          queue.open_batch, __builtin_return_address(0)});
}

void commit_copies() {
  const InRuntime in_runtime;
  ++my_queue().open_batch;
}

void finish_copies(std::uint64_t batches_left) {
  const InRuntime in_runtime;
  Queue& queue = my_queue();
  std::size_t done = 0;
  for (const Copy& copy : queue.copies) {
    if (copy.batch + batches_left >= queue.open_batch) break;
    std::memcpy(copy.to, copy.from, copy.bytes);
    std::memset(copy.to + copy.bytes, 0, copy.zero_bytes);
    if (this_observer != nullptr)
      this_observer->copied(copy.to, copy.bytes + copy.zero_bytes, copy.code);
    ++done;
  }
  queue.copies.erase(queue.copies.begin(),
                     queue.copies.begin() + static_cast<std::ptrdiff_t>(done));
}

}  // namespace cucpu
