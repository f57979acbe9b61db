#include "drawing/model.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

#include "lanes.h"
#include "source_lines.h"

namespace cucpu::drawing {
namespace {

using trace::DrawnLaunch;
using trace::Pattern;

constexpr std::size_t kMostPatterns = 8;  // that are listed of an access
constexpr std::size_t kMostPictures = 300;
constexpr std::size_t kMostRequests = 150'000;  // that are shown one by one
constexpr unsigned kAround = 6;                 // lines of the source, before and after an access

std::uintptr_t code_of(const trace::AccessKey& access) {
  return static_cast<std::uintptr_t>(access.operation >> 5);
}
unsigned bytes_of(const trace::AccessKey& access) { return 1u << (access.operation & 7); }

PatternKey without_code(PatternKey key) {
  key.access.operation &= 31;
  return key;
}

// As if the lowest address were in a line's first sector, or in the first bank: neither makes a
// difference to what the request costs.
PatternKey moved_to_front(PatternKey key) {
  std::uint64_t lowest = ~std::uint64_t{0};
  for_each_lane(key.lanes, [&](unsigned lane) { lowest = std::min(lowest, key.offset[lane]); });
  const std::uint64_t unit =
      key.access.space == Space::global ? trace::kSectorBytes : trace::kWordBytes;
  for_each_lane(key.lanes, [&](unsigned lane) { key.offset[lane] -= lowest / unit * unit; });
  return key;
}

std::unordered_map<std::uintptr_t, trace::SourceLine> lines_of(
    const std::vector<DrawnLaunch>& launches) {
  std::set<std::uintptr_t> code;
  for (const DrawnLaunch& launch : launches)
    for (const trace::AccessTotal& total : launch.totals) code.insert(code_of(total.access));
  return trace::source_lines({code.begin(), code.end()});
}

class Maker {
 public:
  explicit Maker(const std::vector<DrawnLaunch>& launches)
      : drawn_(launches), source_(lines_of(launches)) {}

  Drawing make() {
    drawing_.launches.resize(drawn_.size());
    // The costliest ones get what there is of pictures and requests.
    std::vector<std::size_t> order(drawn_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return drawn_[a].cost() > drawn_[b].cost();
    });
    for (const std::size_t i : order) fill(drawing_.launches[i], drawn_[i]);
    read_sources();
    return std::move(drawing_);
  }

 private:
  struct Where {
    unsigned line, access;
  };
  using AccessForm = std::tuple<Space, Kind, unsigned, bool>;

  void fill(Launch& launch, const DrawnLaunch& drawn) {
    launch.kernel = drawn.kernel;
    launch.grid = drawn.grid;
    launch.block = drawn.block;
    launch.times = drawn.times;
    launch.memories = drawn.memories;
    const auto where = fill_lines(launch, drawn);
    fill_patterns(launch, drawn, where);
    fill_blocks(launch, drawn, where);
  }

  unsigned file_of(const std::string& name) {
    const auto [found, is_new] = files_.emplace(name, static_cast<unsigned>(drawing_.files.size()));
    if (is_new) drawing_.files.push_back({name, {}});
    return found->second;
  }

  // Several instructions may be of one line, and of one form.
  std::map<trace::AccessKey, Where> fill_lines(Launch& launch, const DrawnLaunch& drawn) {
    std::map<std::pair<unsigned, unsigned>, std::map<AccessForm, Access>> lines;
    const auto form_of = [](const trace::AccessKey& key) {
      return AccessForm{key.space, trace::kind_of(key.operation), bytes_of(key),
                        key.way == Way::copy};
    };
    const auto line_of = [&](const trace::AccessKey& key) {
      const trace::SourceLine& line = source_.at(code_of(key));
      return std::pair(file_of(line.file), line.line);
    };
    for (const trace::AccessTotal& total : drawn.totals) {
      const AccessForm form = form_of(total.access);
      const auto& [space, kind, bytes, is_copy] = form;
      Access& access = lines[line_of(total.access)]
                           .try_emplace(form, Access{space, kind, bytes, is_copy, {}, {}})
                           .first->second;
      access.count += total.count;
    }
    for (auto& [place, accesses] : lines) {
      Line line{place.first, place.second, {}};
      for (auto& [form, access] : accesses) line.accesses.push_back(std::move(access));
      std::stable_sort(line.accesses.begin(), line.accesses.end(),
                       [](const Access& a, const Access& b) { return a.units() > b.units(); });
      launch.lines.push_back(std::move(line));
    }
    std::stable_sort(launch.lines.begin(), launch.lines.end(),
                     [](const Line& a, const Line& b) { return a.cost() > b.cost(); });
    std::map<trace::AccessKey, Where> where;
    for (const trace::AccessTotal& total : drawn.totals) {
      const auto place = line_of(total.access);
      unsigned line = 0, access = 0;
      while (std::pair(launch.lines[line].file, launch.lines[line].line) != place) ++line;
      const auto& accesses = launch.lines[line].accesses;
      const AccessForm form = form_of(total.access);
      while (AccessForm{accesses[access].space, accesses[access].kind, accesses[access].bytes,
                        accesses[access].is_copy} != form)
        ++access;
      where[total.access] = {line, access};
    }
    return where;
  }

  unsigned picture_of(const PatternKey& key) {
    const PatternKey form = without_code(key);
    if (const auto found = pictures_.find(form); found != pictures_.end()) return found->second;
    if (pictures_.size() >= kMostPictures) return kNone;
    const auto next = static_cast<unsigned>(drawing_.pictures.size());
    pictures_.emplace(form, next);
    drawing_.pictures.push_back(form);
    return next;
  }

  void fill_patterns(Launch& launch, const DrawnLaunch& drawn,
                     const std::map<trace::AccessKey, Where>& where) {
    // Patterns that differ only in their instruction are one.
    std::map<std::tuple<unsigned, unsigned, PatternKey>, Pattern> merged;
    for (const Pattern& pattern : drawn.patterns) {
      const Where at = where.at(pattern.key.access);
      const auto [found, is_new] =
          merged.try_emplace({at.line, at.access, without_code(pattern.key)}, pattern);
      if (is_new) continue;
      Pattern& sum = found->second;
      const std::uint64_t count = sum.count + pattern.count;
      if (std::pair(pattern.block, pattern.warp) < std::pair(sum.block, sum.warp)) sum = pattern;
      sum.count = count;
    }
    // Some differ only in the place of their first sector in its line, or of their first word
    // among the banks: the most frequent one of them stands for all.
    std::map<std::tuple<unsigned, unsigned, PatternKey>, Pattern> alike;
    for (const auto& [key, pattern] : merged) {
      const auto& [line, access, form] = key;
      const auto [found, is_new] = alike.try_emplace({line, access, moved_to_front(form)}, pattern);
      if (is_new) continue;
      Pattern& sum = found->second;
      const std::uint64_t count = sum.count + pattern.count;
      if (pattern.count > merged.at({line, access, without_code(sum.key)}).count) sum = pattern;
      sum.count = count;
    }
    std::vector<std::pair<Where, const Pattern*>> ranked;
    for (const auto& [key, pattern] : alike)
      ranked.push_back({{std::get<0>(key), std::get<1>(key)}, &pattern});
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
      return a.second->count * a.second->key.units > b.second->count * b.second->key.units;
    });
    for (const auto& [at, pattern] : ranked) {
      Access& access = launch.lines[at.line].accesses[at.access];
      if (access.patterns.size() < kMostPatterns)
        access.patterns.push_back({picture_of(pattern->key), pattern->count, pattern->block,
                                   pattern->warp, pattern->place, pattern->key.units});
    }
    for (Line& line : launch.lines)
      for (Access& access : line.accesses) {
        access.left_out = access.count.requests;
        for (const PatternUse& use : access.patterns) access.left_out -= use.count;
      }
  }

  void fill_blocks(Launch& launch, const DrawnLaunch& drawn,
                   const std::map<trace::AccessKey, Where>& where) {
    for (const trace::ShownBlock& block : drawn.blocks) {
      std::size_t requests = 0;
      for (const trace::ShownWarp& warp : block.warps) requests += warp.requests.size();
      if (requests > left_) continue;
      left_ -= requests;
      ShownBlock shown{block.block, {}};
      for (const trace::ShownWarp& warp : block.warps) {
        ShownWarp one{{}, warp.left_out};
        for (const trace::ShownRequest& request : warp.requests) {
          const PatternKey& key = drawn.patterns[request.pattern].key;
          const Where at = where.at(key.access);
          one.requests.push_back({at.line, at.access, picture_of(key), request.place});
        }
        shown.warps.push_back(std::move(one));
      }
      launch.blocks.push_back(std::move(shown));
    }
  }

  // The lines around those that access something.
  void read_sources() {
    std::vector<std::set<unsigned>> wanted(drawing_.files.size());
    for (const Launch& launch : drawing_.launches)
      for (const Line& line : launch.lines)
        for (unsigned n = line.line - std::min(line.line, kAround); n <= line.line + kAround; ++n)
          wanted[line.file].insert(n);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      std::ifstream in(drawing_.files[i].name);
      std::string text;
      for (unsigned number = 1; std::getline(in, text); ++number)
        if (wanted[i].contains(number)) drawing_.files[i].lines.push_back({number, text});
    }
  }

  const std::vector<DrawnLaunch>& drawn_;
  const std::unordered_map<std::uintptr_t, trace::SourceLine> source_;
  Drawing drawing_;
  std::map<std::string, unsigned> files_;
  std::map<PatternKey, unsigned> pictures_;
  std::size_t left_ = kMostRequests;
};

}  // namespace

std::uint64_t Access::units() const {
  return space == Space::global ? count.sectors : count.wavefronts;
}

double Access::least() const {
  const auto requests = static_cast<double>(std::max<std::uint64_t>(count.requests, 1));
  return static_cast<double>(space == Space::global ? (count.bytes_used + 31) / 32
                                                    : count.wavefronts - count.conflicts) /
         requests;
}

std::uint64_t Line::cost() const {
  std::uint64_t sum = 0;
  for (const Access& access : accesses) sum += access.units();
  return sum;
}

const Launch* Drawing::costliest() const {
  const auto cost = [](const Launch& launch) {
    std::uint64_t sum = 0;
    for (const Line& line : launch.lines) sum += line.cost();
    return sum * launch.times;
  };
  const auto found =
      std::max_element(launches.begin(), launches.end(),
                       [&](const Launch& a, const Launch& b) { return cost(a) < cost(b); });
  return found == launches.end() || found->lines.empty() ? nullptr : &*found;
}

Drawing drawing_of(const std::string& program, const trace::DrawnLaunches& drawn) {
  Drawing drawing = Maker(drawn.launches).make();
  drawing.program = program;
  drawing.launches_left_out = drawn.left_out;
  return drawing;
}

}  // namespace cucpu::drawing
