#include "commands.h"

#include <iostream>

#include "exit.h"
#include "host/command.h"

namespace cucpu {
namespace {

// As a shell would take it.
void show(const Words& command) {
  for (const std::string& word : command) {
    constexpr const char* kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      std::cout << word << ' ';
      continue;
    }
    std::cout << '\'';
    for (const char c : word) std::cout << (c == '\'' ? "'\\''" : std::string(1, c));
    std::cout << "' ";
  }
  std::cout << std::endl;
}

[[noreturn]] void leave_as_killed_by(int signal) {
  constexpr int kKilledBySignal = 128;  // as shells have it
  throw Exit{kKilledBySignal + signal};
}

host::ProcessEnd run(const Words& command, const std::string& messages) {
  try {
    return host::run_command(command, messages);
  } catch (const host::CannotStart& error) {
    refuse(error.what());
  }
}

}  // namespace

void Commands::execute(const Words& command, const std::string& messages) const {
  if (shows_) show(command);
  if (dry_run_) return;
  if (host::interruption() != 0) leave_as_killed_by(host::interruption());
  const host::ProcessEnd end = run(command, messages);
  if (host::interruption() != 0) leave_as_killed_by(host::interruption());
  if (end.signal != 0) leave_as_killed_by(end.signal);
  if (end.code != 0) throw Exit{end.code};
}

}  // namespace cucpu
