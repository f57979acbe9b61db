// Threads that are kept between the runs of a loop, so that starting them is not timed.
#pragma once

#include <barrier>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

#include "loops.h"

class Team {
 public:
  // A team has `size` threads, at least 1. The thread that calls run() is one of them.
  explicit Team(std::size_t size) : size_(size), gate_(static_cast<std::ptrdiff_t>(size)) {
    for (std::size_t member = 1; member < size; ++member) {
      threads_.emplace_back([this, member] { serve(member); });
    }
  }
  ~Team() {
    work_ = nullptr;
    gate_.arrive_and_wait();
    for (std::thread& thread : threads_) thread.join();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  std::size_t size() const { return size_; }

  // Every member does its share of `count` items: work(member, share). Returns when all are done.
  void run(std::size_t count, const std::function<void(std::size_t, loops::Share)>& work) {
    count_ = count;
    work_ = &work;
    gate_.arrive_and_wait();
    do_share(0);
    gate_.arrive_and_wait();
  }

 private:
  void serve(std::size_t member) {
    for (;;) {
      gate_.arrive_and_wait();
      if (work_ == nullptr) return;
      do_share(member);
      gate_.arrive_and_wait();
    }
  }

  void do_share(std::size_t member) const {
    (*work_)(member, {count_ * member / size_, count_ * (member + 1) / size_});
  }

  const std::size_t size_;
  std::barrier<> gate_;  // all pass it to begin, and all when they are done
  std::size_t count_ = 0;
  const std::function<void(std::size_t, loops::Share)>* work_ = nullptr;
  std::vector<std::thread> threads_;
};
