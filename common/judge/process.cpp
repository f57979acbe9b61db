#include "judge/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "judge/records.h"

namespace judge {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kCannotRun = 127;
constexpr int kPollMs = 50;
constexpr std::size_t kMostOutput = std::size_t{256} << 10;

volatile std::sig_atomic_t interruption = 0;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Bytes of memory that a process has at the moment.
std::size_t resident_bytes(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/statm");
  std::size_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

struct Pipe {
  int ends[2] = {-1, -1};
  bool open() { return pipe2(ends, O_CLOEXEC) == 0; }
  ~Pipe() {
    for (const int end : ends)
      if (end >= 0) close(end);
  }
  void close_end(int which) {
    close(ends[which]);
    ends[which] = -1;
  }
};

[[noreturn]] void become(const std::vector<std::string>& command,
                         const std::vector<std::pair<std::string, std::string>>& environment,
                         const Pipe& output, const Pipe& records, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kCannotRun);  // it ended before we could say so
  for (const int s : {SIGINT, SIGTERM, SIGHUP}) signal(s, SIG_DFL);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(output.ends[1], STDOUT_FILENO);
  dup2(output.ends[1], STDERR_FILENO);
  if (records.ends[1] == kRecordsDescriptor)
    fcntl(kRecordsDescriptor, F_SETFD, 0);
  else
    dup2(records.ends[1], kRecordsDescriptor);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(kCannotRun);
}

// Reads what there is. False at the end.
bool take(int descriptor, std::string& text, std::size_t most) {
  char buffer[16384];
  const ssize_t n = read(descriptor, buffer, sizeof buffer);
  if (n < 0) return errno == EINTR;
  text.append(buffer, std::min(static_cast<std::size_t>(n), most - std::min(most, text.size())));
  return n > 0;
}

void end_group(pid_t child, int first_signal) {
  kill(-child, first_signal);
  for (int i = 0; i < 20 && first_signal != SIGKILL; ++i) {
    if (kill(-child, 0) != 0) return;
    siginfo_t info;
    waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
    if (info.si_pid == child) break;
    usleep(10'000);
  }
  kill(-child, SIGKILL);
}

}  // namespace

void obey_interruptions() {
  struct sigaction action {};
  action.sa_handler = [](int signal) { interruption = signal; };
  for (const int s : {SIGINT, SIGTERM, SIGHUP}) sigaction(s, &action, nullptr);
}

void check_interruption() {
  if (interruption != 0) throw Interrupted(interruption);
}

ProcessEnd run_process(const std::vector<std::string>& command,
                       const std::vector<std::pair<std::string, std::string>>& environment,
                       const ProcessLimits& limits,
                       const std::function<void(const std::string&)>& on_record) {
  ProcessEnd end;
  Pipe output, records;
  if (!output.open() || !records.open()) {
    end.problem = std::string("pipe: ") + std::strerror(errno);
    return end;
  }
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) become(command, environment, output, records, parent);
  if (child < 0) {
    end.problem = std::string("fork: ") + std::strerror(errno);
    return end;
  }
  setpgid(child, child);  // whichever of the two comes first
  output.close_end(1);
  records.close_end(1);

  const Clock::time_point start = Clock::now();
  Clock::time_point last = start;
  std::string lines;
  bool is_over = false;
  int status = 0;
  // Until it has ended and all that it wrote is read. Something that it started may hold the pipes.
  while (true) {
    pollfd ends[2] = {{output.ends[0], POLLIN, 0}, {records.ends[0], POLLIN, 0}};
    const int ready = poll(ends, 2, is_over ? 0 : kPollMs);
    bool has_read = false;
    if (ready > 0 && ends[0].revents != 0) {
      if (take(output.ends[0], end.output, kMostOutput))
        has_read = true;
      else
        output.close_end(0);
    }
    if (ready > 0 && ends[1].revents != 0) {
      if (take(records.ends[0], lines, std::string::npos))
        has_read = true;
      else
        records.close_end(0);
      for (std::size_t at; (at = lines.find('\n')) != std::string::npos;) {
        last = Clock::now();
        on_record(lines.substr(0, at));
        lines.erase(0, at + 1);
      }
    }
    if (is_over && !has_read) break;
    if (is_over) continue;

    if (interruption != 0) {
      end_group(child, SIGTERM);
    } else if ((limits.seconds > 0 && seconds_since(last) > limits.seconds) ||
               (limits.all_seconds > 0 && seconds_since(start) > limits.all_seconds)) {
      end.stopped = ProcessEnd::Stopped::time;
      end_group(child, SIGKILL);
    } else if (limits.memory_bytes > 0 && resident_bytes(child) > limits.memory_bytes) {
      end.stopped = ProcessEnd::Stopped::memory;
      end_group(child, SIGKILL);
    }
    const pid_t ended = waitpid(child, &status, WNOHANG);
    is_over = ended == child;
    if (is_over) kill(-child, SIGKILL);  // what it leaves behind
  }
  check_interruption();
  if (WIFEXITED(status)) end.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  if (end.code == kCannotRun && end.output.empty()) end.problem = command.at(0) + ": cannot be run";
  return end;
}

}  // namespace judge
