#include "race_log.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "cucpu/execution.h"
#include "program_image.h"

namespace cucpu::trace {
namespace {

const char* name_of(Action action) {
  if (is_atomic(action)) return "Atomic access";
  return is_store(action) ? "Write access" : "Read access";
}

std::string text_of(dim3 d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}
dim3 index_in(dim3 extent, std::uint32_t number) {
  return {number % extent.x, number / extent.x % extent.y, number / extent.x / extent.y};
}
std::string text_of_thread(const ThreadOfGrid& thread) {
  return "thread " + text_of(index_in(blockDim, thread.thread));
}
std::string text_of_block(const ThreadOfGrid& thread) {
  return " in block " + text_of(index_in(gridDim, thread.block));
}

std::string describe_threads(const ThreadOfGrid& a, const ThreadOfGrid& b) {
  const std::string second = " and " + text_of_thread(b) + text_of_block(b);
  return "by " + text_of_thread(a) + (a.block == b.block ? "" : text_of_block(a)) + second;
}

// Why these accesses do not order what the threads do.
std::string describe_scope(const Mark& mark) {
  const auto& [a, b] = mark.side;
  if (a.action == Action::volatile_store || b.action == Action::volatile_store)
    return "A volatile access orders nothing: write after a __threadfence(), or atomically";
  return "An atomic or a fence of block scope orders nothing for threads of other blocks";
}

// Why nothing puts them in an order.
std::string describe_order(const Mark& mark) {
  const auto& [a, b] = mark.side;
  if (mark.level == Mark::same_value) return "Both write the same value";
  if (mark.in_flight) return "One is an asynchronous copy that its thread has not waited for";
  const Distance apart = distance(a.who, b.who);
  if (apart == Distance::in_grid && !is_plain(a.action) && !is_plain(b.action))
    return describe_scope(mark);
  if (mark.lacks_fence)
    return "A fence is missing after the atomic by which one thread learns of the other";
  if (apart == Distance::in_grid)
    return "Blocks run in any order, unless a __threadfence() and an atomic tell one of the other";
  if (apart == Distance::in_warp)
    return "Lanes of a warp need not run in step: a __syncwarp() is missing between the two";
  return "A __syncthreads() is missing between the two";
}

// The same, where both are in one line: a barrier helps between two rounds of a loop, and otherwise
// only an atomic function does.
std::string describe_order_in_line(const Mark& mark) {
  const auto& [a, b] = mark.side;
  if (mark.level == Mark::same_value || mark.in_flight || mark.lacks_fence)
    return describe_order(mark);
  if (distance(a.who, b.who) == Distance::in_grid && (is_plain(a.action) || is_plain(b.action)))
    return "Blocks run in any order: an atomic function is missing, or a grid.sync()";
  const std::string order = describe_order(mark);
  return distance(a.who, b.who) == Distance::in_grid ? order : order + ", or an atomic function";
}

// Many pairs of threads may race at the same two instructions. A pair with the highest rank is
// shown: the order that it lacks would order the others, too.
unsigned rank_of(const Mark& mark) {
  constexpr auto kAboveAll = static_cast<unsigned>(Distance::in_grid) + 1;
  if (mark.in_flight) return kAboveAll;
  return static_cast<unsigned>(distance(mark.side[0].who, mark.side[1].who));
}

FindingKey key_of(const Mark& mark, Space space) {
  const auto& [a, b] = mark.side;
  return {FindingKind::race,
          {CodeNumbers::code(a.code), {}},
          {CodeNumbers::code(b.code), {}},
          static_cast<unsigned>(mark.level) | static_cast<unsigned>(space) << 2 |
              static_cast<unsigned>(a.action) << 4 | static_cast<unsigned>(b.action) << 8};
}

// Addresses that are not near the program's own: a library's.
struct FarCode {
  std::mutex mutex;
  std::unordered_map<std::uintptr_t, std::uint32_t> numbers;
  std::vector<std::uintptr_t> code;
};
FarCode& far_code() {
  static FarCode& far = *new FarCode;  // workers may outlive static objects
  return far;
}

}  // namespace

const std::uintptr_t CodeNumbers::program_ = load_address();

std::uint32_t CodeNumbers::of_far(std::uintptr_t code) {
  FarCode& far = far_code();
  const std::lock_guard lock(far.mutex);
  const auto [place, is_new] =
      far.numbers.emplace(code, kFirstFar + static_cast<std::uint32_t>(far.code.size()));
  if (is_new) far.code.push_back(code);
  return place->second;
}

std::uintptr_t CodeNumbers::code(std::uint32_t number) {
  if (number < kFirstFar) return program_ + number;
  FarCode& far = far_code();
  const std::lock_guard lock(far.mutex);
  return far.code[number - kFirstFar];
}

// Writes before reads; else in the order of the code, and then of the threads.
Mark RaceLog::make_mark(const Mark::Side& a, const Mark::Side& b) {
  const auto rank = [](Action action) {
    if (is_store(action)) return 0;
    return is_atomic(action) ? 1 : 2;
  };
  const auto order = [&](const Mark::Side& s) {
    return std::tuple(rank(s.action), s.code, s.who.block, s.who.thread);
  };
  return order(b) < order(a) ? Mark{{b, a}} : Mark{{a, b}};
}

void RaceLog::add(Word& word, Links& links, Mark mark, Space space) {
  const auto is_of_writes = [](const Mark& m) {
    return is_store(m.side[0].action) && is_store(m.side[1].action);
  };
  Entry* known = nullptr;
  bool differ = is_of_writes(mark) && mark.level == Mark::error;
  links.for_each(word, [&](Entry& entry) {
    if ((entry.what & Entry::kMark) == 0) return;
    const Mark other = Mark::of(entry);
    if (other.is_like(mark)) known = &entry;
    differ |= is_of_writes(other) && other.level == Mark::error;
  });
  // If not all values are the same, none of the writes is harmless.
  if (differ && is_of_writes(mark)) {
    mark.level = Mark::error;
    links.for_each(word, [&](Entry& entry) {
      if ((entry.what & Entry::kMark) == 0) return;
      Mark other = Mark::of(entry);
      if (other.level != Mark::same_value) return;
      findings_.withdraw(key_of(other, space));
      other.level = Mark::error;
      entry = other.as_entry();
      log(other, space);
    });
  }
  if (known != nullptr) {
    const Mark other = Mark::of(*known);
    if (rank_of(other) >= rank_of(mark) && other.level >= mark.level) return;
    mark.level = std::max(mark.level, other.level);
    findings_.withdraw(key_of(other, space));
    *known = mark.as_entry();
  } else {
    links.put(word, mark.as_entry());
  }
  log(mark, space);
}

void RaceLog::log(const Mark& mark, Space space) {
  const Mark::Side& a = mark.side[0];
  const Mark::Side& b = mark.side[1];
  findings_.add_at(key_of(mark, space), {rank_of(mark), a.who.block, a.who.thread}, [&] {
    const char* const memory =
        space == Space::shared ? "on __shared__ memory, " : "on __global__ memory, ";
    return Finding{name_of(a.action),
                   name_of(b.action),
                   {memory + describe_threads(a.who, b.who), describe_order(mark)},
                   describe_order_in_line(mark),
                   mark.level == Mark::error};
  });
}

}  // namespace cucpu::trace
