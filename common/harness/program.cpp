#include "harness/program.h"

#include <fmt/core.h>
#include <cstddef>
#include <stdexcept>

#include "device/backend.h"
#include "device/info.h"
#include "harness/child.h"

namespace harness {

void declare_device(host::CommandLine& line) {
  line.text("--device", "N", "a whole number", "number of the device (default: 0)");
}

int parse_device(const std::string& text) {
  if (text.empty()) return 0;
  const int devices = device::count();
  const std::size_t most = devices > 0 ? static_cast<std::size_t>(devices) - 1 : 0;
  return static_cast<int>(host::parse_number("--device", text, {0, most}));
}

std::string device_line(const std::string& option) {
  constexpr std::size_t kColumns = 80;
  const std::string line = std::string("backend ") + device::kBackendName + ", on " +
                           device::info(parse_device(option)).name;
  return line.substr(0, kColumns) + "\n";
}

void run_program(const std::string& name, const std::vector<std::string>& command,
                 const std::function<void(const Result&, const std::string&)>& take,
                 const std::function<void(const std::string&)>& complain) {
  std::size_t results = 0;
  const ChildEnd end = run_child(command, [&](const std::string& line) {
    Result result;
    try {
      result = from_json(line);
    } catch (const std::runtime_error& error) {
      return complain(name + ": " + error.what());
    }
    ++results;
    take(result, line);
  });
  if (!end.problem.empty()) {
    complain(end.problem);
  } else if (end.signal != 0) {
    complain(fmt::format("{}: ended by signal {}", name, end.signal));
  } else if (end.code != 0) {
    complain(fmt::format("{}: exit code {}", name, end.code));
  } else if (results == 0) {
    complain(name + ": reported no kernel");
  }
}

}  // namespace harness
