#include "global_races.h"

#include <algorithm>
#include "sync_variables.h"

namespace cucpu::trace {

GlobalHistory& GlobalHistory::instance() {
  static GlobalHistory& history = *new GlobalHistory;  // workers may outlive static objects
  return history;
}

std::uint32_t GlobalHistory::begin_launch(std::uint64_t serial) {
  const std::lock_guard lock(mutex_);
  if (serial_ == serial) return era_;
  serial_ = serial;
  ++era_;
  links_.reset();
  SyncVariables::instance().clear();
  const checked_memory::Arena arena = checked_memory::arena();
  if (arena_ == nullptr && arena.states != nullptr) {
    // With fewer addresses than that, all memory is dealt with page by page.
    if (arena.bytes / 4 <= address_limit() / 2 / sizeof(Word)) {
      arena_ = std::make_unique<Reserved<Word>>(arena.bytes / 4);
      arena_words_.store(arena_->begin(), std::memory_order_release);
    }
  }
  return era_;
}

void GlobalHistory::reach(std::uint32_t era) {
  const std::lock_guard lock(mutex_);
  era_ = std::max(era_, era);
}

void GlobalHistory::forget(std::uintptr_t begin, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const checked_memory::Arena arena = checked_memory::arena();
  if (arena_ != nullptr && begin - arena.begin < arena.bytes)
    arena_->forget((begin - arena.begin) / 4, bytes / 4);
}

GlobalHistory::Page& GlobalHistory::page(std::uintptr_t address) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Page>& page = pages_[address / kPageBytes];
  if (page == nullptr) page = std::make_unique<Page>();
  return *page;
}

void GlobalRaces::begin_launch(std::uint64_t serial) {
  era_ = shared_.begin_launch(serial);
  links_.forget_portion();
  words_ = shared_.arena_words();
  arena_ = words_ == nullptr ? checked_memory::Arena() : checked_memory::arena();
}

Word& GlobalRaces::word_elsewhere(std::uintptr_t address) {
  const std::uintptr_t number = address / GlobalHistory::kPageBytes;
  NearPage& near = near_[number % near_.size()];
  if (near.number != number) near = {number, &shared_.page(address)};
  return (*near.page)[address % GlobalHistory::kPageBytes / 4];
}

}  // namespace cucpu::trace
