#include "store_in_flight.h"

#include <sched.h>

#include <algorithm>

namespace cucpu::trace {
namespace {

struct All {
  std::mutex mutex;
  std::vector<const StoreInFlight*> list;
};
All& all() {
  static All& a = *new All;  // workers may outlive static objects
  return a;
}

}  // namespace

StoreInFlight::StoreInFlight() {
  const std::lock_guard lock(all().mutex);
  all().list.push_back(this);
}

StoreInFlight::~StoreInFlight() {
  const std::lock_guard lock(all().mutex);
  std::erase(all().list, this);
}

void StoreInFlight::wait_for_others(std::uintptr_t word) const {
  std::vector<const StoreInFlight*> others;
  {
    const std::lock_guard lock(all().mutex);
    others = all().list;
  }
  for (const StoreInFlight* other : others)
    while (other != this && other->is_of(word)) sched_yield();
}

}  // namespace cucpu::trace
