// Which element each lane of a warp accesses: the patterns that the probes (probes.cu) run.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace calibration {

constexpr int kLanes = 32;
constexpr int kIdle = -1;
constexpr int kElements = 3072;  // that patterns may use: 48 KiB of 16 bytes

struct Pattern {
  std::string name;
  std::array<int, kLanes> element;  // by lane; kIdle: the lane does nothing
  int threads = kLanes;             // of the one block
  int warp_step = 0;                // added to the elements of each warp after the first
};

template <class ElementOf>
Pattern pattern(std::string name, ElementOf element_of) {
  Pattern p{std::move(name), {}};
  for (int lane = 0; lane < kLanes; ++lane) p.element[lane] = element_of(lane);
  return p;
}

// All lanes, element by a rule.
inline std::vector<Pattern> full_warps() {
  std::vector<Pattern> list;
  for (const int shift : {0, 1, 3, 4})
    list.push_back(pattern(shift == 0 ? "consecutive" : "shifted_" + std::to_string(shift),
                           [=](int lane) { return lane + shift; }));
  list.push_back(pattern("reversed", [](int lane) { return kLanes - 1 - lane; }));
  for (const int stride : {2, 3, 4, 5, 8, 16, 32, 33})
    list.push_back(
        pattern("stride_" + std::to_string(stride), [=](int lane) { return lane * stride; }));
  list.push_back(pattern("broadcast", [](int) { return 0; }));
  for (const int same : {2, 4, 8, 16})
    list.push_back(
        pattern("groups_of_" + std::to_string(same), [=](int lane) { return lane / same; }));
  for (const int period : {2, 4, 8, 16})
    list.push_back(
        pattern("period_" + std::to_string(period), [=](int lane) { return lane % period; }));
  list.push_back(pattern("pairs_2_apart", [](int lane) { return lane & ~2; }));
  list.push_back(pattern("pairs_4_apart", [](int lane) { return lane & ~4; }));
  list.push_back(pattern("pairs_stride_8", [](int lane) { return lane / 2 * 8; }));
  list.push_back(pattern("pairs_stride_32", [](int lane) { return lane / 2 * 32; }));
  list.push_back(pattern("patch_4x8", [](int lane) { return lane / 8 * 64 + lane % 8; }));
  list.push_back(pattern("patch_8x4", [](int lane) { return lane / 4 * 36 + lane % 4; }));
  list.push_back(pattern("swizzled", [](int lane) { return lane * 32 + (lane ^ 5); }));
  return list;
}

// Some of the lanes.
inline std::vector<Pattern> partial_warps() {
  std::vector<Pattern> list;
  for (const int lanes : {1, 3, 8, 9, 16, 17, 31})
    list.push_back(pattern("first_" + std::to_string(lanes),
                           [=](int lane) { return lane < lanes ? lane : kIdle; }));
  list.push_back(pattern("lane_13", [](int lane) { return lane == 13 ? lane : kIdle; }));
  list.push_back(pattern("even_lanes", [](int lane) { return lane % 2 == 0 ? lane : kIdle; }));
  list.push_back(pattern("every_4th_lane", [](int lane) { return lane % 4 == 0 ? lane : kIdle; }));
  list.push_back(pattern("upper_half", [](int lane) { return lane >= 16 ? lane : kIdle; }));
  list.push_back(
      pattern("all_but_9_to_12", [](int lane) { return lane < 9 || lane > 12 ? lane : kIdle; }));
  list.push_back(
      pattern("odd_lanes_broadcast", [](int lane) { return lane % 2 == 1 ? 7 : kIdle; }));
  list.push_back(
      pattern("even_lanes_packed", [](int lane) { return lane % 2 == 0 ? lane / 2 : kIdle; }));
  list.push_back(pattern("even_lanes_stride_32",
                         [](int lane) { return lane % 2 == 0 ? lane / 2 * 32 : kIdle; }));
  return list;
}

// Several warps; the last of them need not be whole.
inline std::vector<Pattern> several_warps() {
  std::vector<Pattern> list;
  for (const int threads : {48, 100, 256, 1024}) {
    list.push_back(pattern("consecutive", [](int lane) { return lane; }));
    list.back().threads = threads;
    list.back().warp_step = kLanes;
  }
  list.push_back(pattern("stride_32", [](int lane) { return lane * 32; }));
  list.back().threads = 1024;
  list.back().warp_step = 1;
  return list;
}

// The same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint32_t seed) : state_(seed) {}
  int below(int limit) {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<int>((std::uint64_t{state_} * static_cast<std::uint64_t>(limit)) >> 32);
  }

 private:
  std::uint32_t state_;
};

// Lanes that want what chance gives them, so that nobody can have fitted a rule to them: few
// different elements and many, alone and shared with a neighbor, with and without idle lanes.
inline std::vector<Pattern> random_warps() {
  std::vector<Pattern> list;
  Random random(2024);
  const auto add = [&](const std::string& name, auto element_of) {
    for (int i = 0; i < 2; ++i)
      list.push_back(pattern("random_" + name + "_" + std::to_string(i), element_of));
  };
  for (const int elements : {4, 8, 16, 32, 64, 256})
    add("of_" + std::to_string(elements), [&](int) { return random.below(elements); });
  add("some_idle", [&](int) { return random.below(4) == 0 ? kIdle : random.below(16); });
  for (const int distance : {1, 2, 4, 8})
    for (const int elements : {8, 32}) {
      std::array<int, kLanes> shared{};
      add("pairs_" + std::to_string(distance) + "_apart_of_" + std::to_string(elements),
          [&, distance, elements](int lane) {
            if ((lane & distance) == 0) shared[lane] = random.below(elements);
            return shared[lane & ~distance];
          });
    }
  // Each half of the warp shares in its own way.
  std::array<int, kLanes> shared{};
  add("halves_differ", [&](int lane) {
    const int distance = lane < 16 ? 1 : 2;
    if ((lane & distance) == 0) shared[lane] = random.below(8);
    return shared[lane & ~distance];
  });
  add("one_half_shares", [&](int lane) {
    if (lane >= 16) return random.below(8);
    if (lane % 2 == 0) shared[lane] = random.below(8);
    return shared[lane & ~1];
  });
  // Pairs of which one may be idle.
  add("pairs_some_idle", [&](int lane) {
    if (lane % 2 == 0) shared[lane] = random.below(8);
    return random.below(3) == 0 ? kIdle : shared[lane & ~1];
  });
  return list;
}

// Those of a list that have one of these names.
inline std::vector<Pattern> chosen(const std::vector<Pattern>& list,
                                   std::initializer_list<std::string_view> names) {
  std::vector<Pattern> some;
  for (const Pattern& p : list)
    if (std::find(names.begin(), names.end(), p.name) != names.end()) some.push_back(p);
  return some;
}

inline std::vector<Pattern> joined(std::vector<Pattern> list, const std::vector<Pattern>& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

// For atomic operations: how many lanes meet at one element is what matters most.
inline std::vector<Pattern> meetings() {
  std::vector<Pattern> list =
      chosen(joined(joined(full_warps(), partial_warps()), random_warps()),
             {"consecutive",   "shifted_1",           "reversed",      "stride_2",
              "stride_8",      "stride_32",           "broadcast",     "groups_of_2",
              "groups_of_4",   "groups_of_16",        "period_2",      "period_4",
              "period_16",     "pairs_stride_32",     "swizzled",      "first_1",
              "first_17",      "odd_lanes_broadcast", "random_of_4_0", "random_of_16_0",
              "random_of_64_0"});
  for (const int step : {kLanes, 0}) {
    list.push_back(pattern(step == 0 ? "broadcast" : "consecutive",
                           [=](int lane) { return step == 0 ? 0 : lane; }));
    list.back().threads = 256;
    list.back().warp_step = step;
  }
  return list;
}

}  // namespace calibration
