#include "race_checker.h"

#include "cucpu/execution.h"
#include "grid.h"

namespace cucpu::trace {
namespace {

std::uint32_t block_number() {
  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

std::uint32_t bits_of(std::uint32_t bytes) {
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < 4; ++i)
    if ((bytes >> i & 1) != 0) bits |= std::uint32_t{0xff} << 8 * i;
  return bits;
}

}  // namespace

void RaceChecker::begin_launch(const Grid& grid) {
  if (order_.begin_launch()) shared_.forget_all();
  global_.begin_launch(grid.serial);
}

void RaceChecker::begin_block() {
  order_.begin_block(block_number(), blockDim.x * blockDim.y * blockDim.z);
  shared_.begin_block();
}

// Also after a block was given up in its midst.
void RaceChecker::end_launch() {
  writes_.clear();
  variable_ = 0;
  settle_now();
  end_atomic();
}

void RaceChecker::access_shared_closely(Access access, std::size_t position) {
  const std::uint32_t code = CodeNumbers::of(access.code);
  const Action action = action_of(access, true);
  const std::uintptr_t begin = access.address - position;
  for_each_word(position, access.bytes, [&](std::size_t at, std::uint32_t bytes) {
    if (shared_.add_quickly(at / 4, code, action, bytes)) return;
    shared_.add(at / 4, code, action, bytes,
                [&](Word& word, const Entry& entry, ThreadOfGrid other, bool in_flight) {
                  found(word, entry, other, in_flight, access, begin + at, bytes);
                });
  });
  if (action == Action::atomic) synchronize(access, action);
}

void RaceChecker::access_global_closely(Access access) {
  const std::uint32_t code = CodeNumbers::of(access.code);
  const Action action = action_of(access, false);
  for_each_word(access.address, access.bytes, [&](std::uintptr_t at, std::uint32_t bytes) {
    if (global_.is_nothing_new(at, code, action, bytes)) return;
    global_.add(at, code, action, bytes, [&](Word& word, const Entry& entry, ThreadOfGrid other) {
      found(word, entry, other, false, access, at, bytes);
    });
  });
  if (action == Action::store) settled_ = false;
  if (action != Action::store && action != Action::load) synchronize(access, action);
}

void RaceChecker::begin_copy(std::size_t position, std::size_t bytes, std::uintptr_t code) {
  for_each_word(position, bytes, [&](std::size_t at, std::uint32_t part) {
    shared_.begin_copy(at / 4, CodeNumbers::of(code), part);
  });
}

void RaceChecker::end_copy(const Access& access, std::size_t position) {
  for_each_word(position, access.bytes,
                [&](std::size_t at, std::uint32_t part) { shared_.end_copy(at / 4, part); });
  access_shared(access, position);
}

void RaceChecker::settle_now() {
  settled_ = true;
  // Whoever waits for the store may go on once we have looked at what it has left.
  for (TwoWrites& two : writes_)
    if (((*two.memory ^ two.before) & two.mask) == 0) two.mark.level = Mark::same_value;
  global_.store().clear();
  for (const TwoWrites& two : writes_) {
    if (two.space == Space::shared)
      log_.add(*two.word, shared_.links(), two.mark, two.space);
    else
      global_.with(*two.word, [&] { log_.add(*two.word, global_.links(), two.mark, two.space); });
  }
  writes_.clear();
  if (variable_ != 0) order_.acquire(variable_, false);
  variable_ = 0;
}

void RaceChecker::found(Word& word, const Entry& entry, ThreadOfGrid other, bool in_flight,
                        const Access& access, std::uintptr_t address, std::uint32_t bytes) {
  if (order_.exhausted()) return;
  const bool shared = access.space == Space::shared;
  const Action action = action_of(access, shared);
  const ThreadOfGrid me{order_.me().block, order_.me().thread};
  Mark mark = RaceLog::make_mark({entry.code, entry.action(), other},
                                 {CodeNumbers::of(access.code), action, me});
  mark.in_flight = in_flight;
  const bool has_value = !in_flight && access.way != Way::copy;
  if (has_value && action == Action::store && entry.action() == Action::store) {
    const std::uintptr_t at = address & ~std::uintptr_t{3};
    if (other.block != me.block) global_.store().wait_for_others(at);
    const auto* const memory = reinterpret_cast<const volatile std::uint32_t*>(at);
    writes_.push_back({&word, memory, bits_of(bytes & entry.bytes()), *memory, mark, access.space});
    settled_ = false;
  } else {
    log_.add(word, shared ? shared_.links() : global_.links(), mark, access.space);
  }
}

void RaceChecker::synchronize(const Access& access, Action action) {
  const bool shared = access.space == Space::shared;
  if (action == Action::atomic) order_.acquire(access.address, shared);
  if (action != Action::volatile_load) order_.release(access.address, shared);
  if (action != Action::volatile_load) return;
  // What it has read it will know once it has read it.
  variable_ = access.address;
  settled_ = false;
}

}  // namespace cucpu::trace
