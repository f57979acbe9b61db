#include "host/replacement_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

namespace host {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kAnyone = 0666;  // less what the umask takes

// The parts that a signal has to remove: its handler can neither lock nor allocate.
constexpr std::size_t kMostParts = 8;
std::array<std::atomic<const char*>, kMostParts> parts;

constexpr std::array kEndingSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGXCPU};

// Holds these signals back from this thread while it exists: a part is announced as soon as it is
// there, and withdrawn as soon as it is gone.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : kEndingSignals) sigaddset(&ending, signal);
    pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

void remove_parts_and_end(int signal) {
  for (const auto& part : parts)
    if (const char* const name = part.load()) unlink(name);
  ::signal(signal, SIG_DFL);
  raise(signal);
}

// A handler of somebody else's has its own way to end, which destroys our objects.
void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return;
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

void handle_signals() {
  for (const int signal : kEndingSignals) handle(signal, remove_parts_and_end);
  // A file that grows too large is an error of `write`.
  handle(SIGXFSZ, [](int) {});
}

void announce(const char* part) {
  for (auto& free : parts) {
    const char* none = nullptr;
    if (free.compare_exchange_strong(none, part)) return;
  }
}

void withdraw(const char* part) {
  for (auto& announced : parts) {
    const char* expected = part;
    if (announced.compare_exchange_strong(expected, nullptr)) return;
  }
}

// The names that the system has for open files and devices, such as /dev/stdout, are never
// replaced, whatever is behind them.
bool can_be_replaced(const fs::path& path) {
  for (const char* folder : {"/dev/", "/proc/"})
    if (path.native().starts_with(folder)) return false;
  std::error_code error;
  return !fs::exists(path, error) || fs::is_regular_file(path, error);
}

bool are_same(int one, int other) {
  struct stat a, b;
  return fstat(one, &a) == 0 && fstat(other, &b) == 0 && a.st_ino == b.st_ino &&
         a.st_dev == b.st_dev;
}

// Whether the name still leads to the file: who had it before us may have put it in place.
bool is_at(int file, const std::string& name) {
  struct stat ours, its;
  return fstat(file, &ours) == 0 && stat(name.c_str(), &its) == 0 && ours.st_ino == its.st_ino &&
         ours.st_dev == its.st_dev;
}

}  // namespace

ReplacementFile::ReplacementFile(const fs::path& path) : path_(path) {
  if (!can_be_replaced(path_)) {
    file_ = Descriptor(open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    if (file_.number() < 0) fail(errno);
    // A file behind /dev/stdout has one place to write to, which a file opened anew would not
    // share.
    for (const int ours : {STDOUT_FILENO, STDERR_FILENO})
      if (are_same(file_.number(), ours)) file_ = Descriptor(fcntl(ours, F_DUPFD_CLOEXEC, 0));
    return;
  }
  // A link stays a link.
  std::error_code error;
  const fs::path target = fs::canonical(path_, error);
  if (!error) path_ = target;
  part_ = path_.string() + ".part";
  handle_signals();
  open_part();
}

ReplacementFile::~ReplacementFile() {
  if (part_.empty()) return;
  const SignalsBlocked blocked;
  if (file_.number() >= 0) unlink(part_.c_str());
  withdraw(part_.c_str());
}

void ReplacementFile::open_part() {
  const SignalsBlocked blocked;
  do {
    file_ = Descriptor(
        open(part_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, kAnyone));
    if (file_.number() < 0) fail(errno);
    // A file system without locks cannot tell two processes apart.
    if (flock(file_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      file_.close();
      throw FileFault(path_.string() + ": another process is writing it");
    }
  } while (!is_at(file_.number(), part_));
  if (ftruncate(file_.number(), 0) != 0) fail(errno);
  announce(part_.c_str());
  keep_mode();
}

void ReplacementFile::keep_mode() const {
  constexpr mode_t kPermissions = 0777;
  struct stat before;
  if (stat(path_.c_str(), &before) == 0) fchmod(file_.number(), before.st_mode & kPermissions);
}

void ReplacementFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(file_.number(), text.data(), text.size());
    if (n < 0 && errno != EINTR) fail(errno);
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
}

void ReplacementFile::put_in_place() {
  if (part_.empty()) return;
  // A disk may say only now that it is full.
  if (fsync(file_.number()) != 0 && errno != EINVAL) fail(errno);
  const SignalsBlocked blocked;
  if (rename(part_.c_str(), path_.c_str()) != 0) fail(errno);
  withdraw(part_.c_str());
  file_.close();
}

void ReplacementFile::fail(int error) const {
  throw FileFault(path_.string() + ": " + std::strerror(error));
}

}  // namespace host
