#include "race_checker.h"

#include <algorithm>
#include <cstring>
#include <utility>

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

// Different for different values; of 16 bytes, for nearly all.
std::uint64_t value_at(std::uintptr_t address, unsigned bytes) {
  std::uint64_t halves[2] = {};
  std::memcpy(halves, reinterpret_cast<const void*>(address),
              std::min<unsigned>(bytes, sizeof halves));
  return halves[0] + 0x9e3779b97f4a7c15 * halves[1];
}

}  // namespace

void RaceChecker::begin_launch(const Grid& grid) {
  if (order_.begin_launch()) shared_.forget_all();
  global_.begin_launch(grid.serial);
}

void RaceChecker::begin_block() {
  order_.begin_block(block_number(), blockDim.x * blockDim.y * blockDim.z);
  shared_.begin_block();
  sections_.begin_block();
}

// Also after a block was given up in its midst.
void RaceChecker::end_launch() {
  writes_.clear();
  variable_ = {};
  settle_now();
  atomic_.reset();
  global_.release_word();
}

// Not for atomic accesses.
Action RaceChecker::action_of(const Access& access) const {
  if (access.way != Way::of_volatile) return plain_action(access);
  if (access.kind == Kind::load) return Action::volatile_load;
  if (order_.may_signal(/*in_block_only=*/false)) return Action::signal;
  return order_.may_signal(/*in_block_only=*/true) ? Action::signal_of_block
                                                   : Action::volatile_store;
}

void RaceChecker::access_shared_closely(const Access& access, std::size_t position) {
  if (is_by_atomic(access)) {
    atomic_ = {access, position, value_at(access.address, access.bytes)};
    return;
  }
  const Action action = action_of(access);
  add_shared(access, position, action);
  if (!is_plain(action)) synchronize(access, action);
}

void RaceChecker::access_global_closely(const Access& access) {
  if (is_by_atomic(access)) {
    global_.hold_word(access.address);
    atomic_ = {access, 0, value_at(access.address, access.bytes)};
    return;
  }
  const Action action = action_of(access);
  add_global(access, action);
  if (is_store(action)) settled_ = false;
  if (!is_plain(action)) synchronize(access, action);
}

void RaceChecker::add_shared(const Access& access, std::size_t position, Action action) {
  const std::uint32_t code = CodeNumbers::of(access.code);
  const std::uintptr_t begin = access.address - position;
  for_each_word(position, access.bytes, [&](std::size_t at, std::uint32_t bytes) {
    if (shared_.add_quickly(at / 4, code, action, bytes)) return;
    shared_.add(
        at / 4, code, action, bytes,
        [&](Word& word, const Entry& entry, ThreadOfGrid other, bool in_flight) {
          found(word, entry, other, in_flight, access, action, begin + at, bytes);
        },
        [&](Word& word, AccessHistory& history, std::uint32_t kind) {
          look(word, history, kind, access, action);
        });
  });
}

void RaceChecker::add_global(const Access& access, Action action) {
  const std::uint32_t code = CodeNumbers::of(access.code);
  for_each_word(access.address, access.bytes, [&](std::uintptr_t at, std::uint32_t bytes) {
    if (global_.is_nothing_new(at, code, action, bytes)) return;
    global_.add(
        at, code, action, bytes,
        [&](Word& word, const Entry& entry, ThreadOfGrid other) {
          found(word, entry, other, false, access, action, at, bytes);
        },
        [&](Word& word, AccessHistory& history, std::uint32_t kind) {
          look(word, history, kind, access, action);
        });
  });
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
  for (const TwoWrites& two : writes_) log(*two.word, two.mark, two.space);
  writes_.clear();
  const Variable variable = std::exchange(variable_, {});
  if (variable.address == 0) return;
  // Another worker may have stored what was read, and be about to say what can be learned from that.
  if (!variable.shared) global_.wait_for_word(variable.address);
  order_.acquire(variable.address, variable.shared, /*locks=*/false);
}

void RaceChecker::log(Word& word, const Mark& mark, Space space) {
  if (space == Space::shared)
    log_.add(word, shared_.links(), mark, space);
  else
    global_.with(word, [&] { log_.add(word, global_.links(), mark, space); });
}

// --- critical sections ---------------------------------------------------------------------------

void RaceChecker::watch_sections() {
  if (sections_.is_watched(order_.me().thread)) settled_ = false;
}

// A thread may take several locks, and come to the fence then.
void RaceChecker::access_in_sections(bool by_atomic) {
  if (sections_.empty() || !sections_.has(order_.me().thread)) return;
  if (by_atomic)
    watch_sections();
  else
    sections_.access(order_.me().thread);
}

void RaceChecker::fence(bool for_block_only) {
  settle_store();
  order_.fence(for_block_only);
  if (sections_.empty()) return;
  const unsigned thread = order_.me().thread;
  // The fence after a lock is taken tells others nothing.
  if (sections_.is_watched(thread)) order_.use_up_fence();
  sections_.fence(thread, for_block_only);
  watch_sections();
}

void RaceChecker::look(Word& word, AccessHistory& history, std::uint32_t kind, const Access& access,
                       Action action) {
  if (access.way == Way::compare_and_swap)
    history.for_each_read(word, [&](std::uint32_t code) {
      if (reads_before_swap_.insert(code).second) note_read_before_swap(CodeNumbers::code(code));
    });
  const unsigned thread = order_.me().thread;
  if (sections_.empty() || is_atomic(action) || !sections_.has(thread)) return;
  history.for_each_learnt_of(word, kind, [&](const Entry& e, ThreadOfGrid who, std::uint32_t at) {
    sections_.suspect(thread, {e.code, e.action(), who}, at,
                      {&word, mark_of(e, who, access, action), access.space, 0});
  });
}

// --- races ---------------------------------------------------------------------------------------

Mark RaceChecker::mark_of(const Entry& entry, ThreadOfGrid other, const Access& access,
                          Action action) const {
  const ThreadOfGrid me{order_.me().block, order_.me().thread};
  return RaceLog::make_mark({entry.code, entry.action(), other},
                            {CodeNumbers::of(access.code), action, me});
}

void RaceChecker::found(Word& word, const Entry& entry, ThreadOfGrid other, bool in_flight,
                        const Access& access, Action action, std::uintptr_t address,
                        std::uint32_t bytes) {
  if (order_.exhausted()) return;
  const bool shared = access.space == Space::shared;
  Mark mark = mark_of(entry, other, access, action);
  mark.in_flight = in_flight;
  mark.lacks_fence =
      !in_flight && order_.lacks_only_fence(other.block, other.thread, entry.stamp_of(other));
  if (mark.lacks_fence && order_.has_counted(other.block, other.thread, entry.stamp_of(other)))
    mark.level = Mark::counted;
  const bool has_value = !in_flight && access.way != Way::copy;
  if (has_value && is_store(action) && is_store(entry.action())) {
    const std::uintptr_t at = address & ~std::uintptr_t{3};
    if (other.block != order_.me().block) global_.store().wait_for_others(at);
    const auto* const memory = reinterpret_cast<const volatile std::uint32_t*>(at);
    writes_.push_back({&word, memory, bits_of(bytes & entry.bytes()), *memory, mark, access.space});
    settled_ = false;
  } else {
    log_.add(word, shared ? shared_.links() : global_.links(), mark, access.space);
  }
}

// The thread knows a value only once it has read it.
void RaceChecker::synchronize(const Access& access, Action action) {
  const bool shared = access.space == Space::shared;
  if (action == Action::volatile_load) {
    variable_ = {access.address, shared};
    settled_ = false;
  } else {
    order_.release(access.address, shared, {});
    order_.use_up_fence();
  }
}

void RaceChecker::end_atomic() {
  if (!atomic_) return;
  const Atomic atomic = *std::exchange(atomic_, std::nullopt);
  const Access& access = atomic.access;
  const std::uint64_t value = value_at(access.address, access.bytes);
  const bool of_block = access.of_block;
  Action action = of_block ? Action::atomic_of_block : Action::atomic;
  if (atomic.compares() && value == atomic.before)
    action = of_block ? Action::failed_swap_of_block : Action::failed_swap;
  if (access.space == Space::shared)
    add_shared(access, atomic.position, action);
  else
    add_global(access, action);
  std::vector<CriticalSections::Suspect> suspects;
  synchronize(atomic, value, suspects);
  global_.release_word();
  for (const CriticalSections::Suspect& s : suspects) log(*s.word, s.mark, s.space);
}

void RaceChecker::synchronize(const Atomic& atomic, std::uint64_t value,
                              std::vector<CriticalSections::Suspect>& suspects) {
  const unsigned thread = order_.me().thread;
  const std::uintptr_t variable = atomic.access.address;
  const bool in_block_only = atomic.is_in_block_only();
  const bool locks = atomic.compares() && value != atomic.before;
  Knowledge known_before;
  if (locks) known_before = order_.acquired();
  const Knowledge learnt = order_.acquire(variable, in_block_only, locks);
  // A lock that is taken by atomicExch() was 0 before.
  if (!atomic.compares() && atomic.before != 0 && value != atomic.before) order_.count(learnt);
  HappensBefore::Scope to;
  if (locks) {
    sections_.enter(thread, {variable, atomic.before, known_before, learnt});
    watch_sections();
  } else if (!sections_.empty() && !atomic.compares()) {
    to = sections_.leave(thread, variable, value, suspects);
  }
  order_.release(variable, in_block_only, to);
  order_.use_up_fence();
}

}  // namespace cucpu::trace
