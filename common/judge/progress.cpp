#include "judge/progress.h"

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "host/replacement_file.h"

namespace judge {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kPass = "pass";

fs::path progress_folder() {
  const char* const named = std::getenv("JUDGE_PROGRESS");
  return named != nullptr ? named : JUDGE_PROGRESS_DIR;
}

fs::path memory_of(const Exercise& exercise) {
  return progress_folder() / (std::string(exercise.name) + ".json");
}

std::size_t hash_of(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error) ? std::hash<std::string>()(read_file(file)) : 0;
}

// The last verdict, if its file is still the same; else empty.
Json recall(const Exercise& exercise) {
  std::ifstream in(memory_of(exercise));
  const Json json = Json::parse(in, nullptr, false);
  // It may have been written by anybody.
  const bool is_ours = json.is_object() && json.contains("status") && json["status"].is_string() &&
                       json.contains("file") && json["file"].is_string() && json.contains("hash") &&
                       json["hash"].is_number_unsigned();
  const bool holds = is_ours && json["hash"] == hash_of(json["file"].get<std::string>());
  return holds ? json : Json::object();
}

bool is_within(const fs::path& file, const fs::path& folder) {
  const fs::path relative = fs::weakly_canonical(file).lexically_relative(fs::canonical(folder));
  return !relative.empty() && *relative.begin() != "..";
}

}  // namespace

std::string progress_of(const Exercise& exercise, const Folder& folder) {
  const Json last = recall(exercise);
  const std::string status = last.value("status", "");
  if (status == kPass) return "solved";
  if (status == "fail") return "wrong";
  const bool has_todo = read_file(folder.skeleton()).find("TODO") != std::string::npos;
  return has_todo ? "todo" : "not judged";
}

void remember(const Exercise& exercise, const Folder& folder, const fs::path& file,
              const Verdict& verdict) {
  // The exercise's own files are not the learner's.
  if (is_within(file, folder.path) && !fs::equivalent(file, folder.skeleton())) return;
  const Json last = recall(exercise);
  std::error_code error;
  const bool other = !fs::equivalent(last.value("file", ""), file, error);
  if (last.value("status", "") == kPass && other && verdict.status != Verdict::Status::pass) return;
  fs::create_directories(progress_folder(), error);
  const Json json = {{"file", fs::absolute(file).string()},
                     {"hash", hash_of(file)},
                     {"status", name_of(verdict.status)}};
  try {
    host::ReplacementFile memory(memory_of(exercise));
    memory.write(json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
    memory.put_in_place();
  } catch (const host::FileFault&) {
    // The verdict before is kept.
  }
}

}  // namespace judge
