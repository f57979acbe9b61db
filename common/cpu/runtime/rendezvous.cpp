#include "rendezvous.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "lanes.h"

namespace cucpu {

std::string_view operation(std::string_view what) {
  if (what == "__syncwarp" || what == "thread_group::sync" || what == "sync of a group")
    return "sync";
  for (const std::string_view prefix : {"__", "group."})
    if (what.starts_with(prefix)) what.remove_prefix(prefix.size());
  if (what.ends_with("_sync")) what.remove_suffix(std::string_view("_sync").size());
  return what;
}

void Rendezvous::begin_block(unsigned warps) { std::fill_n(pending_.begin(), warps, nullptr); }

Exchange& Rendezvous::arrive(unsigned warp, unsigned lane, std::uint32_t mask, std::uint64_t value,
                             const char* what, Site site) {
  Exchange* exchange = pending_[warp];
  while (exchange != nullptr &&
         (exchange->mask != mask || !is_same_operation(exchange->what, what)))
    exchange = exchange->next;
  if (exchange == nullptr) {
    exchange = &make(warp);
    exchange->mask = mask;
    exchange->what = what;
    exchange->site = site;
  }
  exchange->value[lane] = value;
  exchange->arrived |= bit_of(lane);
  return *exchange;
}

Exchange& Rendezvous::take_over(unsigned warp, const Exchange& begun) {
  Exchange& own = make(warp);
  Exchange* const next = own.next;
  own = begun;
  own.next = next;
  return own;
}

Exchange& Rendezvous::make(unsigned warp) {
  Exchange* exchange = free_;
  if (exchange == nullptr) {
    all_.push_back(std::make_unique<Exchange>());
    exchange = all_.back().get();
  } else {
    free_ = exchange->next;
  }
  exchange->arrived = 0;
  exchange->next = std::exchange(pending_[warp], exchange);
  return *exchange;
}

void Rendezvous::complete(unsigned warp, Exchange& exchange) {
  exchange.lanes = exchange.arrived;
  exchange.readers = std::popcount(exchange.arrived);
  Exchange** link = &pending_[warp];
  while (*link != &exchange) link = &(*link)->next;
  *link = exchange.next;
}

void Rendezvous::leave(Fiber& fiber) {
  auto* const exchange =
      static_cast<Exchange*>(const_cast<WarpExchange*>(std::exchange(fiber.exchange, nullptr)));
  if (exchange == nullptr || --exchange->readers > 0) return;
  exchange->next = free_;
  free_ = exchange;
}

void Rendezvous::clear() {
  pending_.fill(nullptr);
  free_ = nullptr;
  all_.clear();
}

const Exchange* Rendezvous::of(unsigned warp, unsigned lane) const {
  const Exchange* exchange = pending_[warp];
  while (exchange != nullptr && (exchange->arrived & bit_of(lane)) == 0) exchange = exchange->next;
  return exchange;
}

}  // namespace cucpu
