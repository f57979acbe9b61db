#include "host/command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace host {
namespace {

volatile sig_atomic_t interrupted_by = 0;
volatile sig_atomic_t running = 0;  // the command, or 0

// Ctrl-C goes to the command without us.
void pass_on(int signal, siginfo_t* info, void*) {
  interrupted_by = signal;
  if (running != 0 && info->si_code != SI_KERNEL) kill(running, signal);
}

}  // namespace

void defer_interruptions() {
  struct sigaction action {};
  action.sa_sigaction = pass_on;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  for (const int s : {SIGINT, SIGTERM, SIGHUP}) sigaction(s, &action, nullptr);
}

int interruption() { return interrupted_by; }

ProcessEnd run_command(const std::vector<std::string>& command, const std::string& messages) {
  Surroundings surroundings;
  Descriptor file;
  if (!messages.empty()) {
    file = Descriptor(
        open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (file.number() < 0) throw CannotStart(messages + ": " + std::strerror(errno));
    surroundings.descriptors = {{file.number(), STDERR_FILENO}};
  }
  const pid_t process = start(command, surroundings);
  running = process;
  // One that came before the command was known.
  if (interrupted_by != 0) kill(process, interrupted_by);
  const ProcessEnd end = wait_for(process);
  running = 0;
  return end;
}

}  // namespace host
