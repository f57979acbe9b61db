// The statements say how large the inputs may be: "`M`, `K`: from 1 to 2^24 each, and M * K to
// 2^33". A solution that is right within that must pass, so the judge asks for nothing beyond.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "judge/exercise.h"
#include "judge/folder.h"

namespace {

/// The largest sizes and arrays that a statement allows.
struct Limits {
  std::map<std::string, std::string> most;  ///< of each size: a number, another size, or "on"
  std::optional<std::size_t> elements;      ///< of the largest array
};

/// "4096" or "2^24"; nothing for a word.
std::optional<std::size_t> number(const std::string& text) {
  if (text.starts_with("2^")) return std::size_t{1} << std::stoi(text.substr(2));
  if (text.find_first_not_of("0123456789") == std::string::npos) return std::stoul(text);
  return std::nullopt;
}

Limits limits_of(const std::string& statement) {
  static const std::regex range(R"(((?:`\w+`(?:, )?)+): [^.;`]*from 1 (?:to )?(2\^\d+|\w+))");
  static const std::regex name(R"(`(\w+)`)");
  static const std::regex elements(R"((?:at most|product to|\* \w+ to) (2\^\d+))");
  const std::sregex_iterator end;
  Limits limits;
  for (std::sregex_iterator found(statement.begin(), statement.end(), range); found != end;
       ++found) {
    const std::string names = found->str(1);
    for (std::sregex_iterator one(names.begin(), names.end(), name); one != end; ++one)
      limits.most[one->str(1)] = found->str(2);
  }
  std::smatch found;
  if (std::regex_search(statement, found, elements)) limits.elements = number(found.str(1));
  return limits;
}

/// Why the statement does not allow these sizes; empty if it does.
std::string refusal(const judge::Exercise& exercise, const judge::Sizes& sizes,
                    const Limits& limits) {
  const auto size_of = [&](const std::string& name) {
    const auto at = std::find(exercise.sizes.begin(), exercise.sizes.end(), name);
    return at == exercise.sizes.end()
               ? 0
               : sizes[static_cast<std::size_t>(at - exercise.sizes.begin())];
  };
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::string size(exercise.sizes[i]);
    const auto said = limits.most.find(size);
    if (said == limits.most.end()) return size + " has no limit in the statement";
    if (said->second == "on") continue;
    const std::optional<std::size_t> most = number(said->second);
    if (static_cast<std::size_t>(sizes[i]) > (most ? *most : size_of(said->second)))
      return size + " is to be at most " + said->second;
  }
  for (const judge::Array& array : exercise.arrays)
    if (limits.elements && array.count(sizes) > *limits.elements)
      return std::string(array.name) + " has too many elements";
  return "";
}

std::vector<judge::Sizes> all_sizes(const judge::Exercise& exercise) {
  std::vector<judge::Sizes> all = exercise.limits;
  for (const judge::Case& one : exercise.cases) all.push_back(one.sizes);
  for (const judge::Sizes& sizes : {exercise.large_cpu, exercise.large_cuda, exercise.bench})
    if (!sizes.empty()) all.push_back(sizes);
  return all;
}

}  // namespace

TEST_CASE("limits are read from a statement") {
  const Limits limits = limits_of(
      "- `M`, `K`: from 1 to 2^24 each, and M * K to 2^33.\n"
      "- `taps`: the length of the filter, from 1 to M. `R`: from 1 on.\n");
  CHECK(limits.most == std::map<std::string, std::string>{
                           {"M", "2^24"}, {"K", "2^24"}, {"taps", "M"}, {"R", "on"}});
  CHECK(limits.elements == std::size_t{1} << 33);
  CHECK_FALSE(limits_of("`n`: from 1 to 16").elements);
}

TEST_CASE("the judge asks for nothing that a statement excludes") {
  for (const judge::Exercise& exercise : judge::exercises()) {
    const std::optional<judge::Folder> folder = judge::find_folder(exercise);
    REQUIRE(folder);
    const Limits limits = limits_of(judge::read_file(folder->path / "README.md"));
    for (const judge::Sizes& sizes : all_sizes(exercise)) {
      CAPTURE(exercise.name);
      CAPTURE(exercise.describe(sizes));
      CHECK(refusal(exercise, sizes, limits) == "");
    }
  }
}
