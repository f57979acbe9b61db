#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/exercise.h"
#include "judge/folder.h"

namespace judge {

/// Lines of a learner's file that begin so stand for a line that is still to be written.
inline constexpr std::string_view kGap = "// TODO here: ";

/// A reference solution with lines that can be left out. Marks in the solution say which: a line
/// that ends in `// fade 1` is missing in all faded versions, one that ends in `// fade 2` from the
/// second on; in the third the bodies of all functions are. The lines of the second one, out of
/// order, are a Parsons problem.
class FadedSolution {
 public:
  static constexpr int kAll = 3;

  /// Nothing, if no solution of the exercise has marks.
  static std::optional<FadedSolution> find(const Exercise& exercise, const Folder& folder);

  /// The solution with gaps; `level` is 1, 2 or 3.
  std::string faded(int level) const;
  /// The second one with numbered gaps, and its lines below, as a learner reads it.
  std::string parsons() const;
  /// How many lines that has.
  std::size_t lines() const { return shuffled_.size(); }
  /// The solution that comes of these lines, numbered from 1, in its gaps. `order` has each
  /// once.
  std::string ordered(const std::vector<std::size_t>& order) const;

 private:
  struct Line {
    std::string text;  // without its mark
    int level = 0;     // of the first version that lacks it; 0: none
  };
  FadedSolution(std::string name, const std::string& text);
  void mark_bodies();
  void shuffle();
  std::string head(const std::string& task) const;

  std::string name_;  // of the exercise
  std::vector<Line> lines_;
  std::vector<std::size_t> shuffled_;  // indices of the lines of the second version
};

/// The numbers of the lines that are still gaps.
std::vector<std::size_t> gaps_in(const std::string& text);

}  // namespace judge
