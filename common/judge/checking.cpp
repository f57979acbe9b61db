#include "judge/checking.h"

#include <fmt/core.h>
#include <algorithm>
#include <chrono>

#include "device/backend.h"
#include "device/guards.h"
#include "judge/layout.h"
#include "judge/session.h"

namespace judge {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMostCases = 6;  // that may take all of their time

constexpr const char* kForged =
    "solve writes to a descriptor that is not its own: it has to leave alone what it has not "
    "opened";

// Errors that come of what a kernel does, and not of how it was launched.
bool is_of_kernels(const std::string& error) {
  return error.starts_with("cudaErrorIllegalAddress") ||
         error.starts_with("cudaErrorMisalignedAddress") ||
         error.starts_with("cudaErrorLaunchFailure") || error.starts_with("cudaErrorAssert");
}

std::vector<Case> cases_of(const Exercise& exercise, std::uint64_t seed) {
  std::vector<Case> cases = exercise.cases;
  if (!device::kIsCpu)
    for (const Sizes& sizes : exercise.limits) cases.push_back({sizes, Values::random});
  cases.push_back({device::kIsCpu ? exercise.large_cpu : exercise.large_cuda, Values::random});
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].seed = seed + i;
  return cases;
}

class Checker {
 public:
  Checker(const Exercise& exercise, const RunnerSettings& settings)
      : exercise_(exercise),
        settings_(settings),
        cases_(cases_of(exercise, settings.seed)),
        session_(settings.command, settings.environment, room(), settings.memory_bytes) {}

  CheckResult run() {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point began = Clock::now();
    // A solve that touches nothing at all may be one that has not been written yet; and what the
    // checkers find may have a result that is right.
    std::optional<Fault> first, unseen;
    const std::size_t count = settings_.last_case == 0 ? cases_.size() : settings_.last_case;
    for (std::size_t i = settings_.first_case - 1; i < count; ++i) {
      const bool is_last = i + 1 == count;
      result_.last = {i + 1, cases_.size(), cases_[i]};
      const std::chrono::duration<double> used = Clock::now() - began;
      Fault fault = try_case(cases_[i], kMostCases * settings_.seconds - used.count());
      fault.name = result_.last;
      if (result_.has_ended_early) {
        first.reset();
        if (fault.is_one()) first = std::move(fault);
        break;
      }
      ++result_.cases;
      const bool is_only_found = fault.has_findings && fault.reasons.empty() && !fault.mismatch;
      if (is_only_found) {
        if (!unseen) unseen = std::move(fault);
        continue;
      }
      if (!fault.is_one() && !first) continue;
      const bool is_untouched = fault.is_untouched;
      if (!first)
        first = std::move(fault);
      else if (!is_untouched)
        first->is_untouched = false;
      if (!is_untouched || is_last) break;
    }
    if (!result_.has_ended_early) result_.end = session_.end();
    // Its consequences in later, larger cases explain less.
    result_.fault = unseen ? std::move(unseen) : std::move(first);
    return std::move(result_);
  }

 private:
  // The bytes of the largest case.
  std::size_t room() const {
    std::size_t most = 0;
    for (const Case& run : cases_)
      most = std::max(most, Layout(exercise_, run.sizes, zone()).bytes());
    return most;
  }
  std::size_t zone() const { return settings_.is_watched ? 0 : device::kRedZoneBytes; }

  Fault try_case(const Case& run, double seconds_left) {
    const Data data = make_data(exercise_, run);
    const Layout layout(exercise_, run.sizes, zone());
    layout.fill(exercise_, data, session_.memory().at(0));
    Json command = {{"do", "call"},
                    {"arrays", layout.to_json(exercise_, settings_.is_watched ? "none" : "upload")},
                    {"sizes", run.sizes}};
    // The runtime stops a kernel after that time, and says which; the rest is for us.
    constexpr double kGrace = 3;
    Json reply;
    Fault fault;
    const double seconds = kGrace + std::min(settings_.seconds, std::max(seconds_left, 0.0));
    switch (session_.ask(std::move(command), seconds, reply)) {
      case Session::Answer::reply:
        try {
          read_reply(data, layout, reply, fault);
        } catch (const Json::exception&) {
          // Fields that no runner sends.
          fault.reasons.emplace_back("forged", kForged);
        }
        return fault;
      case Session::Answer::forged:
        fault.reasons.emplace_back("forged", kForged);
        break;
      case Session::Answer::ended:
      case Session::Answer::late:
      case Session::Answer::too_large:
        break;
    }
    result_.has_ended_early = true;
    result_.end = session_.end();
    return fault;
  }

  void read_reply(const Data& data, const Layout& layout, const Json& reply, Fault& fault) {
    const auto text = [&](const char* field) { return reply.value(field, std::string()); };
    if (reply.contains("failure")) {
      fault.reasons.emplace_back("launch", text("failure"));
      return;
    }
    if (text("tools") != settings_.tools) {
      fault.reasons.emplace_back(
          "forged",
          "the checkers do not watch any more: the process was started anew, or its "
          "environment changed");
      return;
    }
    const std::size_t findings = reply.value("findings", std::size_t{0});
    fault.has_findings = findings != findings_;
    findings_ = findings;
    const std::string error = text("error");
    if (reply.contains("thrown")) fault.reasons.emplace_back("crash", text("thrown"));
    if (error.starts_with("cudaErrorLaunchTimeout"))
      fault.reasons.emplace_back("timeout", error);
    else if (!error.empty() && !(fault.has_findings && is_of_kernels(error)))
      fault.reasons.emplace_back("launch", error);
    result_.launches = fault.launches = reply.value("launches", Json::array());
    remember_blocks();
    result_.tables = text("tables");
    const bool is_readable = reply.value("is_readable", false);
    if (is_readable) compare_memory(data, layout, fault);
    // Without an error there is always something to compare.
    if (!is_readable && error.empty()) fault.reasons.emplace_back("forged", kForged);
    fault.is_untouched &= error.empty() && !fault.has_findings && !reply.contains("thrown");
    if (!fault.is_one() && !fault.is_untouched && is_hidden())
      fault.reasons.emplace_back("forged",
                                 "the output has changed, but no access to it was seen: the "
                                 "checkers have to see what kernels do");
  }

  void remember_blocks() {
    for (const Json& launch : result_.launches) {
      double threads = 1;
      for (const Json& extent : launch.at("block")) threads *= extent.get<double>();
      double& largest = result_.largest_block[launch.at("kernel").get<std::string>()];
      largest = std::max(largest, threads);
    }
  }

  // Kernels have run, and no access of theirs was counted.
  bool is_hidden() const {
    if (!JUDGE_WATCHES || result_.launches.empty()) return false;
    double all = 0;
    for (const Json& launch : result_.launches)
      for (const char* group : {"global_load", "global_store", "global_atomic"})
        all += launch.at("counters").at(group).at("requests").get<double>();
    return all == 0;
  }

  void compare_memory(const Data& data, const Layout& layout, Fault& fault) const {
    const unsigned char* const memory = session_.memory().at(0);
    fault.is_untouched = true;
    for (std::size_t i = 0; i < exercise_.arrays.size(); ++i) {
      const Array& array = exercise_.arrays[i];
      if (const std::string zone = layout.zone_fault(i, bytes_of(array.element), memory);
          !zone.empty())
        fault.reasons.emplace_back("memcheck (out_of_bounds)",
                                   std::string(array.name) + ": " + zone);
      const std::span<const unsigned char> now = layout.data(i, memory);
      const std::span<const unsigned char> before = data.arrays[i].bytes();
      if (array.role == Role::output) {
        fault.is_untouched &= std::all_of(
            now.begin(), now.end(), [](unsigned char byte) { return byte == device::kPoison; });
        continue;
      }
      const auto [changed, _] = std::mismatch(now.begin(), now.end(), before.begin());
      if (changed == now.end()) continue;
      fault.is_untouched = false;
      if (array.role != Role::input) continue;
      const auto index = static_cast<std::size_t>(changed - now.begin()) / bytes_of(array.element);
      fault.reasons.emplace_back(
          "input", fmt::format("{}[{}] has changed: it was {}, now it is {}", array.name, index,
                               text_of(array.element, element(array.element, before, index).number),
                               text_of(array.element, element(array.element, now, index).number)));
    }
    const std::size_t output = exercise_.output();
    const bool in_place = exercise_.arrays[output].role == Role::in_place;
    fault.mismatch =
        compare(exercise_, exercise_.answer(data), 0, layout.data(output, memory),
                in_place ? data.arrays[output].bytes() : std::span<const unsigned char>());
  }

  const Exercise& exercise_;
  const RunnerSettings& settings_;
  std::vector<Case> cases_;
  Session session_;
  CheckResult result_;
  std::size_t findings_ = 0;
};

// At sizes that take a CPU too long, whether the kernels can be launched: that shows at once.
std::optional<Fault> try_launch(const Exercise& exercise, const RunnerSettings& settings,
                                const CaseName& name) {
  constexpr double kSeconds = 1;
  const Data data = make_data(exercise, name.run);
  const Layout layout(exercise, name.run.sizes, 0);
  Session session(settings.command, settings.environment, layout.bytes(), settings.memory_bytes);
  layout.fill(exercise, data, session.memory().at(0));
  Json reply;
  const Session::Answer answer = session.ask(
      {{"do", "launch"}, {"arrays", layout.to_json(exercise, "none")}, {"sizes", name.run.sizes}},
      kSeconds, reply);
  Fault fault;
  fault.name = name;
  if (answer == Session::Answer::ended) {
    // As programs do that look at the launch's error.
    fault.reasons.emplace_back("exit", "solve ends the process: it has to return");
    return fault;
  }
  const std::string error = reply.is_object() ? reply.value("error", std::string()) : "";
  if (answer != Session::Answer::reply || error.empty()) return std::nullopt;
  fault.reasons.emplace_back("launch", error);
  return fault;
}

}  // namespace

CheckResult check(const Exercise& exercise, const RunnerSettings& settings) {
  CheckResult result = Checker(exercise, settings).run();
  if (!device::kIsCpu || result.fault || result.has_ended_early || settings.last_case != 0)
    return result;
  const std::size_t of = result.cases + exercise.limits.size();
  for (const Sizes& sizes : exercise.limits) {
    ++result.cases;
    result.fault =
        try_launch(exercise, settings, {result.cases, of, {sizes, Values::random, settings.seed}});
    if (result.fault) break;
  }
  return result;
}

}  // namespace judge
