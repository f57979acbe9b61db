#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "judge/process.h"

namespace judge {

/// Memory that this process and a runner have mapped. Nobody can change its size.
class RunnerMemory {
 public:
  /// Throws `std::runtime_error`.
  explicit RunnerMemory(std::size_t bytes);
  ~RunnerMemory();
  RunnerMemory(const RunnerMemory&) = delete;
  RunnerMemory& operator=(const RunnerMemory&) = delete;

  unsigned char* at(std::size_t place) const { return memory_ + place; }
  int descriptor() const { return file_.number(); }

 private:
  host::Descriptor file_;
  std::size_t bytes_;
  unsigned char* memory_ = nullptr;
};

/// A runner (protocol.h) at work. It runs a learner's code, so that whatever comes from it may be
/// forged: the memory's bytes are taken for what a solution has computed, and for nothing else.
class Session {
 public:
  /// `command` starts the runner. All of its processes together may have `memory_bytes` of memory.
  Session(const std::vector<std::string>& command,
          const std::vector<std::pair<std::string, std::string>>& environment,
          std::size_t shared_bytes, std::size_t memory_bytes);

  enum class Answer {
    reply,      ///< it did what it was told to
    ended,      ///< it is no more
    late,       ///< it was stopped after the time that it had
    too_large,  ///< it was stopped as it took too much memory
    forged,     ///< something else than the runner answers; it was stopped
  };
  /// Sends a command, to which it adds a nonce, and waits `seconds` for the reply.
  Answer ask(nlohmann::ordered_json command, double seconds, nlohmann::ordered_json& reply);

  /// Lets it end by itself, within some seconds.
  const ProcessEnd& end();

  const RunnerMemory& memory() const { return memory_; }

 private:
  RunnerMemory memory_;
  host::Descriptor commands_;
  std::unique_ptr<Child> child_;
};

/// 64 random bits that nobody can know beforehand.
std::uint64_t unpredictable();

}  // namespace judge
