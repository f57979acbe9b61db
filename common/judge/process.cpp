#include "judge/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <optional>

#include "host/process.h"
#include "judge/records.h"

namespace judge {
namespace {

using Clock = std::chrono::steady_clock;

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

// Starts it with nothing to read; what it says comes to `output`.
pid_t start(const std::vector<std::string>& command,
            const std::vector<std::pair<std::string, std::string>>& environment,
            const host::Pipe& output, const host::Pipe& records) {
  const host::Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  return host::start(command, {.descriptors = {{nothing.number(), STDIN_FILENO},
                                               {output.writer.number(), STDOUT_FILENO},
                                               {output.writer.number(), STDERR_FILENO},
                                               {records.writer.number(), kRecordsDescriptor}},
                               .environment = environment,
                               .has_own_group = true,
                               .ends_with_us = true});
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

ProcessEnd run_started(const std::vector<std::string>& command,
                       const std::vector<std::pair<std::string, std::string>>& environment,
                       const ProcessLimits& limits,
                       const std::function<void(const std::string&)>& on_record) {
  ProcessEnd end;
  host::Pipe output, records;
  const pid_t child = start(command, environment, output, records);
  output.writer.close();
  records.writer.close();

  const Clock::time_point began = Clock::now();
  Clock::time_point last = began;
  std::string lines;
  std::optional<host::ProcessEnd> ended;
  // Until it has ended and all that it wrote is read. Something that it started may hold the pipes.
  while (true) {
    pollfd ends[2] = {{output.reader.number(), POLLIN, 0}, {records.reader.number(), POLLIN, 0}};
    const int ready = poll(ends, 2, ended ? 0 : kPollMs);
    bool has_read = false;
    if (ready > 0 && ends[0].revents != 0) {
      if (take(output.reader.number(), end.output, kMostOutput))
        has_read = true;
      else
        output.reader.close();
    }
    if (ready > 0 && ends[1].revents != 0) {
      if (take(records.reader.number(), lines, std::string::npos))
        has_read = true;
      else
        records.reader.close();
      for (std::size_t at; (at = lines.find('\n')) != std::string::npos;) {
        last = Clock::now();
        on_record(lines.substr(0, at));
        lines.erase(0, at + 1);
      }
    }
    if (ended && !has_read) break;
    if (ended) continue;

    if (interruption != 0) {
      end_group(child, SIGTERM);
    } else if ((limits.seconds > 0 && seconds_since(last) > limits.seconds) ||
               (limits.all_seconds > 0 && seconds_since(began) > limits.all_seconds)) {
      end.stopped = ProcessEnd::Stopped::time;
      end_group(child, SIGKILL);
    } else if (limits.memory_bytes > 0 && resident_bytes(child) > limits.memory_bytes) {
      end.stopped = ProcessEnd::Stopped::memory;
      end_group(child, SIGKILL);
    }
    ended = host::end_of(child);
    if (ended) kill(-child, SIGKILL);  // what it leaves behind
  }
  check_interruption();
  end.code = ended->code;
  end.signal = ended->signal;
  return end;
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
  try {
    return run_started(command, environment, limits, on_record);
  } catch (const host::CannotStart& error) {
    return {.problem = error.what()};
  }
}

}  // namespace judge
