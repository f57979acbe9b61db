#include "patterns.h"

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include "cucpu/execution.h"
#include "lanes.h"

namespace cucpu::trace {
namespace {

constexpr unsigned kMostPatterns = 256;     // of an instruction, in blocks that are not shown
constexpr std::size_t kMostLaunches = 64;   // that differ
constexpr std::size_t kMostInBlock = 2048;  // requests that are shown of a block
constexpr std::size_t kLeastOfWarp = 64;    // and of a warp, also where there are many
constexpr std::size_t kMostOfWarp = 512;

std::uint64_t linear_block() {
  return blockIdx.x +
         std::uint64_t{gridDim.x} * (blockIdx.y + std::uint64_t{gridDim.y} * blockIdx.z);
}

// The first blocks, both ends of a row, the middle, and the last ones, which often do less.
bool is_shown(std::uint64_t block, const Grid& grid) {
  const std::uint64_t blocks = grid.block_count, row = grid.config.grid.x;
  return block < 3 || block + 1 == row || block == row || block == blocks / 2 ||
         block + 2 >= blocks;
}

std::uint64_t units_of(const AccessCount& count, Space space) {
  return space == Space::global ? count.sectors : count.wavefronts;
}

PatternKey key_of(const Row& row, Space space, std::uint32_t lanes, std::uint64_t units,
                  std::uintptr_t base) {
  PatternKey key{{row.operation(), space, row.way}, lanes, static_cast<std::uint32_t>(units), {}};
  for_each_lane(lanes, [&](unsigned lane) { key.offset[lane] = row.address[lane] - base; });
  return key;
}

std::uintptr_t base_of(const Row& row, std::uint32_t lanes) {
  std::uintptr_t lowest = ~std::uintptr_t{0};
  for_each_lane(lanes, [&](unsigned lane) { lowest = std::min(lowest, row.address[lane]); });
  return lowest / kLineBytes * kLineBytes;
}

struct Drawn {
  std::mutex mutex;
  DrawnLaunch launch;  // the one under way
  std::map<PatternKey, unsigned> index;
  DrawnLaunches all;
};
Drawn& drawn() {
  static Drawn& d = *new Drawn;  // workers may outlive static objects
  return d;
}

// Whether only addresses, and the order of blocks, make a difference.
bool are_alike(const DrawnLaunch& a, const DrawnLaunch& b) {
  const auto same = [](const dim3& c, const dim3& d) {
    return c.x == d.x && c.y == d.y && c.z == d.z;
  };
  return a.kernel == b.kernel && same(a.grid, b.grid) && same(a.block, b.block) &&
         std::equal(a.totals.begin(), a.totals.end(), b.totals.begin(), b.totals.end(),
                    [](const AccessTotal& c, const AccessTotal& d) {
                      return c.access == d.access && c.count.requests == d.count.requests &&
                             c.count.threads == d.count.threads &&
                             units_of(c.count, c.access.space) == units_of(d.count, d.access.space);
                    }) &&
         std::equal(a.patterns.begin(), a.patterns.end(), b.patterns.begin(), b.patterns.end(),
                    [](const Pattern& c, const Pattern& d) {
                      return c.key == d.key && c.count == d.count;
                    });
}

// Patterns by key, whichever worker came to them first.
void sort(DrawnLaunch& launch) {
  std::vector<unsigned> order(launch.patterns.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
    return launch.patterns[a].key < launch.patterns[b].key;
  });
  std::vector<unsigned> place_of(order.size());
  std::vector<Pattern> patterns;
  for (const unsigned i : order) {
    place_of[i] = static_cast<unsigned>(patterns.size());
    patterns.push_back(launch.patterns[i]);
  }
  launch.patterns = std::move(patterns);
  for (ShownBlock& block : launch.blocks)
    for (ShownWarp& warp : block.warps)
      for (ShownRequest& request : warp.requests) request.pattern = place_of[request.pattern];
  std::sort(launch.totals.begin(), launch.totals.end(),
            [](const AccessTotal& a, const AccessTotal& b) { return a.access < b.access; });
  std::sort(launch.blocks.begin(), launch.blocks.end(),
            [](const ShownBlock& a, const ShownBlock& b) { return a.block < b.block; });
}

void add(std::vector<AccessTotal>& totals, const AccessTotal& total) {
  const auto found = std::find_if(totals.begin(), totals.end(), [&](const AccessTotal& one) {
    return one.access == total.access;
  });
  if (found == totals.end())
    totals.push_back(total);
  else
    found->count += total.count;
}

// Adds a worker's pattern to those of the launch; its index there.
unsigned add(Drawn& all, const Pattern& pattern) {
  auto& patterns = all.launch.patterns;
  const auto [found, is_new] =
      all.index.emplace(pattern.key, static_cast<unsigned>(patterns.size()));
  if (is_new) {
    patterns.push_back(pattern);
    return found->second;
  }
  Pattern& sum = patterns[found->second];
  const std::uint64_t count = sum.count + pattern.count;
  if (std::pair(pattern.block, pattern.warp) < std::pair(sum.block, sum.warp)) sum = pattern;
  sum.count = count;
  return found->second;
}

}  // namespace

std::uint64_t DrawnLaunch::cost() const {
  std::uint64_t sum = 0;
  for (const AccessTotal& total : totals) sum += units_of(total.count, total.access.space);
  return sum * times;
}

std::size_t PatternLog::Hash::operator()(const PatternKey& key) const {
  std::uint64_t hash = key.access.operation ^ std::uint64_t{key.lanes} << 32 ^ key.units;
  for (const std::uint64_t offset : key.offset) {
    hash ^= offset;
    hash *= 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  return hash;
}

void PatternLog::begin_block(unsigned threads) {
  block_ = linear_block();
  shown_ = nullptr;
  if (!is_shown(block_, *grid_)) return;
  const unsigned warps = (threads + kLanes - 1) / kLanes;
  log_.blocks.push_back({block_, std::vector<ShownWarp>(warps)});
  shown_ = &log_.blocks.back();
  most_requests_ = std::clamp(kMostInBlock / warps, kLeastOfWarp, kMostOfWarp);
}

unsigned PatternLog::find(const PatternKey& key, unsigned warp, std::uintptr_t base) {
  if (const auto found = index_.find(key); found != index_.end()) return found->second;
  unsigned& patterns = patterns_of_[key.access.operation];
  if (patterns >= kMostPatterns && shown_ == nullptr) return kNoPattern;
  ++patterns;
  const auto next = static_cast<unsigned>(log_.patterns.size());
  index_.emplace(key, next);
  log_.patterns.push_back({.key = key, .block = block_, .warp = warp, .base = base, .place = {}});
  unplaced_.push_back(next);
  return next;
}

void PatternLog::add(const Row& row, unsigned warp, Space space, std::uint32_t lanes,
                     const AccessCount& cost) {
  const std::uintptr_t base = base_of(row, lanes);
  const PatternKey key = key_of(row, space, lanes, units_of(cost, space), base);
  // The rounds of an atomic function that loops are one request.
  AccessCount one = cost;
  one.requests = 1;
  one.threads = static_cast<unsigned>(std::popcount(lanes));
  trace::add(totals_[key.access.operation], {key.access, one});
  ShownWarp* const shown = shown_ == nullptr ? nullptr : &shown_->warps[warp];
  if (shown != nullptr && shown->requests.size() == most_requests_) {
    ++shown->left_out;
    if (!index_.contains(key)) return;
  }
  const unsigned pattern = find(key, warp, base);
  if (pattern == kNoPattern) return;
  ++log_.patterns[pattern].count;
  if (shown != nullptr && shown->requests.size() < most_requests_)
    shown->requests.push_back({pattern, base, {}});
}

void PatternLog::end_block(const std::vector<Extent>& global, const Extent& static_shared,
                           const Extent& dynamic_shared) {
  if (log_.memories.size() != global.size()) {
    log_.memories.clear();
    for (const Extent& memory : global) log_.memories.push_back(memory.bytes);
  }
  if (static_shared.bytes != 0)
    static_shared_ = std::min(static_shared_, static_shared.begin / kWordBytes * kWordBytes);
  const auto place_of = [&](const PatternKey& key, std::uintptr_t base) -> MemoryPlace {
    // The line that the lowest address is in may begin before its memory does.
    const std::uintptr_t first = base + key.offset[lowest_lane(key.lanes)];
    const auto from = [&](const Extent& memory) {
      return static_cast<std::int64_t>(base - memory.begin);
    };
    if (key.access.space == Space::shared && static_shared.contains(first))
      return {MemoryPlace::kStaticShared, from(static_shared)};
    if (key.access.space == Space::shared)
      return {MemoryPlace::kDynamicShared, from(dynamic_shared)};
    const Extent* const memory = find_extent(global, first);
    if (memory == nullptr) return {MemoryPlace::kNone, static_cast<std::int64_t>(base)};
    return {static_cast<unsigned>(memory - global.data()), from(*memory)};
  };
  for (const std::size_t i : std::exchange(unplaced_, {}))
    log_.patterns[i].place = place_of(log_.patterns[i].key, log_.patterns[i].base);
  if (shown_ == nullptr) return;
  for (ShownWarp& warp : shown_->warps)
    for (ShownRequest& request : warp.requests)
      request.place = place_of(log_.patterns[request.pattern].key, request.base);
}

void PatternLog::align_shared() {
  const std::uintptr_t begin = std::exchange(static_shared_, ~std::uintptr_t{0});
  const std::uintptr_t excess = begin % kLineBytes;
  if (excess == 0 || begin + 1 == 0) return;
  std::vector<std::int64_t> moved(log_.patterns.size(), 0);
  for (std::size_t i = 0; i < log_.patterns.size(); ++i) {
    Pattern& pattern = log_.patterns[i];
    auto& offset = pattern.key.offset;
    // Dynamic shared memory begins with a line.
    if (pattern.place.memory != MemoryPlace::kStaticShared) continue;
    std::uint64_t lowest = kLineBytes;
    for_each_lane(pattern.key.lanes,
                  [&](unsigned lane) { lowest = std::min(lowest, offset[lane]); });
    moved[i] = static_cast<std::int64_t>(excess) -
               (lowest < excess ? static_cast<std::int64_t>(kLineBytes) : 0);
    for_each_lane(pattern.key.lanes,
                  [&](unsigned lane) { offset[lane] -= static_cast<std::uint64_t>(moved[i]); });
    pattern.place.offset += moved[i];
  }
  for (ShownBlock& block : log_.blocks)
    for (ShownWarp& warp : block.warps)
      for (ShownRequest& request : warp.requests) request.place.offset += moved[request.pattern];
}

void PatternLog::end_launch() {
  align_shared();
  DrawnLaunch log = std::exchange(log_, {});
  index_.clear();
  patterns_of_.clear();
  const auto totals = std::exchange(totals_, {});
  unplaced_.clear();
  shown_ = nullptr;
  Drawn& all = drawn();
  const std::lock_guard lock(all.mutex);
  for (const auto& [operation, of_operation] : totals)
    for (const AccessTotal& total : of_operation) trace::add(all.launch.totals, total);
  std::vector<unsigned> place_of;
  for (const Pattern& pattern : log.patterns) place_of.push_back(trace::add(all, pattern));
  for (ShownBlock& block : log.blocks) {
    for (ShownWarp& warp : block.warps)
      for (ShownRequest& request : warp.requests) request.pattern = place_of[request.pattern];
    all.launch.blocks.push_back(std::move(block));
  }
  if (all.launch.memories.empty()) all.launch.memories = std::move(log.memories);
}

void end_drawn_launch(const Grid& grid) {
  Drawn& all = drawn();
  const std::lock_guard lock(all.mutex);
  DrawnLaunch launch = std::exchange(all.launch, {});
  all.index.clear();
  launch.kernel = grid.task.name;
  launch.grid = grid.config.grid;
  launch.block = grid.config.block;
  sort(launch);
  auto& launches = all.all.launches;
  for (DrawnLaunch& earlier : launches) {
    if (!are_alike(earlier, launch)) continue;
    ++earlier.times;
    return;
  }
  launches.push_back(std::move(launch));
  if (launches.size() <= kMostLaunches) return;
  const auto cheapest = std::min_element(
      launches.begin(), launches.end(),
      [](const DrawnLaunch& a, const DrawnLaunch& b) { return a.cost() < b.cost(); });
  all.all.left_out += cheapest->times;
  launches.erase(cheapest);
}

DrawnLaunches take_drawn_launches() {
  Drawn& all = drawn();
  const std::lock_guard lock(all.mutex);
  return std::exchange(all.all, {});
}

}  // namespace cucpu::trace
