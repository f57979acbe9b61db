#include "host/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

extern char** environ;

namespace host {
namespace {

// Everything that the new process needs, made before there is one: until it is another program it
// shares our memory, and must neither allocate nor lock.
struct Plan {
  char* const* arguments;
  char* const* environment;
  const Surroundings* surroundings;
  pid_t parent;
  const sigset_t* signals;  // that are blocked in the end
  volatile int* error;      // why it could not become the program
};

// A handler of ours must not run in it. Ignored signals stay ignored, as nohup wants it.
void forget_handlers() {
  for (int s = 1; s < NSIG; ++s) {
    struct sigaction action;
    if (sigaction(s, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) signal(s, SIG_DFL);
  }
}

bool connect(const std::vector<std::pair<int, int>>& descriptors) {
  for (const auto& [ours, its] : descriptors)
    if (ours == its ? fcntl(its, F_SETFD, 0) < 0 : dup2(ours, its) < 0) return false;
  return true;
}

bool prepare(const Plan& plan) {
  forget_handlers();
  if (plan.surroundings->has_own_group) setpgid(0, 0);
  if (plan.surroundings->ends_with_us) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != plan.parent) return false;  // it ended before we could say so
  }
  sigprocmask(SIG_SETMASK, plan.signals, nullptr);
  return connect(plan.surroundings->descriptors);
}

[[noreturn]] void become(const Plan& plan) {
  if (prepare(plan)) execvpe(plan.arguments[0], plan.arguments, plan.environment);
  *plan.error = errno;
  _exit(1);
}

// A program that is being traced has so much memory that a copy of its page tables takes long.
pid_t spawn(const Plan& plan) {
  const pid_t process = vfork();
  if (process == 0) become(plan);
  if (process < 0) *plan.error = errno;
  return process;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> with_ours(
    const std::vector<std::pair<std::string, std::string>>& environment) {
  std::vector<std::string> result;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('='));
    if (std::none_of(environment.begin(), environment.end(),
                     [&](const auto& added) { return added.first == name; }))
      result.emplace_back(text);
  }
  for (const auto& [name, value] : environment) result.push_back(name + "=" + value);
  return result;
}

ProcessEnd read_status(int status) {
  ProcessEnd end;
  if (WIFEXITED(status)) end.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  return end;
}

}  // namespace

void Descriptor::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

Pipe::Pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw CannotStart(std::string("pipe: ") + std::strerror(errno));
  reader = Descriptor(ends[0]);
  writer = Descriptor(ends[1]);
}

pid_t start(const std::vector<std::string>& command, const Surroundings& surroundings) {
  const std::vector<char*> arguments = pointers(command);
  const std::vector<std::string> variables = with_ours(surroundings.environment);
  const std::vector<char*> environment = pointers(variables);
  volatile int error = 0;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t process =
      spawn({arguments.data(), environment.data(), &surroundings, getpid(), &before, &error});
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) {
    if (process > 0) wait_for(process);
    throw CannotStart(command.at(0) + ": cannot be run: " + std::strerror(error));
  }
  return process;
}

ProcessEnd wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return read_status(status);
}

std::optional<ProcessEnd> end_of(pid_t process) {
  int status = 0;
  if (waitpid(process, &status, WNOHANG) != process) return std::nullopt;
  return read_status(status);
}

}  // namespace host
