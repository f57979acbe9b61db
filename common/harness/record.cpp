#include "harness/record.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>

#include "commit.h"
#include "device/backend.h"
#include "device/info.h"
#include "harness/options.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[] = "YYYY-MM-DD";
  std::strftime(text, sizeof text, "%F", std::gmtime(&now));
  return text;
}

}  // namespace

Record::Record(const std::string& path, int device) : path_(path), part_(path) {
  if (path.empty()) return;
  // A path that is no regular file, such as /dev/stdout, cannot be replaced.
  std::error_code error;
  if (!fs::exists(path_, error) || fs::is_regular_file(path_, error)) part_ += ".part";
  file_.open(part_);
  if (!file_) {
    throw UsageError("--record " + path + ": " + std::strerror(errno) +
                     "; allowed: a file that can be written");
  }
  nlohmann::ordered_json json;
  if (!device::kIsCpu) {
    const device::Info info = device::info(device);
    json["driver"] = device::driver_version();
    json["toolkit"] = device::toolkit_version();
    json["clock_mhz"] = info.clock_mhz;
    json["memory_clock_mhz"] = info.memory_clock_mhz;
  }
  json["date"] = today();
  const std::string commit = TUTORIAL_COMMIT;
  if (!commit.empty()) json["commit"] = commit;
  circumstances_ = json.dump();
}

Record::~Record() {
  if (!file_.is_open() || part_ == path_) return;
  file_.close();
  std::error_code error;
  if (empty_)
    fs::remove(part_, error);
  else
    fs::rename(part_, path_, error);
  if (error) print_error("--record " + path_.string() + ": " + error.message());
}

void Record::add(const std::string& line, int run) {
  if (!file_.is_open()) return;
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(line);
  if (run > 0) json["run"] = run;
  json.update(nlohmann::ordered_json::parse(circumstances_));
  file_ << json.dump() << '\n' << std::flush;
  empty_ = false;
}

}  // namespace harness
