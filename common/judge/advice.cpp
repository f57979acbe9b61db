#include "judge/advice.h"

#include <cstdio>
#include <filesystem>
#include <vector>

namespace judge {
namespace {

using Json = nlohmann::ordered_json;

template <class... Values>
std::string format(const char* form, Values... values) {
  char text[400];
  std::snprintf(text, sizeof text, form, values...);
  return text;
}

double figure(const Json& counters, const char* group, const char* name) {
  return counters.at(group).at(name).get<double>();
}

double sum(const Json& launches, const char* group, const char* name) {
  double total = 0;
  for (const Json& launch : launches) total += figure(launch.at("counters"), group, name);
  return total;
}

// A line of the source, and what it did in all launches of the kernel it is in.
struct Worst {
  double cost = 0;
  std::string place;
  double each = 0;  // units per request
  double best = 0;  // and without the cost, where that is in the same units
};

// The line with the most of what `excess` says: of its group's counters, how much is too much.
template <class Excess>
Worst worst_line(const Json& launches, const char* group, const char* units, Excess excess) {
  Worst worst;
  for (const Json& launch : launches) {
    for (const Json& line : launch.at("lines")) {
      const Json& counters = line.at("counters");
      const double requests = figure(counters, group, "requests");
      const double cost = requests == 0 ? 0 : excess(counters.at(group));
      if (cost <= worst.cost) continue;
      worst = {cost,
               std::filesystem::path(line.at("file").get<std::string>()).filename().string() + ":" +
                   std::to_string(line.at("line").get<int>()),
               figure(counters, group, units) / requests,
               (figure(counters, group, units) - cost) / requests};
    }
  }
  return worst;
}

constexpr double kSectorBytes = 32;

// Sectors that no lane asked for, if they are most of what moves.
std::string uncoalesced(const Json& launches) {
  constexpr double kMuch = 0.5;
  for (const char* group : {"global_load", "global_store"}) {
    const double sectors = sum(launches, group, "sectors");
    const Worst worst = worst_line(launches, group, "sectors", [](const Json& access) {
      return (1 - access.at("efficiency").get<double>()) * access.at("sectors").get<double>();
    });
    if (sectors == 0 || worst.cost < kMuch * sectors || worst.each <= 4) continue;
    return format(
        "%s: each %s of a warp touches %.3g sectors where %.2g would hold all that it asks for; "
        "let neighboring threads access neighboring addresses (coalescing)",
        worst.place.c_str(), group == std::string("global_load") ? "load" : "store", worst.each,
        worst.best);
  }
  return {};
}

std::string atomics(const Json& launches, double elements) {
  // With one for each block that is hardly ever reached.
  constexpr double kElementsEach = 64;
  const double threads = sum(launches, "global_atomic", "threads");
  if (threads < 64 || threads * kElementsEach <= elements) return {};
  const Worst worst = worst_line(launches, "global_atomic", "sectors", [](const Json& access) {
    return access.at("threads").get<double>();
  });
  return format(
      "%s: %.0f atomic operations for %.0f elements, which take turns; combine the values of a "
      "block first, and let one thread of it do one atomic",
      worst.place.c_str(), threads, elements);
}

std::string bank_conflicts(const Json& launches) {
  constexpr double kMuch = 0.25;
  for (const char* group : {"shared_load", "shared_store"}) {
    const double wavefronts = sum(launches, group, "wavefronts");
    const Worst worst = worst_line(launches, group, "wavefronts", [](const Json& access) {
      return access.at("conflicts").get<double>();
    });
    if (worst.cost == 0 || worst.cost < kMuch * wavefronts) continue;
    return format(
        "%s: bank conflicts, %.3g wavefronts per %s of shared memory where %.2g would do; change "
        "the "
        "pitch of the array or the order of the threads",
        worst.place.c_str(), worst.each, group == std::string("shared_load") ? "load" : "store",
        worst.best);
  }
  return {};
}

std::string read_again(const Json& launches, double bytes) {
  constexpr double kOften = 3;
  const double moved = kSectorBytes * (sum(launches, "global_load", "sectors") +
                                       sum(launches, "global_store", "sectors"));
  if (moved < kOften * bytes) return {};
  const Worst worst = worst_line(launches, "global_load", "sectors", [](const Json& access) {
    return access.at("sectors").get<double>();
  });
  return format(
      "%s: global memory moves %.3g times what it has to; keep what is read again in registers or "
      "shared memory",
      worst.place.c_str(), moved / bytes);
}

double accesses(const Json& launch) {
  double requests = 0;
  for (const char* group : {"global_load", "global_store", "global_atomic"})
    requests += figure(launch.at("counters"), group, "requests");
  return requests;
}

// Launches that leave most of the GPU, or of its warps, with nothing to do.
std::string idle(const Json& launches) {
  // A launch that does next to nothing needs no threads for it.
  constexpr double kShare = 0.1, kLanes = 32;
  double all = 0;
  for (const Json& launch : launches) all += accesses(launch);
  for (const Json& launch : launches) {
    if (accesses(launch) < kShare * all) continue;
    const auto count = [&](const char* which) {
      const Json& extent = launch.at(which);
      return extent[0].get<double>() * extent[1].get<double>() * extent[2].get<double>();
    };
    const double blocks = count("grid"), threads = count("block");
    const std::string kernel = launch.at("kernel").get<std::string>();
    if (blocks * threads == 1)
      return format(
          "%s runs in one thread, and a GPU has room for many thousands; give each a part",
          kernel.c_str());
    if (blocks == 1)
      return format("%s runs in one block, and so on one SM: all others have nothing to do",
                    kernel.c_str());
    if (threads < kLanes)
      return format(
          "%s has blocks of %.0f: of the 32 lanes of a warp, %.0f have nothing to do; take 128 or "
          "256 threads",
          kernel.c_str(), threads, kLanes - threads);
    if (blocks > 32 && threads < 64)
      return format(
          "%s has blocks of %.0f threads: an SM holds 32 blocks, and so not even half "
          "of the threads it could; take 128 or 256",
          kernel.c_str(), threads);
  }
  return {};
}

std::string many_launches(const Json& launches) {
  constexpr std::size_t kMany = 8;
  if (launches.size() <= kMany) return {};
  return format("%zu launches: each costs some microseconds, whatever it does; let one do more",
                launches.size());
}

// Bytes of an access that a thread makes, on average; 0 where next to nothing of `bytes` moves.
double width(const Json& launches, double bytes) {
  const double threads =
      sum(launches, "global_load", "threads") + sum(launches, "global_store", "threads");
  const double asked =
      sum(launches, "global_load", "bytes") + sum(launches, "global_store", "bytes");
  return threads == 0 || asked < bytes / 2 ? 0 : asked / threads;
}

std::string below_words(const Json& launches, double bytes) {
  constexpr double kWord = 4;
  const double each = width(launches, bytes);
  if (each == 0 || each >= kWord) return {};
  return "a thread accesses less than 4 bytes at a time; whole words, or 16 bytes, take far fewer "
         "instructions for the same";
}

std::string narrow(const Json& launches, double bytes) {
  const double each = width(launches, bytes);
  if (each == 0 || each > 8) return {};
  return format(
      "a thread accesses %.2g bytes at a time; 16 (float4) take a quarter of the instructions "
      "for the same bytes",
      each);
}

}  // namespace

std::vector<Reached> goals_of(const Exercise& exercise, const Json& launches, const Sizes& sizes,
                              double elements, double bytes) {
  const Work work = {
      .sectors = sum(launches, "global_load", "sectors") + sum(launches, "global_store", "sectors"),
      .global_atomics = sum(launches, "global_atomic", "threads"),
      .loads = sum(launches, "global_load", "requests") + sum(launches, "shared_load", "requests"),
      .sizes = sizes,
      .elements = elements,
      .bytes = bytes};
  std::vector<Reached> reached;
  for (const Goal& goal : exercise.goals)
    reached.push_back({goal.what, goal.most, goal.counted(work)});
  return reached;
}

std::string advise(const Exercise& exercise, const Json& launches, double elements, double bytes) {
  if (launches.empty()) return "no kernel is launched: all that the device does is to copy";
  const bool by_memory = exercise.limit && *exercise.limit != problem::Limit::ffma;
  for (const std::string& line :
       {idle(launches), uncoalesced(launches), atomics(launches, elements),
        bank_conflicts(launches), below_words(launches, bytes), read_again(launches, bytes),
        many_launches(launches), by_memory ? narrow(launches, bytes) : ""})
    if (!line.empty()) return line;
  return "the counters show nothing to gain; a GPU's clock has the last word (--bench)";
}

}  // namespace judge
