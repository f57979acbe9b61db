#include "settings.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace cucpu {
namespace {

[[noreturn]] void refuse(const char* variable, std::string_view value, const char* allowed) {
  std::fprintf(stderr, "error: %s=%.*s: must be %s\n", variable, static_cast<int>(value.size()),
               value.data(), allowed);
  std::exit(2);
}

std::uint64_t number(const char* variable, std::string_view text, std::uint64_t low,
                     std::uint64_t high, const char* allowed) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high)
    refuse(variable, text, allowed);
  return value;
}

Tools read_tools(std::string_view names) {
  constexpr const char* kAllowed =
      "a list, with commas between, of: counters, memcheck, racecheck, initcheck, synccheck, all, "
      "leakcheck, accesses";
  constexpr std::pair<std::string_view, bool Tools::*> kTools[] = {
      {"counters", &Tools::counters},   {"memcheck", &Tools::memcheck},
      {"racecheck", &Tools::racecheck}, {"initcheck", &Tools::initcheck},
      {"synccheck", &Tools::synccheck}, {"leakcheck", &Tools::leakcheck},
      {"accesses", &Tools::accesses},
  };
  const auto is_in_all = [](bool Tools::*flag) {
    return flag != &Tools::accesses && flag != &Tools::leakcheck;
  };
  Tools tools;
  for (std::string_view rest = names; !rest.empty();) {
    const std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    bool known = false;
    for (const auto& [tool, flag] : kTools) {
      if (name != tool && (name != "all" || !is_in_all(flag))) continue;
      tools.*flag = known = true;
    }
    if (!known) refuse("CUCPU_TOOLS", names, kAllowed);
  }
  tools.memcheck |= tools.leakcheck;
  return tools;
}

Settings read() {
  Settings s{static_cast<int>(std::thread::hardware_concurrency()),
             0,
             ThreadOrder::ascending,
             0,
             30,
             {},
             {},
             {}};
  if (s.workers < 1) s.workers = 1;
  if (const char* text = std::getenv("CUCPU_THREADS"))
    s.workers = static_cast<int>(number("CUCPU_THREADS", text, 1, 1024, "a number from 1 to 1024"));
  s.multiprocessors = s.workers;
  if (const char* text = std::getenv("CUCPU_SMS"))
    s.multiprocessors =
        static_cast<int>(number("CUCPU_SMS", text, 1, 1024, "a number from 1 to 1024"));
  if (const char* text = std::getenv("CUCPU_TIMEOUT"))
    s.timeout_seconds = static_cast<unsigned>(
        number("CUCPU_TIMEOUT", text, 0, 1'000'000, "a number of seconds, 0 for no limit"));
  if (const char* text = std::getenv("CUCPU_ORDER")) {
    constexpr const char* kAllowed = "ascending, descending or random:SEED";
    const std::string_view order = text;
    if (order == "descending") {
      s.order = ThreadOrder::descending;
    } else if (order.starts_with("random:")) {
      s.order = ThreadOrder::random;
      s.seed = number("CUCPU_ORDER", order.substr(7), 0, UINT64_MAX, kAllowed);
    } else if (order != "ascending") {
      refuse("CUCPU_ORDER", order, kAllowed);
    }
  }
  if (const char* text = std::getenv("CUCPU_TOOLS")) s.tools = read_tools(text);
  if (const char* text = std::getenv("CUCPU_JSON")) s.json_file = text;
  if (const char* text = std::getenv("CUCPU_DRAW")) s.draw_file = text;
  s.tools.draw = !s.draw_file.empty();
  return s;
}

}  // namespace

const Settings& settings() {
  static const Settings s = read();
  return s;
}

}  // namespace cucpu
