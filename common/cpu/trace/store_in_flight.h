// Stores to global memory that workers have announced and may not have executed yet.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace cucpu::trace {

// That of one worker: there is at most one.
//
// A store is announced word by word, upwards, each while the word is locked. A worker that holds a
// word's lock waits only for stores to that word, so workers cannot wait for each other in a
// circle.
class StoreInFlight {
 public:
  StoreInFlight();
  ~StoreInFlight();
  StoreInFlight(const StoreInFlight&) = delete;

  void announce_word(std::uintptr_t word) {
    if (end_.load(std::memory_order_relaxed) == 0) begin_.store(word, std::memory_order_relaxed);
    end_.store(word + 4, std::memory_order_release);
  }
  // It has been executed.
  void clear() { end_.store(0, std::memory_order_release); }

  // Waits until no other worker is about to store to the word.
  void wait_for_others(std::uintptr_t word) const;

 private:
  bool is_of(std::uintptr_t word) const {
    const std::uintptr_t end = end_.load(std::memory_order_acquire);
    return word < end && word >= begin_.load(std::memory_order_relaxed);
  }

  std::atomic<std::uintptr_t> begin_{0};
  std::atomic<std::uintptr_t> end_{0};
};

}  // namespace cucpu::trace
