// When the runtime takes a thread for one that spins, and when it may only have lost the processor.
#include <doctest/doctest.h>

#include <ctime>
#include <initializer_list>

#include "preemption.h"

namespace {

using cucpu::Sample;
using cucpu::SpinWatch;
using Verdict = SpinWatch::Verdict;

void use_processor(long nanoseconds) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1'000'000'000 + t.tv_nsec;
  };
  const long end = now() + nanoseconds;
  while (now() < end) continue;
}

// The verdict after looks at a thread in those places, the first of which begins the watch.
Verdict verdict(std::initializer_list<std::uintptr_t> places, long nanoseconds_each = 50'000) {
  SpinWatch watch;
  Verdict verdict = Verdict::unknown;
  bool is_first = true;
  for (const std::uintptr_t place : places) {
    const Sample sample{place, 7};
    if (is_first)
      watch.begin(sample);
    else
      verdict = watch.look(sample);
    is_first = false;
    use_processor(nanoseconds_each);
  }
  return verdict;
}

}  // namespace

TEST_CASE("a thread that comes back spins") {
  CHECK(verdict({1, 2, 3, 2}) == Verdict::spins);
  CHECK(verdict({1, 2, 1}) == Verdict::spins);
  CHECK(verdict({1, 2, 2, 3, 3, 1}) == Verdict::spins);
  CHECK(verdict({1, 2, 3, 4, 5, 6}) == Verdict::unknown);
}

TEST_CASE("a thread that stays where it is may not have run") {
  CHECK(verdict({1, 1, 1}) == Verdict::unknown);
  CHECK(verdict({1, 2, 2, 2}) == Verdict::unknown);
  CHECK(verdict({1, 2, 2, 2, 3}) == Verdict::unknown);
  // On a busy host, some of the looks do not count.
  CHECK(verdict({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}) == Verdict::spins);
}

TEST_CASE("looks that follow too soon do not count") {
  CHECK(verdict({1, 2, 1}, 0) == Verdict::unknown);
}

TEST_CASE("a thread runs long if it has been in many places") {
  CHECK(verdict({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 12'000'000) == Verdict::runs_long);
  CHECK(verdict({1, 2, 3, 3, 3, 4}, 25'000'000) == Verdict::unknown);
}
