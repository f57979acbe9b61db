#include "harness/record.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>

#include "commit.h"
#include "device/info.h"
#include "harness/options.h"

namespace harness {
namespace {

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[] = "YYYY-MM-DD";
  std::strftime(text, sizeof text, "%F", std::gmtime(&now));
  return text;
}

}  // namespace

Record::Record(const std::string& path, int device) {
  if (path.empty()) return;
  file_.open(path);
  if (!file_) {
    throw UsageError("--record " + path + ": " + std::strerror(errno) +
                     "; allowed: a file that can be written");
  }
  const device::Info info = device::info(device);
  nlohmann::ordered_json json;
  json["driver"] = device::driver_version();
  json["toolkit"] = device::toolkit_version();
  json["clock_mhz"] = info.clock_mhz;
  json["memory_clock_mhz"] = info.memory_clock_mhz;
  json["date"] = today();
  const std::string commit = TUTORIAL_COMMIT;
  if (!commit.empty()) json["commit"] = commit;
  circumstances_ = json.dump();
}

void Record::add(const std::string& line, int run) {
  if (!file_.is_open()) return;
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(line);
  if (run > 0) json["run"] = run;
  json.update(nlohmann::ordered_json::parse(circumstances_));
  file_ << json.dump() << '\n' << std::flush;
}

}  // namespace harness
