#include "host/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

extern char** environ;

namespace host {
namespace {

constexpr int kInterruptions[] = {SIGINT, SIGTERM, SIGHUP};

volatile sig_atomic_t interrupted_by = 0;
volatile sig_atomic_t running = 0;  // the command, or 0

// Ctrl-C goes to the command without us.
void pass_on(int signal, siginfo_t* info, void*) {
  interrupted_by = signal;
  if (running != 0 && info->si_code != SI_KERNEL) kill(running, signal);
}

// The command takes these signals as if it had been started by hand.
class Attributes {
 public:
  Attributes() {
    sigset_t interruptions;
    sigemptyset(&interruptions);
    for (const int s : kInterruptions) sigaddset(&interruptions, s);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigdefault(&attributes_, &interruptions);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

class Redirections {
 public:
  explicit Redirections(const std::string& messages) {
    posix_spawn_file_actions_init(&actions_);
    if (!messages.empty())
      posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, messages.c_str(),
                                       O_WRONLY | O_CREAT | O_TRUNC, S_IRUSR | S_IWUSR);
  }
  ~Redirections() { posix_spawn_file_actions_destroy(&actions_); }
  Redirections(const Redirections&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

}  // namespace

void defer_interruptions() {
  struct sigaction action {};
  action.sa_sigaction = pass_on;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  for (const int s : kInterruptions) sigaction(s, &action, nullptr);
}

int interruption() { return interrupted_by; }

CommandEnd run_command(const std::vector<std::string>& command, const std::string& messages) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);

  const Attributes attributes;
  const Redirections redirections(messages);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, argv[0], redirections.get(), attributes.get(), argv.data(), environ);
  if (error != 0) throw CannotStart(command[0] + ": cannot be run: " + std::strerror(error));
  running = child;
  // One that came before the command was known.
  if (interrupted_by != 0) kill(child, interrupted_by);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  running = 0;
  CommandEnd end;
  if (WIFEXITED(status)) end.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  return end;
}

}  // namespace host
