#include "judge/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <mutex>
#include <set>

#include "judge/descendants.h"

namespace judge {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMs = 50;
constexpr int kPollForEndMs = 1;  // of a process that has closed its pipes: nothing else wakes us
constexpr std::size_t kMostOutput = std::size_t{256} << 10;

volatile std::sig_atomic_t interruption = 0;

// Those that are waited for, in whichever thread: all other children of ours have lost their
// parent, and are nobody's any more.
std::mutex children_mutex;
std::set<pid_t> children;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
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

Child::Child(const std::vector<std::string>& command, host::Surroundings surroundings,
             std::size_t memory_bytes, host::Descriptor lines)
    : memory_bytes_(memory_bytes), lines_(std::move(lines)) {
  host::Pipe output;
  const host::Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  surroundings.descriptors.insert(surroundings.descriptors.begin(),
                                  {{nothing.number(), STDIN_FILENO},
                                   {output.writer.number(), STDOUT_FILENO},
                                   {output.writer.number(), STDERR_FILENO}});
  surroundings.has_own_group = true;
  surroundings.ends_with_us = true;
  const std::lock_guard lock(children_mutex);
  process_ = host::start(command, surroundings);
  children.insert(process_);
  output_ = std::move(output.reader);
}

Child::~Child() {
  if (!has_ended_) stop_for(end_.stopped, SIGKILL);
}

// Waits that long for something to read, and reads it. False if there was nothing.
bool Child::read_some(int wait_ms) {
  pollfd ends[2] = {{output_.number(), POLLIN, 0}, {lines_.number(), POLLIN, 0}};
  if (poll(ends, 2, wait_ms) <= 0) return false;
  bool has_read = false;
  const auto read_from = [&](const pollfd& end, host::Descriptor& from, std::string& text,
                             std::size_t most) {
    if (end.revents == 0) return;
    if (take(from.number(), text, most))
      has_read = true;
    else
      from.close();
  };
  read_from(ends[0], output_, end_.output, kMostOutput);
  read_from(ends[1], lines_, partial_, std::string::npos);
  return has_read;
}

bool Child::take_line(std::string& line) {
  const std::size_t at = partial_.find('\n');
  if (at == std::string::npos) return false;
  line = partial_.substr(0, at);
  partial_.erase(0, at + 1);
  return true;
}

// All that it wrote is read; something that it started may hold the pipes, and is ended.
void Child::collect(const host::ProcessEnd& end) {
  kill(-process_, SIGKILL);
  {
    const std::lock_guard lock(children_mutex);
    children.erase(process_);
    end_children_except(children);
  }
  while (read_some(0)) {
  }
  end_.code = end.code;
  end_.signal = end.signal;
  has_ended_ = true;
}

void Child::stop_for(ProcessEnd::Stopped reason, int signal) {
  end_.stopped = reason;
  end_group(process_, signal);
  collect(host::wait_for(process_));
}

Child::Event Child::wait(double seconds, std::string* line) {
  const Clock::time_point began = Clock::now();
  Clock::time_point measured = began;
  while (true) {
    if (line != nullptr && take_line(*line)) return Event::line;
    if (has_ended_) return Event::ended;
    const bool has_pipes = output_.number() >= 0 || lines_.number() >= 0;
    read_some(has_pipes ? kPollMs : kPollForEndMs);
    if (line != nullptr && take_line(*line)) return Event::line;
    if (interruption != 0) {
      stop_for(ProcessEnd::Stopped::no, SIGTERM);
      check_interruption();
    }
    if (const auto ended = host::end_of(process_)) {
      collect(*ended);
      continue;
    }
    if (seconds > 0 && seconds_since(began) > seconds) {
      stop_for(ProcessEnd::Stopped::time, SIGKILL);
      return Event::late;
    }
    // One that prints without end keeps us from waiting; its memory is still looked at only so
    // often.
    if (memory_bytes_ == 0 || seconds_since(measured) * 1000 < kPollMs) continue;
    measured = Clock::now();
    if (resident_bytes_with_descendants(process_) <= memory_bytes_) continue;
    stop_for(ProcessEnd::Stopped::memory, SIGKILL);
    return Event::too_large;
  }
}

Child::Event Child::wait_for_line(double seconds, std::string& line) {
  return wait(seconds, &line);
}

const ProcessEnd& Child::wait_for_end(double seconds) {
  wait(seconds, nullptr);
  return end_;
}

const ProcessEnd& Child::stop() {
  if (!has_ended_) stop_for(end_.stopped, SIGKILL);
  return end_;
}

void obey_interruptions() {
  struct sigaction action {};
  action.sa_handler = [](int signal) { interruption = signal; };
  for (const int s : {SIGINT, SIGTERM, SIGHUP}) sigaction(s, &action, nullptr);
}

void check_interruption() {
  if (interruption != 0) throw Interrupted(interruption);
}

ProcessEnd run_process(const std::vector<std::string>& command, const ProcessLimits& limits) {
  Child child(command, {}, limits.memory_bytes);
  return child.wait_for_end(limits.seconds);
}

}  // namespace judge
