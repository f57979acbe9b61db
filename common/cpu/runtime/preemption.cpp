#include "preemption.h"

#include <signal.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <mutex>
#include <string>
#include <utility>

#include "report.h"
#include "worker.h"

namespace cucpu {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

constexpr microseconds kQuiet{2000};  // until a thread is watched
// Where the host runs other processes, too: a thread that spins has to be known before its turn on
// the processor is over. Otherwise it spins in vain each time, and waits in vain for nobody to see.
constexpr microseconds kOnBusyHost{500};
constexpr microseconds kWatched{200};
constexpr microseconds kSpinning{100};  // where threads of the block have been spinning
// A look counts once the thread has had this much CPU time, although the kernel and the hypervisor
// may have used it up.
constexpr nanoseconds kSettled{40'000};
// Looks before anything that was under way when the watch began is over.
constexpr unsigned kLooks = 2;
// Looks at a thread that stays where it is and keeps its processor, before it must have run.
constexpr unsigned kStill = 3;
// A thread runs long if it has been seen in this many places, for this long.
constexpr unsigned kPlaces = 8;
constexpr std::chrono::milliseconds kLong{100};

int tick_signal() { return SIGRTMIN + 7; }

nanoseconds processor_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return std::chrono::seconds(t.tv_sec) + nanoseconds(t.tv_nsec);
}

// Times that another thread has taken the processor.
long preemptions() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

bool has_tracer() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word && word != "TracerPid:") {
  }
  int tracer = 0;
  return status >> tracer && tracer != 0;
}

// A debugger stops threads again and again at the same places. Such a thread must not look like one
// that spins, so under a debugger only running time counts, and there are fewer ticks.
bool is_debugged() {
  static const bool debugged = has_tracer();
  return debugged;
}
constexpr int kSlowness = 50;

// ThreadSanitizer holds signals back until a thread's next call of the C library. There the handler
// could not switch: threads that spin on what others of their block write are not for it.
#ifdef CUCPU_THREAD_SANITIZER
constexpr bool kHasTicks = false;
#else
constexpr bool kHasTicks = true;
#endif

void on_tick(int, siginfo_t*, void* context) {
  if (this_worker == nullptr) return;
  const int error = errno;
  this_worker->tick(sample_of(context));
  errno = error;
}

}  // namespace

Sample sample_of(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
  std::uint64_t hash = 0;
  const auto add = [&hash](std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  };
#if defined(__x86_64__)
  const auto& registers = machine.gregs;
  for (int r = REG_R8; r <= REG_RSP; ++r) add(static_cast<std::uint64_t>(registers[r]));
  return {static_cast<std::uintptr_t>(registers[REG_RIP]), hash};
#elif defined(__aarch64__)
  for (const auto value : machine.regs) add(value);
  add(machine.sp);
  return {static_cast<std::uintptr_t>(machine.pc), hash};
#else
#error "the registers of an interrupted thread are known for x86-64 and AArch64 only"
#endif
}

Ticker::Ticker() {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = tick_signal();
  event._sigev_un._tid = gettid();
  const clockid_t clock = is_debugged() ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  works_ = kHasTicks && timer_create(clock, &event, &timer_) == 0;
}

Ticker::~Ticker() {
  if (works_) timer_delete(timer_);
}

void Ticker::set(microseconds from_now) {
  if (!works_) return;
  if (is_debugged()) from_now *= kSlowness;
  const itimerspec setting{.it_interval = {},
                           .it_value = {.tv_sec = 0, .tv_nsec = nanoseconds(from_now).count()}};
  timer_settime(timer_, 0, &setting, nullptr);
}

void SpinWatch::begin(const Sample& sample) {
  samples_[0] = sample;
  count_ = 1;
  looks_ = still_ = 0;
  preemptions_at_look_ = preemptions();
  processor_time_ = processor_time();
  since_ = is_debugged() ? processor_time_ : Clock::now().time_since_epoch();
}

SpinWatch::Verdict SpinWatch::look(const Sample& sample) {
  const nanoseconds now = processor_time();
  if (now - processor_time_ < kSettled) return Verdict::unknown;
  processor_time_ = now;
  ++looks_;
  const long before = std::exchange(preemptions_at_look_, preemptions());
  if (sample == samples_[(count_ - 1) % samples_.size()]) {
    still_ += preemptions_at_look_ == before;
    return still_ >= kStill ? Verdict::spins : Verdict::unknown;
  }
  still_ = 0;
  const auto begin = samples_.begin();
  const auto end = begin + std::min<std::size_t>(count_, samples_.size());
  const bool was_here = std::find(begin, end, sample) != end;
  samples_[count_++ % samples_.size()] = sample;
  if (!is_settled()) return Verdict::unknown;
  if (was_here) return Verdict::spins;
  const nanoseconds time = is_debugged() ? now : Clock::now().time_since_epoch();
  return count_ >= kPlaces && time - since_ >= kLong ? Verdict::runs_long : Verdict::unknown;
}

bool SpinWatch::is_settled() const { return looks_ >= kLooks; }

microseconds SpinWatch::next_look(bool is_watched, bool others_spin) {
  if (others_spin) return kSpinning;
  if (is_watched && looks_ < 4 * samples_.size()) return kWatched;
  const long before = std::exchange(preemptions_, preemptions());
  return preemptions_ != before ? kOnBusyHost : kQuiet;
}

InRuntime::InRuntime() : before_(this_worker != nullptr && this_worker->enter_runtime()) {}
InRuntime::~InRuntime() {
  if (this_worker != nullptr) this_worker->leave_runtime(before_);
}

void give_way() {
  if (this_worker != nullptr) this_worker->give_way();
}

sigset_t held_back_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {tick_signal(), timeout_signal()}) sigaddset(&signals, signal);
  return signals;
}

void let_signals_in() {
  const sigset_t signals = held_back_signals();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

void install_tick_handler() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = on_tick;
    // On the fiber's own stack.
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    action.sa_mask = held_back_signals();
    sigaction(tick_signal(), &action, nullptr);
  });
}

}  // namespace cucpu
