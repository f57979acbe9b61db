// Atomic functions: their results, what they return, and that nothing is lost between threads.
#include "support.h"

namespace {

// `rounds` additions by each thread of many blocks.
template <class T>
__global__ void add_many(T* sum, int rounds) {
  for (int r = 0; r < rounds; ++r) atomicAdd(sum, static_cast<T>(1));
}
template <class T>
void check_additions() {
  const test::DeviceArray<T> sum(1, T{});
  add_many<<<64, 64>>>(sum.get(), 20);
  REQUIRE(cudaGetLastError() == cudaSuccess);
  CHECK(sum.read()[0] == static_cast<T>(64 * 64 * 20));
}

// All that other functions do, many threads at once; each has a place of its own.
__global__ void many_at_once(unsigned* words, unsigned long long* longs, int* ints) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicMax(&words[0], i);
  atomicMin(&words[1], i + 5);
  atomicOr(&words[2], 1u << (i % 32));
  atomicAnd(&words[3], ~(1u << (i % 31)));
  atomicXor(&words[4], i);
  atomicInc(&words[5], 99);
  atomicDec(&words[6], 99);
  atomicSub(&words[7], 3u);
  atomicMax(&longs[0], static_cast<unsigned long long>(i) << 33);
  atomicMin(&longs[1], ~(static_cast<unsigned long long>(i) << 33));
  atomicOr(&longs[2], 1ull << (i % 64));
  atomicAnd(&longs[3], ~(1ull << (i % 63)));
  atomicXor(&longs[4], static_cast<unsigned long long>(i) << 40);
  atomicMax(&ints[0], static_cast<int>(i) - 1000000);
  atomicMin(&ints[1], -static_cast<int>(i));
  atomicSub(&ints[2], 2);
}

// A sum made of nothing but compare-and-swap.
__global__ void add_by_cas(unsigned long long* sum) {
  unsigned long long seen = *sum;
  unsigned long long expected = 0;
  do {
    expected = seen;
    seen = atomicCAS(sum, expected, expected + threadIdx.x);
  } while (seen != expected);
}

// Each thread leaves its own ticket and takes what was there: nothing is lost or doubled.
__global__ void pass_tickets(unsigned* slot, unsigned* taken) {
  const unsigned ticket = blockIdx.x * blockDim.x + threadIdx.x;
  taken[ticket] = atomicExch(slot, ticket);
}

__global__ void returned_values(int* i, float* f, unsigned* u, unsigned short* s) {
  i[1] = atomicAdd(&i[0], 5);      // 10 -> 15
  i[2] = atomicSub(&i[0], 1);      // 15 -> 14
  i[3] = atomicMax(&i[0], -3);     // 14
  i[4] = atomicMin(&i[0], -3);     // 14 -> -3
  i[5] = atomicExch(&i[0], 8);     // -3 -> 8
  i[6] = atomicCAS(&i[0], 7, 1);   // 8
  i[7] = atomicCAS(&i[0], 8, 12);  // 8 -> 12
  i[8] = atomicAnd(&i[0], 10);     // 12 -> 8
  i[9] = atomicOr(&i[0], 3);       // 8 -> 11
  i[10] = atomicXor(&i[0], 1);     // 11 -> 10
  f[1] = atomicAdd(&f[0], 2.5f);
  f[2] = atomicExch(&f[0], 1);
  u[1] = atomicInc(&u[0], 3);  // 3 -> 0
  u[2] = atomicInc(&u[0], 3);  // 0 -> 1
  u[3] = atomicDec(&u[0], 9);  // 1 -> 0
  u[4] = atomicDec(&u[0], 9);  // 0 -> 9
  u[5] = atomicDec(&u[0], 5);  // 9 -> 5, being above the limit
  s[1] = atomicCAS(&s[0], static_cast<unsigned short>(3), static_cast<unsigned short>(9));
}

__global__ void other_scopes(int* sum) {
  atomicAdd_block(&sum[blockIdx.x + 1], 1);
  atomicAdd_system(&sum[0], 1);
}

// A lock that every thread of every block takes in turn.
__global__ void under_lock(int* lock, int* counter) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *counter += 1;
  __threadfence();
  atomicExch(lock, 0);
}

}  // namespace

TEST_CASE("no addition is lost") {
  check_additions<int>();
  check_additions<unsigned>();
  check_additions<unsigned long long>();
  check_additions<float>();
  check_additions<double>();
}

TEST_CASE("all atomic functions from many threads at once") {
  const unsigned n = 100 * 64;
  const test::DeviceArray<unsigned> words(std::vector<unsigned>{0, ~0u, 0, ~0u, 0, 0, 0, 5 * n});
  const test::DeviceArray<unsigned long long> longs(
      std::vector<unsigned long long>{0, ~0ull, 0, ~0ull, 0});
  const test::DeviceArray<int> ints(std::vector<int>{-2000000, 0, 0});
  many_at_once<<<100, 64>>>(words.get(), longs.get(), ints.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  unsigned xor_of_all = 0;
  for (unsigned i = 0; i < n; ++i) xor_of_all ^= i;
  CHECK(words.read() == std::vector<unsigned>{n - 1, 5, ~0u, 0x80000000u, xor_of_all, n % 100,
                                              (100 - n % 100) % 100, 2 * n});
  CHECK(longs.read() == std::vector<unsigned long long>{
                            static_cast<unsigned long long>(n - 1) << 33,
                            ~(static_cast<unsigned long long>(n - 1) << 33), ~0ull, 1ull << 63,
                            static_cast<unsigned long long>(xor_of_all) << 40});
  const int count = static_cast<int>(n);
  CHECK(ints.read() == std::vector<int>{count - 1 - 1000000, 1 - count, -2 * count});
}

TEST_CASE("compare-and-swap and exchange lose nothing") {
  const test::DeviceArray<unsigned long long> sum(1, 0);
  add_by_cas<<<50, 64>>>(sum.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  CHECK(sum.read()[0] == 50 * 64 * 63 / 2);

  const unsigned n = 50 * 64;
  const test::DeviceArray<unsigned> slot(1, n);
  const test::DeviceArray<unsigned> taken(n);
  pass_tickets<<<50, 64>>>(slot.get(), taken.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  std::vector<int> seen(n + 1, 0);
  for (const unsigned ticket : taken.read()) ++seen.at(ticket);
  ++seen.at(slot.read()[0]);
  CHECK(seen == std::vector<int>(n + 1, 1));
}

TEST_CASE("atomic functions return the old value") {
  const test::DeviceArray<int> i(std::vector<int>{10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  const test::DeviceArray<float> f(std::vector<float>{0.5f, 0, 0});
  const test::DeviceArray<unsigned> u(std::vector<unsigned>{3, 0, 0, 0, 0, 0});
  const test::DeviceArray<unsigned short> s(std::vector<unsigned short>{3, 0});
  returned_values<<<1, 1>>>(i.get(), f.get(), u.get(), s.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  CHECK(i.read() == std::vector<int>{10, 10, 15, 14, 14, -3, 8, 8, 12, 8, 11});
  CHECK(f.read() == std::vector<float>{1.0f, 0.5f, 3.0f});
  CHECK(u.read() == std::vector<unsigned>{5, 3, 0, 1, 0, 9});
  CHECK(s.read() == std::vector<unsigned short>{9, 3});
}

TEST_CASE("atomic functions of a block and of the system") {
  const test::DeviceArray<int> sum(4, 0);
  other_scopes<<<3, 100>>>(sum.get());
  CHECK(sum.read() == std::vector<int>{300, 100, 100, 100});
}

TEST_CASE("a lock made of atomics") {
  const test::DeviceArray<int> lock(1, 0);
  const test::DeviceArray<int> counter(1, 0);
  under_lock<<<40, 64>>>(lock.get(), counter.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  CHECK(counter.read()[0] == 40 * 64);
}
