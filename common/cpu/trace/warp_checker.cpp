#include "warp_checker.h"

#include <algorithm>
#include <string_view>

#include "lanes.h"
#include "rendezvous.h"
#include "report.h"

namespace cucpu::trace {
namespace {

constexpr const char* kAdvice =
    "Call it outside the branch, or with a mask of the lanes that take the branch, from a "
    "__ballot_sync() before it";

}  // namespace

void WarpChecker::begin_block(unsigned threads) {
  const unsigned warps = (threads + kLanes - 1) / kLanes;
  std::fill_n(warps_.begin(), warps, Warp());
  if (threads % kLanes != 0) warps_[warps - 1].exited = ~std::uint32_t{0} << threads % kLanes;
}

void WarpChecker::exit_thread(const Thread& thread, bool at_end) {
  Warp& warp = warps_[thread.warp];
  warp.exited |= bit_of(thread.lane);
  if (at_end) warp.at_end |= bit_of(thread.lane);
}

void WarpChecker::lanes_met(unsigned warp, std::uint32_t mask) {
  const Warp& w = warps_[warp];
  if ((mask & w.reported) != 0) return;
  const std::uint32_t lanes = mask & ~w.exited;
  const Calls& calls = calls_[warp];
  const Call& first = calls[lowest_lane(lanes)];
  bool differ = false;
  for_each_lane(lanes, [&](unsigned lane) {
    const Call& call = calls[lane];
    differ |= call.what != first.what || call.site.line != first.site.line ||
              call.site.file != first.site.file;
  });
  if (differ) look_at_calls(warp, lanes);
  if ((mask & w.at_end & ~w.reported) != 0) report_missing(warp, mask, lanes);
}

// They do the same, from different lines perhaps.
void WarpChecker::look_at_calls(unsigned warp, std::uint32_t lanes) {
  const Calls& calls = calls_[warp];
  const Call& first = calls[lowest_lane(lanes)];
  bool is_one_line = true;
  for_each_lane(lanes,
                [&](unsigned lane) { is_one_line &= same_line(calls[lane].site, first.site); });
  Warp& w = warps_[warp];
  if (is_one_line || (w.mixed & lanes) != 0) return;
  w.mixed |= lanes;
  for_each_lane(lanes, [&](unsigned lane) { mixed_calls_[warp][lane] = calls[lane]; });
}

std::uint32_t WarpChecker::with_call(const Calls& calls, std::uint32_t lanes, const Call& call) {
  std::uint32_t same = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    const Call& other = calls[lane];
    if (is_same_operation(other.what, call.what) && same_line(other.site, call.site))
      same |= bit_of(lane);
  });
  return same;
}

void WarpChecker::report_missing(unsigned warp, std::uint32_t mask, std::uint32_t lanes) {
  Warp& w = warps_[warp];
  w.reported |= mask;
  const unsigned lane = lowest_lane(mask & w.at_end);
  const Call& here = calls_[warp][lowest_lane(lanes)];
  const auto call_of = [&](std::uint32_t who, const Call& call) {
    return std::string("this ") + call.what + " of " + describe_lanes(who) + " with mask " +
           hex(mask) + ", which names it";
  };
  // If they met from two lines before, it was there that it passed the other one by.
  const Calls& calls = mixed_calls_[warp];
  const Call& its = calls[lane];
  std::uint32_t others = (w.mixed & bit_of(lane)) != 0 ? lanes & w.mixed : 0;
  if (others != 0) others &= ~with_call(calls, others, its);
  if (others == 0) {
    report(warp, lane, here.site, {}, [&] {
      return std::vector{"It came to the end of the kernel, past " + call_of(lanes, here),
                         std::string(kAdvice)};
    });
    return;
  }
  const Call& passed = calls[lowest_lane(others)];
  report(warp, lane, passed.site, its.site, [&] {
    return std::vector{"It went past " + call_of(with_call(calls, others, passed), passed) +
                           ", to the next one, in " + describe(its.site),
                       "It came to the end of the kernel, and their last one, in " +
                           describe(here.site) + ", still waits for it",
                       std::string(kAdvice)};
  });
}

template <class Lines>
void WarpChecker::report(unsigned warp, unsigned lane, Site place, Site other, Lines lines) {
  findings_.add_in(warp * kLanes + lane, {FindingKind::invalid_mask, {0, place}, {0, other}}, [&] {
    return Finding{"Barrier error detected. Divergent thread(s) in warp.", "", lines()};
  });
}

std::string WarpChecker::how_out_of_step(unsigned warp) const {
  const Calls& calls = mixed_calls_[warp];
  std::uint32_t lanes = warps_[warp].mixed;
  std::string text;
  while (lanes != 0) {
    const Call& call = calls[lowest_lane(lanes)];
    const std::uint32_t same = with_call(calls, lanes, call);
    text += (text.empty() ? "" : " met ") + describe_lanes(same) + " at " + call.what + " in " +
            describe(call.site);
    lanes &= ~same;
  }
  return text;
}

}  // namespace cucpu::trace
