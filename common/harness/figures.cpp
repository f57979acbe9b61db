#include "harness/figures.h"

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>

namespace harness {
namespace {

using Json = nlohmann::json;

constexpr double kWarp = 32;
constexpr double kSectorFloats = 8;

// The input of a figure.
struct Counted {
  Json counters;
  double elements;  // the product of the sizes: for a matrix product, its multiply-adds

  double sum(const char* field, std::initializer_list<const char*> kinds) const {
    double total = 0;
    for (const char* kind : kinds) total += counters.at(kind).at(field).get<double>();
    return total;
  }
  double per_warp(double count) const { return count * kWarp / elements; }
};

using Compute = std::optional<double> (*)(const Counted&);

std::optional<double> ratio(double count, double of) {
  return of > 0 ? std::optional(count / of) : std::nullopt;
}

struct ProblemFigure {
  std::string_view problem;
  FigureKind kind;
  Compute compute;
};

std::optional<double> sectors_per_request(const Counted& counted) {
  return ratio(counted.sum("sectors", {"global_load"}), counted.sum("requests", {"global_load"}));
}
std::optional<double> global_requests(const Counted& counted) {
  return counted.sum("requests", {"global_load", "global_store"});
}
// Lanes that add to one address have a sector each.
std::optional<double> atomics(const Counted& counted) {
  return counted.sum("sectors", {"global_atomic"});
}
std::optional<double> barriers(const Counted& counted) {
  return counted.counters.at("barriers").get<double>();
}
std::optional<double> shared_wavefronts(const Counted& counted) {
  return counted.sum("wavefronts", {"shared_load", "shared_store"});
}
std::optional<double> loads_per_element(const Counted& counted) {
  return counted.sum("sectors", {"global_load"}) * kSectorFloats / counted.elements;
}
std::optional<double> load_sectors(const Counted& counted) {
  return counted.per_warp(counted.sum("sectors", {"global_load"}));
}
std::optional<double> store_sectors(const Counted& counted) {
  return counted.per_warp(counted.sum("sectors", {"global_store"}));
}
std::optional<double> wavefronts(const Counted& counted) {
  return counted.per_warp(counted.sum("wavefronts", {"shared_load", "shared_store"}));
}
std::optional<double> shared_loads(const Counted& counted) {
  return counted.per_warp(counted.sum("requests", {"shared_load"}));
}
std::optional<double> load_wavefronts(const Counted& counted) {
  return counted.per_warp(counted.sum("wavefronts", {"shared_load"}));
}

constexpr FigureKind kSectorsPerRequest = {"sectors_per_request", "sectors/req",
                                           "sectors per request of the loads from global memory",
                                           false};
constexpr FigureKind kGlobalRequests = {"global_requests", "requests",
                                        "requests to global memory, loads and stores", true};
constexpr FigureKind kBarriers = {"barriers", "barriers",
                                  "barriers, one per block and __syncthreads()", true};

const ProblemFigure kTable[] = {
    {"add", kSectorsPerRequest, sectors_per_request},
    {"add", kGlobalRequests, global_requests},
    {"gemv", kSectorsPerRequest, sectors_per_request},
    {"gemv", kGlobalRequests, global_requests},
    {"sum", {"atomics", "atomics", "atomic additions to global memory", true}, atomics},
    {"sum", kBarriers, barriers},
    {"sum",
     {"shared_wavefronts", "wavefronts", "wavefronts of shared memory, loads and stores", true},
     shared_wavefronts},
    {"softmax",
     {"loads_per_element", "loads/element",
      "floats per element in the sectors loaded from global memory", false},
     loads_per_element},
    {"softmax", kBarriers, barriers},
    {"softmax",
     {"wavefronts_per_32", "wavefr/32 el", "wavefronts of shared memory per 32 elements", false},
     wavefronts},
    {"transpose",
     {"load_sectors_per_32", "loaded/32 el", "sectors loaded from global memory per 32 elements",
      false},
     load_sectors},
    {"transpose",
     {"store_sectors_per_32", "stored/32 el", "sectors stored to global memory per 32 elements",
      false},
     store_sectors},
    {"transpose",
     {"wavefronts_per_32", "wavefr/32 el", "wavefronts of shared memory per 32 elements", false},
     wavefronts},
    {"sgemm",
     {"sectors_per_fma", "sectors/FMA", "sectors loaded from global memory per FMA of a warp",
      false},
     load_sectors},
    {"sgemm",
     {"shared_loads_per_fma", "sh. loads/FMA", "loads from shared memory per FMA of a warp", false},
     shared_loads},
    {"sgemm",
     {"wavefronts_per_fma", "wavefronts/FMA", "wavefronts of these loads per FMA of a warp", false},
     load_wavefronts},
};

}  // namespace

std::vector<FigureKind> figure_kinds(std::string_view problem) {
  std::vector<FigureKind> kinds;
  for (const ProblemFigure& figure : kTable) {
    if (figure.problem == problem) kinds.push_back(figure.kind);
  }
  return kinds;
}

std::vector<FigureKind> figure_kinds(const Result& result) {
  std::vector<FigureKind> kinds;
  for (const Result::Figure& figure : result.figures) {
    const auto* const known =
        std::find_if(std::begin(kTable), std::end(kTable),
                     [&](const ProblemFigure& entry) { return entry.kind.name == figure.name; });
    if (known != std::end(kTable)) kinds.push_back(known->kind);
  }
  return kinds;
}

std::vector<Result::Figure> figures(const problem::Problem& problem, const problem::Shape& shape,
                                    const std::string& counters) {
  Counted counted{Json::parse(counters), 1};
  for (const std::size_t size : shape) counted.elements *= static_cast<double>(size);
  std::vector<Result::Figure> all;
  for (const ProblemFigure& figure : kTable) {
    if (figure.problem != problem.name()) continue;
    all.push_back({std::string(figure.kind.name),
                   counted.elements > 0 ? figure.compute(counted) : std::nullopt});
  }
  return all;
}

}  // namespace harness
