#include "judge/folder.h"

#include <fmt/core.h>
#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace judge {

namespace fs = std::filesystem;

std::vector<fs::path> Folder::solutions() const {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path / "solutions", ignored))
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string Folder::hint(int number) const {
  std::istringstream in(read_file(path / "hints.md"));
  const std::string title = fmt::format("## Hint {}", number);
  std::string text;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) {
      inside = line == title;
    } else if (inside) {
      text += line + "\n";
    }
  }
  const std::size_t begin = text.find_first_not_of('\n');
  if (begin == std::string::npos)
    throw std::runtime_error((path / "hints.md").string() + ": has no '" + title + "'");
  return text.substr(begin, text.find_last_not_of('\n') + 2 - begin);
}

std::optional<Folder> find_folder(const Exercise& exercise) {
  std::error_code ignored;
  for (const auto& step : fs::directory_iterator(JUDGE_STEPS_DIR, ignored)) {
    const Folder folder{step.path() / "exercises" / exercise.name};
    if (fs::exists(folder.skeleton())) return folder;
  }
  return std::nullopt;
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw std::runtime_error(path.string() + ": cannot be read");
  return std::move(text).str();
}

}  // namespace judge
