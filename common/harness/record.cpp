#include "harness/record.h"

#include <ctime>
#include <nlohmann/json.hpp>

#include "commit.h"
#include "device/backend.h"
#include "device/info.h"
#include "host/command_line.h"

namespace harness {
namespace {

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[] = "YYYY-MM-DD";
  std::strftime(text, sizeof text, "%F", std::gmtime(&now));
  return text;
}

// Names the option, and says what a user fears for.
template <class Write>
void guarded(const Write& write) {
  try {
    write();
  } catch (const host::FileFault& fault) {
    throw host::FileFault(std::string("--record ") + fault.what() +
                          "; what was recorded before is kept");
  }
}

}  // namespace

Record::Record(const std::string& path, int device) {
  if (path.empty()) return;
  try {
    file_.emplace(path);
  } catch (const host::FileFault& fault) {
    throw host::UsageError(std::string("--record ") + fault.what() +
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

void Record::add(const std::string& line, int run) {
  if (!file_) return;
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(line);
  if (run > 0) json["run"] = run;
  json.update(nlohmann::ordered_json::parse(circumstances_));
  // A line may name a device or a file, whose bytes need not be UTF-8.
  const std::string text =
      json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  guarded([&] { file_->write(text); });
  empty_ = false;
}

void Record::finish() {
  if (file_ && !empty_) guarded([&] { file_->put_in_place(); });
}

}  // namespace harness
