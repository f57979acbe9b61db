#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "judge/exercise.h"

namespace judge {

/// The folder of an exercise: steps/STEP/exercises/NAME.
struct Folder {
  std::filesystem::path path;

  std::string step() const { return path.parent_path().parent_path().filename().string(); }
  /// The skeleton, which the learner edits.
  std::filesystem::path skeleton() const { return path / (path.filename().string() + ".cu"); }
  /// The reference solutions, the fastest one last.
  std::vector<std::filesystem::path> solutions() const;
  /// The text of hint 1, 2 or 3. Throws `std::runtime_error` where there is none.
  std::string hint(int number) const;
};

/// Nothing, if there is no such folder.
std::optional<Folder> find_folder(const Exercise& exercise);

/// The whole file. Throws `std::runtime_error`.
std::string read_file(const std::filesystem::path& path);

}  // namespace judge
