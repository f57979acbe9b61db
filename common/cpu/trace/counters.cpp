#include "counters.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "cucpu/execution.h"
#include "settings.h"
#include "source_lines.h"
#include "source_path.h"
#include "stream_order.h"

namespace cucpu::trace {
namespace {

constexpr std::size_t kMostLines = 10;
// Places that are not addresses of instructions are numbered from here, below all addresses.
constexpr std::uintptr_t kFirstPlace = 1;

struct CountedLaunch {
  std::string kernel;
  dim3 grid, block;
  Tallies tallies;
};

// The counts of all workers.
struct Counted {
  std::mutex mutex;
  bool counting = false;
  Tallies launch;  // of the one under way
  std::vector<CountedLaunch> launches;
};
Counted& counted() {
  static Counted& c = *new Counted;  // workers may outlive static objects
  return c;
}

AccessCount& count_of(Counters& counters, Space space, Kind kind) {
  const bool global = space == Space::global;
  switch (kind) {
    case Kind::load:
      return global ? counters.global_load : counters.shared_load;
    case Kind::store:
      return global ? counters.global_store : counters.shared_store;
    default:
      return global ? counters.global_atomic : counters.shared_atomic;
  }
}

std::uint64_t& count_of(Counters& counters, std::string_view what) {
  if (is_warp_barrier(what)) return counters.warp_syncs;
  return what.find("shfl") != what.npos ? counters.shuffles : counters.votes;
}

// A line's cost in accesses to memory, by which lines are ranked.
std::uint64_t cost(const Counters& c) {
  return c.global_load.sectors + c.global_store.sectors + c.global_atomic.sectors +
         c.shared_load.wavefronts + c.shared_store.wavefronts + c.shared_atomic.wavefronts +
         c.shuffles + c.votes + c.warp_syncs + c.barriers;
}

using Lines = std::unordered_map<std::uintptr_t, SourceLine>;

// The lines of all instructions that were counted, found in one go.
Lines lines_of(const std::vector<CountedLaunch>& launches) {
  std::vector<std::uintptr_t> code;
  for (const CountedLaunch& launch : launches)
    for (const auto& [place, tally] : launch.tallies)
      if (tally.site.file == nullptr) code.push_back(place);
  std::sort(code.begin(), code.end());
  code.erase(std::unique(code.begin(), code.end()), code.end());
  return source_lines(code);
}

std::vector<LineCounters> by_line(const Tallies& tallies, const Lines& lines) {
  std::map<std::pair<std::string, unsigned>, Counters> merged;
  for (const auto& [place, tally] : tallies) {
    if (tally.site.file != nullptr) {
      merged[{as_seen_from_here(tally.site.file), tally.site.line}] += tally.counters;
    } else {
      const SourceLine& line = lines.at(place);
      merged[{line.file, line.line}] += tally.counters;
    }
  }
  std::vector<LineCounters> list;
  for (const auto& [line, counters] : merged) list.push_back({line.first, line.second, counters});
  const std::size_t shown = std::min(kMostLines, list.size());
  std::stable_sort(list.begin(), list.end(), [](const LineCounters& a, const LineCounters& b) {
    return cost(a.counters) > cost(b.counters);
  });
  list.resize(shown);
  return list;
}

}  // namespace

AccessCount& AccessCount::operator+=(const AccessCount& other) {
  requests += other.requests;
  threads += other.threads;
  bytes += other.bytes;
  bytes_used += other.bytes_used;
  sectors += other.sectors;
  wavefronts += other.wavefronts;
  conflicts += other.conflicts;
  words += other.words;
  return *this;
}

Counters& Counters::operator+=(const Counters& other) {
  global_load += other.global_load;
  global_store += other.global_store;
  global_atomic += other.global_atomic;
  shared_load += other.shared_load;
  shared_store += other.shared_store;
  shared_atomic += other.shared_atomic;
  barriers += other.barriers;
  warp_syncs += other.warp_syncs;
  shuffles += other.shuffles;
  votes += other.votes;
  return *this;
}

CountingTool::CountingTool(Spaces& spaces, bool alone)
    : spaces_(spaces),
      requests_(Process{this}, alone ? counting_cursor : own_cursor_),
      draws_(settings().tools.draw) {}

void CountingTool::begin_block(unsigned threads) {
  requests_.begin_block(threads);
  barriers_.assign(threads, 0);
  block_barriers_ = 0;
  logs_ = settings().tools.accesses && blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0;
  if (draws_) patterns_.begin_block(threads);
}

void CountingTool::end_block() {
  if (logs_) log_.place(spaces_.global(), spaces_.static_shared(), spaces_.dynamic_shared());
  if (draws_)
    patterns_.end_block(spaces_.global(), spaces_.static_shared(), spaces_.dynamic_shared());
}

void CountingTool::arrive(const Thread& thread, const Arrival& arrival) {
  const Place& place = place_of(arrival);
  if (!arrival.block) {
    requests_.add(operation(place.code, Kind::load, 0), Way::plain, 0);
  } else if (!arrival.again && ++barriers_[thread.number] > block_barriers_) {
    block_barriers_ = barriers_[thread.number];
    Tally& tally = tallies_[place.code];
    tally.site = place.arrival.site;
    ++tally.counters.barriers;
  }
  requests_.arrive(arrival.block ? ~std::uint32_t{0} : arrival.mask);
}

std::size_t CountingTool::find_place(const Arrival& arrival) {
  const auto found = std::find_if(places_.begin(), places_.end(),
                                  [&](const Place& place) { return place.is_of(arrival); });
  if (found != places_.end()) return found - places_.begin();
  places_.push_back({arrival, kFirstPlace + places_.size()});
  return places_.size() - 1;
}

namespace {
AccessCount count_of(const GlobalCost& cost) {
  AccessCount c;
  c.sectors = cost.sectors;
  c.bytes_used = cost.bytes;
  return c;
}

AccessCount count_of(const SharedCost& cost) {
  AccessCount c;
  c.wavefronts = cost.wavefronts;
  c.conflicts = cost.conflicts;
  c.words = cost.words;
  return c;
}

// `source` (kLanes), or null: where what is stored is copied from.
Cost cost_of(const Row& row, Space space, std::uint32_t lanes,
             const std::uintptr_t* source = nullptr) {
  const Request request{lanes, row.bytes(), row.kind() == Kind::load, row.address.data()};
  Cost cost;
  unsigned requests = 1;
  auto threads = static_cast<unsigned>(std::popcount(lanes));
  if (space == Space::global) {
    cost.access =
        count_of(row.kind() == Kind::atomic ? global_atomic_cost(request) : global_cost(request));
  } else if (row.kind() == Kind::atomic) {
    const SharedAtomicCost shared = shared_atomic_cost(request, row.way);
    cost.access = count_of(shared.atomic);
    requests = shared.rounds;
    threads = shared.threads;
    if (row.way == Way::loop) {
      cost.load = count_of(shared.load);
      cost.load.requests = requests;
      cost.load.threads = threads;
      cost.load.bytes = std::uint64_t{threads} * request.bytes;
    }
  } else {
    cost.access = count_of(source != nullptr ? copy_cost(request, source) : shared_cost(request));
  }
  cost.access.requests = requests;
  cost.access.threads = threads;
  cost.access.bytes = std::uint64_t{threads} * request.bytes;
  return cost;
}

AccessCount operator*(const AccessCount& c, std::uint64_t times) {
  AccessCount product;
  product.requests = c.requests * times;
  product.threads = c.threads * times;
  product.bytes = c.bytes * times;
  product.bytes_used = c.bytes_used * times;
  product.sectors = c.sectors * times;
  product.wavefronts = c.wavefronts * times;
  product.conflicts = c.conflicts * times;
  product.words = c.words * times;
  return product;
}

void add(Counters& counters, Space space, Kind kind, const Cost& cost, std::uint64_t times = 1) {
  count_of(counters, space, kind) += cost.access * times;
  counters.shared_load += cost.load * times;
}
}  // namespace

void Repeated::begin(const Row& row, Space space, const Cost& cost) {
  times_ = 1;
  space_ = space;
  cost_ = cost;
  const std::uintptr_t base = base_of(row);
  std::intptr_t lowest = 0;
  std::intptr_t highest = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    offset_[lane] = row.address[lane] - base;
    lowest = std::min(lowest, static_cast<std::intptr_t>(offset_[lane]));
    highest = std::max(highest, static_cast<std::intptr_t>(offset_[lane]));
  }
  lowest_ = static_cast<std::uintptr_t>(lowest);
  highest_ = static_cast<std::uintptr_t>(highest);
}

const std::uintptr_t* CopySource::of(const Row& row) {
  if (row.way != Way::copy) return nullptr;
  if (row.kind() == Kind::load) {
    code_ = row.code();
    lanes_ = row.lanes;
    address_ = row.address;
    return nullptr;
  }
  return row.code() == code_ && row.lanes == lanes_ ? address_.data() : nullptr;
}

CountingTool::Recent& CountingTool::recent_of(const Row& row) {
  const std::uint64_t operation = row.operation();
  // Fibonacci hashing: addresses of instructions differ in few bits.
  Recent& recent = recent_[operation * 0x9e3779b97f4a7c15 >> (64 - kRecentBits)];
  if (recent.operation != operation) {
    add_repeated(recent);
    recent = {operation, nullptr, {}};
  }
  return recent;
}

Tally& CountingTool::tally_of(Recent& recent, const Row& row) {
  if (recent.tally == nullptr) recent.tally = &tallies_[row.code()];
  return *recent.tally;
}

void CountingTool::add_repeated(Recent& recent) {
  const Repeated& repeated = recent.repeated;
  if (repeated.times() != 0)
    add(recent.tally->counters, repeated.space(), kind_of(recent.operation), repeated.cost(),
        repeated.times());
}

void CountingTool::count(const Row& row, unsigned warp) {
  Recent& recent = recent_of(row);
  if (row.is_arrival()) {
    const Place& place = places_[row.code() - kFirstPlace];
    Tally& tally = tally_of(recent, row);
    tally.site = place.arrival.site;
    ++count_of(tally.counters, place.arrival.what);
  } else if (row.lanes != ~std::uint32_t{0} || logs_ || draws_ ||
             !recent.repeated.add(row, spaces_)) {
    count_anew(row, warp, recent);
  }
}

void CountingTool::count_anew(const Row& row, unsigned warp, Recent& recent) {
  // The same instruction may be at memory of different kinds in different lanes.
  std::uint32_t global = 0;
  std::uint32_t shared = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t bit = std::uint32_t{1} << lane;
    if ((row.lanes & bit) == 0) continue;
    const Space space = spaces_.of(row.address[lane]);
    if (space == Space::global) global |= bit;
    if (space == Space::shared) shared |= bit;
  }
  const std::uintptr_t* const source = copy_source_.of(row);
  for (const auto& [space, lanes] : {std::pair(Space::global, global), {Space::shared, shared}}) {
    if (lanes == 0) continue;
    Counters& counters = tally_of(recent, row).counters;
    const Cost cost = cost_of(row, space, lanes, source);
    if (logs_)
      log_.add(row, warp, space, lanes,
               space == Space::global ? cost.access.sectors : cost.access.wavefronts);
    if (draws_) patterns_.add(row, warp, space, lanes, cost.access);
    if (lanes == ~std::uint32_t{0} && row.way != Way::copy) {
      add_repeated(recent);
      recent.repeated.begin(row, space, cost);
    } else {
      add(counters, space, row.kind(), cost);
    }
  }
}

void CountingTool::end_launch() {
  requests_.clear();
  for (Recent& recent : recent_) add_repeated(recent);
  Counted& all = counted();
  const std::lock_guard lock(all.mutex);
  for (const auto& [code, tally] : tallies_) {
    // Workers number their places by themselves.
    std::uintptr_t place = code;
    if (tally.site.file != nullptr)
      place = ~(std::hash<const void*>()(tally.site.file) * 0x10001 + tally.site.line);
    Tally& sum = all.launch[place];
    sum.counters += tally.counters;
    sum.site = tally.site;
  }
  tallies_.clear();
  recent_.fill({});
  log_.end_launch();
  if (draws_) patterns_.end_launch();
}

bool is_warp_barrier(std::string_view what) {
  return what == "__syncwarp" || what == "thread_group::sync" || what == "sync of a group";
}

bool is_counting() { return counted().counting; }

void end_counted_launch(const Grid& grid) {
  Counted& all = counted();
  const std::lock_guard lock(all.mutex);
  all.launches.push_back(
      {grid.task.name, grid.config.grid, grid.config.block, std::exchange(all.launch, {})});
}

void start_counting() {
  wait_for_all();
  Counted& all = counted();
  const std::lock_guard lock(all.mutex);
  all.counting = true;
  all.launches.clear();
}

std::vector<LaunchCounters> take_counters() {
  wait_for_all();
  Counted& all = counted();
  const std::lock_guard lock(all.mutex);
  const std::vector<CountedLaunch> launches = std::exchange(all.launches, {});
  const Lines lines = lines_of(launches);
  std::vector<LaunchCounters> result;
  for (const CountedLaunch& launch : launches) {
    result.push_back(
        {launch.kernel, launch.grid, launch.block, {}, by_line(launch.tallies, lines)});
    for (const auto& [place, tally] : launch.tallies) result.back().counters += tally.counters;
  }
  return result;
}

Counters take_sum() {
  wait_for_all();
  Counted& all = counted();
  const std::lock_guard lock(all.mutex);
  Counters sum;
  for (const CountedLaunch& launch : std::exchange(all.launches, {}))
    for (const auto& [place, tally] : launch.tallies) sum += tally.counters;
  return sum;
}

}  // namespace cucpu::trace
