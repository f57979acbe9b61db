// Judges a runner that forges its replies: whatever they are, the judge neither fails nor takes the
// solution for right, which has never computed anything.
//
//   wire_fuzz SEED COUNT
//   wire_fuzz --forge SEED: the runner
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "host/program_file.h"
#include "judge/checking.h"
#include "judge/exercise.h"
#include "judge/protocol.h"
#include "judge/supervisor.h"

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTools = "memcheck";

class Forger {
 public:
  explicit Forger(std::uint64_t seed) : random_(seed) {}

  // The bytes that answer a command; empty: the process is to end.
  std::string reply(const std::string& command) {
    if (below(40) == 0) return {};
    Json reply = honest(Json::parse(command).at("nonce"));
    const std::size_t changes = below(4);
    for (std::size_t i = 0; i < changes; ++i) change(reply);
    std::string text = reply.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (below(4) == 0) break_text(text);
    return text + "\n";
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  Json honest(const Json& nonce) {
    Json launch = {{"kernel", "solve_kernel"}, {"block", {256, 1, 1}}};
    for (const char* group : {"global_load", "global_store", "global_atomic"})
      launch["counters"][group] = {{"requests", 8}};
    return {{"nonce", nonce},
            {"error", ""},
            {"findings", 0},
            {"tools", kTools},
            {"launches", Json::array({launch})},
            {"tables", ""},
            {"is_readable", below(4) != 0}};
  }

  Json value() {
    switch (below(12)) {
      case 0:
        return nullptr;
      case 1:
        return below(2) == 0;
      case 2:
        return -1;
      case 3:
        return ~std::uint64_t{0};
      case 4:
        return 1e308;
      case 5:
        return "";
      case 6:
        return "cudaErrorLaunchTimeout";
      case 7:
        return std::string(below(100000), 'x');
      case 8:
        return "\x1b[2J\xff\n";
      case 9:
        return Json::array({1, "x", Json::object()});
      case 10:
        return Json::object({{"kernel", 5}});
      default:
        return kTools;
    }
  }

  void change(Json& json) {
    if (!json.is_structured() || json.empty()) {
      json = value();
      return;
    }
    auto at = json.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(below(json.size())));
    switch (below(4)) {
      case 0:
        if (json.is_object() && at.key() == "nonce") return;  // nearly all would be that one fault
        json.erase(at);
        return;
      case 1:
        if (json.is_object()) {
          static constexpr const char* kFields[] = {"thrown", "failure", "clocks", "is_readable"};
          json[kFields[below(std::size(kFields))]] = value();
          return;
        }
        json.push_back(value());
        return;
      default:
        if (json.is_object() && at.key() == "nonce") return;
        change(*at);
    }
  }

  void break_text(std::string& text) {
    const std::size_t at = below(text.size());
    switch (below(5)) {
      case 0:
        text.resize(at);
        break;
      case 1:
        text[at] = static_cast<char>(below(256));
        break;
      case 2:
        text.insert(at, "\n");
        break;
      case 3:
        text = std::string(below(20000), '[');
        break;
      default:
        text += text;
    }
  }

  std::mt19937_64 random_;
};

// As runner.cpp reads and writes.
int forge(std::uint64_t seed) {
  Forger forger(seed);
  std::string line;
  char buffer[4096];
  for (ssize_t n; (n = read(judge::kCommands, buffer, sizeof buffer)) > 0;) {
    line.append(buffer, static_cast<std::size_t>(n));
    if (!line.ends_with('\n')) continue;
    const std::string text = forger.reply(line);
    line.clear();
    if (text.empty()) return 0;
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t written = write(judge::kReplies, text.data() + done, text.size() - done);
      if (written <= 0) return 0;
      done += static_cast<std::size_t>(written);
    }
  }
  return 0;
}

int judge_forgers(std::uint64_t seed, std::size_t count) {
  const std::vector<judge::Exercise>& exercises = judge::exercises();
  std::size_t messages = 0, verdicts = 0, ended = 0;
  for (; messages < count; ++verdicts) {
    const judge::Exercise& exercise = exercises[verdicts % exercises.size()];
    const std::string own = std::to_string(seed + verdicts);
    const judge::RunnerSettings settings = {
        .command = {host::program_file().string(), "--forge", own},
        .environment = {},
        .tools = kTools,
        .seconds = 10,
        .memory_bytes = std::size_t{1} << 30,
        .seed = seed};
    try {
      const judge::CheckResult result = judge::check(exercise, settings);
      messages += result.cases + 1;
      ended += result.has_ended_early;
      if (!result.fault && !result.has_ended_early) {
        std::fprintf(stderr, "error: %s: seed %s is right\n", std::string(exercise.name).c_str(),
                     own.c_str());
        return 1;
      }
    } catch (const std::exception& error) {
      std::fprintf(stderr, "error: %s: seed %s: %s\n", std::string(exercise.name).c_str(),
                   own.c_str(), error.what());
      return 1;
    }
  }
  std::printf("seed %llu: %zu messages in %zu verdicts, %zu of which ended early; none is right\n",
              static_cast<unsigned long long>(seed), messages, verdicts, ended);
  // Else nothing but the end of processes would be tested.
  return ended == verdicts ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "error: SEED COUNT expected\n");
    return 2;
  }
  const std::uint64_t last = std::strtoull(argv[2], nullptr, 10);
  if (std::strcmp(argv[1], "--forge") == 0) return forge(last);
  const std::uint64_t seed = std::strtoull(argv[1], nullptr, 10);
  try {
    return judge::supervise([&] { return judge_forgers(seed, last); });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}
