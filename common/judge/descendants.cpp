#include "judge/descendants.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/core.h>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace judge {
namespace {

namespace fs = std::filesystem;

struct Process {
  pid_t id = 0;
  pid_t parent = 0;
};

// All processes of this machine, or of this container.
std::vector<Process> all_processes() {
  std::vector<Process> all;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    Process process;
    const char* const end = name.data() + name.size();
    if (std::from_chars(name.data(), end, process.id).ptr != end) continue;
    std::ifstream in(entry.path() / "stat");
    std::string text;
    std::getline(in, text, '\0');
    // "7 (name, which may hold anything) S 1 ...": a state, then the parent.
    const std::size_t after_name = text.rfind(')');
    constexpr std::size_t kToParent = 4;
    if (after_name == std::string::npos || after_name + kToParent >= text.size()) continue;
    std::from_chars(text.data() + after_name + kToParent, text.data() + text.size(),
                    process.parent);
    all.push_back(process);
  }
  return all;
}

std::size_t resident_bytes(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/statm", process));
  std::size_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void require_sight_of_processes() {
  if (!fs::exists("/proc/self/stat"))
    throw std::runtime_error(
        "/proc is not mounted: a solution's processes and memory cannot be watched");
}

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

std::size_t resident_bytes_with_descendants(pid_t process) {
  const std::vector<Process> all = all_processes();
  std::vector<pid_t> found = {process};
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    bytes += resident_bytes(found[i]);
    for (const Process& other : all)
      if (other.parent == found[i]) found.push_back(other.id);
  }
  return bytes;
}

void end_children_except(const std::set<pid_t>& kept) {
  // Each round's orphans are children in the next one. Whoever forks faster than that is stopped
  // first, so that no more of them come.
  constexpr int kMostRounds = 1000;
  constexpr useconds_t kPause = 1000;
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<pid_t> children;
    for (const Process& process : all_processes())
      if (process.parent == getpid() && !kept.contains(process.id)) children.push_back(process.id);
    if (children.empty()) return;
    for (const pid_t child : children) kill(child, SIGSTOP);
    for (const pid_t child : children) kill(child, SIGKILL);
    for (const pid_t child : children) waitpid(child, nullptr, 0);
    if (round > 0) usleep(kPause);
  }
}

}  // namespace judge
