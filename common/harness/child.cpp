#include "harness/child.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace harness {
namespace {

constexpr int kCannotRun = 127;

[[noreturn]] void become(char* const* arguments, int output, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kCannotRun);  // it ended before we could say so
  dup2(output, STDOUT_FILENO);
  execv(arguments[0], arguments);
  _exit(kCannotRun);
}

}  // namespace

ChildEnd run_child(const std::vector<std::string>& command,
                   const std::function<void(const std::string&)>& on_line) {
  ChildEnd end;
  if (access(command.at(0).c_str(), X_OK) != 0) {
    end.problem = command[0] + ": " + std::strerror(errno);
    return end;
  }
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  int ends[2];
  if (pipe(ends) != 0) {
    end.problem = std::string("pipe: ") + std::strerror(errno);
    return end;
  }
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    become(arguments.data(), ends[1], parent);
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    end.problem = std::string("fork: ") + std::strerror(errno);
    return end;
  }

  std::FILE* output = fdopen(ends[0], "r");
  std::string line;
  for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output)) {
    if (c != '\n') {
      line += static_cast<char>(c);
      continue;
    }
    on_line(line);
    line.clear();
  }
  std::fclose(output);
  if (!line.empty()) on_line(line);

  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) end.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  return end;
}

}  // namespace harness
