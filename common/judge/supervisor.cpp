#include "judge/supervisor.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>

#include "host/temporary_folder.h"
#include "judge/descendants.h"

namespace judge {
namespace {

constexpr std::array kRequestsToEnd = {SIGINT, SIGTERM, SIGHUP};

volatile pid_t worker = 0;

void forward_requests() {
  struct sigaction action {};
  action.sa_handler = [](int signal) { kill(worker, signal); };
  for (const int signal : kRequestsToEnd) sigaction(signal, &action, nullptr);
}

[[noreturn]] void do_work(pid_t supervisor, const std::string& temporary,
                          const std::function<int()>& work) {
  // Asked to end, it still clears away.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != supervisor) std::_Exit(1);
  // Our children have no business in our memory.
  prctl(PR_SET_DUMPABLE, 0);
  adopt_orphans();
  setenv("TMPDIR", temporary.c_str(), 1);
  std::exit(work());
}

void refuse_missing_folder() {
  std::error_code error;
  const char* const named = std::getenv("TMPDIR");
  if (std::filesystem::temp_directory_path(error).empty())
    throw std::runtime_error("temporary files cannot go to " +
                             std::string(named == nullptr ? "/tmp" : named) +
                             " (TMPDIR): " + error.message());
}

int wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

int supervise(const std::function<int()>& work) {
  adopt_orphans();
  refuse_missing_folder();
  int status = 0;
  {
    const host::TemporaryFolder temporary("judge");
    std::fflush(nullptr);
    const pid_t supervisor = getpid();
    worker = fork();
    if (worker < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
    if (worker == 0) do_work(supervisor, temporary.path().string(), work);
    forward_requests();
    status = wait_for(worker);
    end_children_except({});
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  const int by = WTERMSIG(status);
  // SIGPIPE: whoever read the output needs no more of it, as in `judge --list | head -1`.
  const bool is_ordinary_end =
      by == SIGPIPE || std::ranges::find(kRequestsToEnd, by) != std::end(kRequestsToEnd);
  if (is_ordinary_end) {
    // Everything has been cleared away: end as the signal would have it.
    std::signal(by, SIG_DFL);
    std::raise(by);
  }
  throw std::runtime_error(std::string("the judge's own process was killed: ") + strsignal(by));
}

}  // namespace judge
