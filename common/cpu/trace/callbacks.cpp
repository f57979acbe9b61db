// The compiler turns each memory access of a traced program into a call of one of these functions.
// Their names are those of ThreadSanitizer's runtime, which is not linked.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "host_accesses.h"
#include "preemption.h"
#include "recorder.h"
#include "tools.h"

namespace cucpu::trace {
namespace {

std::uintptr_t number_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

[[gnu::always_inline]] inline void record(Access access) {
  if (this_observer == nullptr) return note_host_access(access.copy());
  const ObserverAtWork at_work;
  static_cast<Recorder*>(this_observer)->access(access);
}

// The facts that the compiler knows about an access.
struct Form {
  Kind kind;
  unsigned bytes;
  bool must_be_aligned = true;
  Way way = Way::plain;
};
Access access_of(Form form, const void* address, const void* code) {
  return {Space::global,   form.kind, number_of(address), form.bytes, form.must_be_aligned,
          number_of(code), form.way};
}

// Apart, so that what comes before it needs no registers but those that a call may change.
template <Form form>
[[gnu::noinline]] void record_apart(const void* address, const void* code) {
  record(access_of(form, address, code));
}

template <Form form>
[[gnu::noinline]] void check(const void* address, const void* code) {
  if (this_observer == nullptr ||
      !static_cast<Recorder*>(this_observer)->is_repeated(access_of(form, address, code)))
    record_apart<form>(address, code);
}

template <Form form>
[[gnu::always_inline]] inline void note(const void* address, const void* code) {
  if (!counting_cursor.add(operation(number_of(code), form.kind, form.bytes), number_of(address)))
    check<form>(address, code);
}

// How many bytes of a structure are moved at once. No access of its members is wider than the
// widest of them, nearly always 4 bytes; its size and its address are multiples of that.
unsigned piece_of(std::uintptr_t address, std::size_t bytes) {
  unsigned piece = 4;
  while (bytes % piece != 0 || address % piece != 0) piece /= 2;
  return piece;
}

// A structure that no instruction of a device moves whole: piece by piece.
void note_range(Kind kind, const void* address, std::size_t bytes, const void* code) {
  const char* const begin = static_cast<const char*>(address);
  const unsigned piece = piece_of(number_of(begin), bytes);
  for (std::size_t i = 0; i < bytes; i += piece) record(access_of({kind, piece}, begin + i, code));
}

// Reports each piece before it is copied.
void copy(void* to, const void* from, std::size_t bytes, const void* code, bool from_behind) {
  char* const target = static_cast<char*>(to);
  const char* const source = static_cast<const char*>(from);
  const unsigned piece = piece_of(number_of(target) | number_of(source), bytes);
  for (std::size_t done = 0; done < bytes; done += piece) {
    const std::size_t i = from_behind ? bytes - piece - done : done;
    record(access_of({Kind::load, piece}, source + i, code));
    record(access_of({Kind::store, piece}, target + i, code));
    std::memcpy(target + i, source + i, piece);
  }
}

}  // namespace
}  // namespace cucpu::trace

using cucpu::Way;
using cucpu::trace::Form;
using cucpu::trace::Kind;
using cucpu::trace::note;
using cucpu::trace::note_range;

namespace cucpu {
// As cucpu/device/atomics.h declares them for traced programs.
void begin_atomic(const void* address, std::size_t bytes, Way way);
void begin_atomic_store(const void* address, std::size_t bytes);
void end_atomic();
void result_is_unused();
void is_for_block_only();

namespace {
thread_local bool next_result_is_unused = false;
thread_local bool next_is_for_block_only = false;
}  // namespace
void result_is_unused() { next_result_is_unused = true; }
void is_for_block_only() { next_is_for_block_only = true; }

void begin_atomic(const void* address, std::size_t bytes, Way way) {
  give_way_if_spinning();
  const bool unused = std::exchange(next_result_is_unused, false);
  if (way == Way::count && !unused) way = Way::plain;
  const Form form{Kind::atomic, static_cast<unsigned>(bytes), true, way};
  cucpu::trace::Access access = cucpu::trace::access_of(form, address, __builtin_return_address(0));
  access.of_block = std::exchange(next_is_for_block_only, false);
  cucpu::trace::record(access);
}
void begin_atomic_store(const void* address, std::size_t bytes) {
  const Form form{Kind::store, static_cast<unsigned>(bytes), true, Way::of_atomic};
  cucpu::trace::Access access = cucpu::trace::access_of(form, address, __builtin_return_address(0));
  access.of_block = std::exchange(next_is_for_block_only, false);
  cucpu::trace::record(access);
}
// As cucpu/lowered.h declares them for traced programs.
void reported_memcpy(void* to, const void* from, std::size_t bytes);
void reported_memmove(void* to, const void* from, std::size_t bytes);
void reported_memset(void* to, int value, std::size_t bytes);

void reported_memcpy(void* to, const void* from, std::size_t bytes) {
  trace::copy(to, from, bytes, __builtin_return_address(0), false);
}
void reported_memmove(void* to, const void* from, std::size_t bytes) {
  trace::copy(to, from, bytes, __builtin_return_address(0), from < to);
}
void reported_memset(void* to, int value, std::size_t bytes) {
  char* const target = static_cast<char*>(to);
  const unsigned piece = trace::piece_of(trace::number_of(target), bytes);
  for (std::size_t i = 0; i < bytes; i += piece) {
    trace::record(trace::access_of({Kind::store, piece}, target + i, __builtin_return_address(0)));
    std::memset(target + i, value, piece);
  }
}
// As cucpu/device/warp.h declares it for traced programs.
std::uint64_t bits_from_lane(const WarpExchange& exchange, unsigned lane, unsigned bytes,
                             bool is_floating);
std::uint64_t bits_from_lane(const WarpExchange& exchange, unsigned lane, unsigned bytes,
                             bool is_floating) {
  const bool brought = exchange.has(lane);
  const std::uint64_t bits = brought ? exchange.value[lane] : ~std::uint64_t{0};
  if (this_observer == nullptr) return bits;
  const ObserverAtWork at_work;
  return static_cast<cucpu::trace::Recorder*>(this_observer)
      ->take({lane, brought, bytes, is_floating}, bits);
}

void end_atomic() {
  if (this_observer == nullptr) return;
  const ObserverAtWork at_work;
  static_cast<cucpu::trace::Recorder*>(this_observer)->end_atomic();
}
}  // namespace cucpu

extern "C" {

// Every traced file calls this before main().
void __tsan_init() { cucpu::trace::start_tools(); }

#define CUCPU_ACCESS(bytes)                                                                       \
  void __tsan_read##bytes(void* address) {                                                        \
    note<Form{Kind::load, bytes}>(address, __builtin_return_address(0));                          \
  }                                                                                               \
  void __tsan_write##bytes(void* address) {                                                       \
    note<Form{Kind::store, bytes}>(address, __builtin_return_address(0));                         \
  }                                                                                               \
  void __tsan_unaligned_read##bytes(void* address) {                                              \
    note<Form{Kind::load, bytes, false}>(address, __builtin_return_address(0));                   \
  }                                                                                               \
  void __tsan_unaligned_write##bytes(void* address) {                                             \
    note<Form{Kind::store, bytes, false}>(address, __builtin_return_address(0));                  \
  }                                                                                               \
  void __tsan_volatile_read##bytes(void* address) {                                               \
    cucpu::give_way_if_spinning();                                                                \
    note<Form{Kind::load, bytes, true, Way::of_volatile}>(address, __builtin_return_address(0));  \
  }                                                                                               \
  void __tsan_volatile_write##bytes(void* address) {                                              \
    note<Form{Kind::store, bytes, true, Way::of_volatile}>(address, __builtin_return_address(0)); \
  }
CUCPU_ACCESS(1)
CUCPU_ACCESS(2)
CUCPU_ACCESS(4)
CUCPU_ACCESS(8)
CUCPU_ACCESS(16)
#undef CUCPU_ACCESS

void __tsan_read_range(void* address, std::size_t bytes) {
  note_range(Kind::load, address, bytes, __builtin_return_address(0));
}
void __tsan_write_range(void* address, std::size_t bytes) {
  note_range(Kind::store, address, bytes, __builtin_return_address(0));
}

// The compiler calls this before it uses an index out of the array's bounds.
struct CucpuArrayType {
  std::uint16_t kind, info;
  char name[];  // "'float [4]'"
};
struct CucpuIndexPlace {
  const char* file;
  std::uint32_t line, column;
  const CucpuArrayType* array;
  const void* index;
};
void __ubsan_handle_out_of_bounds(const CucpuIndexPlace* place, std::intptr_t index) {
  using cucpu::this_observer;
  if (this_observer == nullptr) return;
  const cucpu::ObserverAtWork at_work;
  static_cast<cucpu::trace::Recorder*>(this_observer)
      ->bad_index({{place->file, place->line}, place->array->name, index});
}

// An object's pointer to the table of its virtual functions is memory as any other.
void __tsan_vptr_update(void** pointer, void*) {
  note<Form{Kind::store, sizeof(void*)}>(pointer, __builtin_return_address(0));
}
void __tsan_vptr_read(void** pointer) {
  note<Form{Kind::load, sizeof(void*)}>(pointer, __builtin_return_address(0));
}

// The compiler's atomic operations. CUDA's atomic functions are made of them, and have reported
// themselves (begin_atomic).
#define CUCPU_ATOMICS(bits)                                                                        \
  using Bits##bits = std::uint##bits##_t;                                                          \
  Bits##bits __tsan_atomic##bits##_load(const volatile Bits##bits* a, int) {                       \
    return __atomic_load_n(a, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile Bits##bits* a, Bits##bits v, int) {                    \
    __atomic_store_n(a, v, __ATOMIC_SEQ_CST);                                                      \
  }                                                                                                \
  Bits##bits __tsan_atomic##bits##_exchange(volatile Bits##bits* a, Bits##bits v, int) {           \
    return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                \
  Bits##bits __tsan_atomic##bits##_fetch_add(volatile Bits##bits* a, Bits##bits v, int) {          \
    return __atomic_fetch_add(a, v, __ATOMIC_SEQ_CST);                                             \
  }                                                                                                \
  Bits##bits __tsan_atomic##bits##_fetch_sub(volatile Bits##bits* a, Bits##bits v, int) {          \
    return __atomic_fetch_sub(a, v, __ATOMIC_SEQ_CST);                                             \
  }                                                                                                \
  Bits##bits __tsan_atomic##bits##_fetch_and(volatile Bits##bits* a, Bits##bits v, int) {          \
    return __atomic_fetch_and(a, v, __ATOMIC_SEQ_CST);                                             \
  }                                                                                                \
  Bits##bits __tsan_atomic##bits##_fetch_or(volatile Bits##bits* a, Bits##bits v, int) {           \
    return __atomic_fetch_or(a, v, __ATOMIC_SEQ_CST);                                              \
  }                                                                                                \
  Bits##bits __tsan_atomic##bits##_fetch_xor(volatile Bits##bits* a, Bits##bits v, int) {          \
    return __atomic_fetch_xor(a, v, __ATOMIC_SEQ_CST);                                             \
  }                                                                                                \
  Bits##bits __tsan_atomic##bits##_fetch_nand(volatile Bits##bits* a, Bits##bits v, int) {         \
    return __atomic_fetch_nand(a, v, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile Bits##bits* a, Bits##bits* expected,  \
                                                    Bits##bits v, int, int) {                      \
    return __atomic_compare_exchange_n(a, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile Bits##bits* a, Bits##bits* expected,    \
                                                  Bits##bits v, int, int) {                        \
    return __atomic_compare_exchange_n(a, expected, v, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);  \
  }                                                                                                \
  Bits##bits __tsan_atomic##bits##_compare_exchange_val(                                           \
      volatile Bits##bits* a, Bits##bits expected, Bits##bits v, int, int) {                       \
    __atomic_compare_exchange_n(a, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
    return expected;                                                                               \
  }
CUCPU_ATOMICS(8)
CUCPU_ATOMICS(16)
CUCPU_ATOMICS(32)
CUCPU_ATOMICS(64)
#undef CUCPU_ATOMICS

void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

}  // extern "C"
