#include "report.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

#include "cucpu/execution.h"
#include "driver_types.h"
#include "faulting_access.h"
#include "grid.h"
#include "host/wrapped_text.h"
#include "preemption.h"
#include "source_path.h"
#include "state.h"
#include "stream_order.h"
#include "worker.h"

namespace cucpu {
namespace {

constexpr std::size_t kSignalStackBytes = 64 * 1024;

std::string describe(dim3 d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

struct sigaction previous_handlers[NSIG];

// Whether an instruction that needs an aligned address did not get one.
bool is_misaligned(int signal, const siginfo_t& info, const void* context) {
  if (signal == SIGBUS) return info.si_code == BUS_ADRALN;
  // The processor gives no address, neither here nor where an address has bits that none can have.
  return signal == SIGSEGV && info.si_code == SI_KERNEL && asked_for_possible_address(context);
}

std::string why_no_block_ends() {
  if (const char* kernel = launch_held_up())
    return "With CUCPU_TOOLS launches run one at a time: " + std::string(kernel) +
           ", launched later and into another stream, does not begin before this one has ended. "
           "Launches that wait for each other cannot be watched";
  return "Blocks that wait for each other have to fit on the device together (CUCPU_SMS)";
}

// Not where a worker has gone on to another launch.
bool shall_end_for_timeout() {
  return this_worker != nullptr && this_worker->is_interruptible() && this_worker->is_in_kernel() &&
         this_worker->grid()->failed();
}

// The launch has failed, here or elsewhere, and the block does not end by itself.
[[noreturn]] void end_late_block() {
  this_worker->enter_runtime();
  if (this_worker->grid()->error() == cudaErrorLaunchTimeout) end_for_timeout(/*one_runs=*/true);
  this_worker->forbid_interruption();
  this_worker->abandon_block();
}

void on_timeout(const void* context) {
  if (!shall_end_for_timeout()) return;
  // An observer ends the block once it is done. Elsewhere in the runtime, the signal comes again.
  if (observer_at_work) end_is_due = true;
  if (this_worker->is_kernels_own(sample_of(context).code)) end_late_block();
}

// The kernel has done what no instruction can do.
[[noreturn]] void end_for(int error, const char* message) {
  if (turns.whole_block) this_worker->look_for_thread({error, message});
  fault(error, message);
}

void on_signal(int signal, siginfo_t* info, void* context) {
  // The handler leaves by switching to the worker's own stack and never returns, so what it calls
  // may be in use below it. The thread is lost in any case.
  if (signal == timeout_signal()) return on_timeout(context);
  if (this_worker == nullptr) {
    // Not ours: as if there had been no handler.
    sigaction(signal, &previous_handlers[signal], nullptr);
    return;
  }
  this_worker->enter_runtime();
  if (signal == SIGFPE)
    end_for(
        cudaErrorLaunchFailure,
        "Integer division by zero, or of the smallest number by -1. A GPU goes on, with a number "
        "that means nothing");
  if (is_misaligned(signal, *info, context))
    end_for(cudaErrorMisalignedAddress,
            "Misaligned access: of more bytes at once than the address is a multiple of");
  char text[160];
  if (this_worker->is_stack_guard(info->si_addr)) {
    std::snprintf(text, sizeof text,
                  "Stack overflow (cudaDeviceSetLimit(cudaLimitStackSize, ...) makes it larger)");
  } else if (info->si_code == SI_KERNEL) {
    std::snprintf(text, sizeof text, "Invalid access of an address that no memory has");
  } else {
    std::snprintf(text, sizeof text, "Invalid access of address %p", info->si_addr);
  }
  end_for(cudaErrorIllegalAddress, text);
}

}  // namespace

void end_if_due() {
  end_is_due = false;
  if (shall_end_for_timeout()) end_late_block();
}

std::string describe(Site site) {
  return site.file == nullptr ? "?"
                              : as_seen_from_here(site.file) + ":" + std::to_string(site.line);
}

std::string describe_thread(Site site) {
  std::string text = "\n=========     at ";
  text += this_worker->grid()->task.name;
  if (site.file != nullptr) text += " in " + describe(site);
  // While one loop runs all threads, nobody notes whose turn it is.
  const std::string thread = turns.whole_block ? "a thread" : "thread " + describe(dim3(threadIdx));
  return text + "\n=========     by " + thread + " in block " + describe(dim3(blockIdx));
}

std::string describe_lanes(std::uint32_t lanes) {
  std::string text;
  int count = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    unsigned last = lane;
    while (last < 31 && (lanes >> (last + 1) & 1)) ++last;
    count += static_cast<int>(last - lane + 1);
    text += (text.empty() ? "" : ",") + std::to_string(lane);
    if (last > lane) text += "-" + std::to_string(last);
    lane = last;
  }
  return (count == 1 ? "lane " : "lanes ") + (text.empty() ? "none" : text);
}

std::string hex(std::uint32_t mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  return text;
}

void print_report(const std::string& text) {
  std::fputs(host::wrapped_report(text).c_str(), stderr);
}

void fail_launch(int error, const std::string& text) {
  this_worker->forbid_interruption();
  print_report("========= " + text);
  this_worker->grid()->fail(error);
}

void fail_launch(SyncFault fault, int error, const std::string& text, Site site, Site other) {
  Grid& grid = *this_worker->grid();
  this_worker->forbid_interruption();
  if (grid.is_first_sync_fault()) {
    print_report("========= " + text);
    if (this_observer != nullptr) observers->sync_fault(grid, fault, site, other);
  }
  grid.fail(error);
}

void fault(int error, const char* message, Site site) {
  if (this_worker == nullptr) {
    std::fprintf(stderr, "%s: device code was called from the host: %s\n", describe(site).c_str(),
                 message);
    std::abort();
  }
  // Tools see the accesses that cannot be done, and who waits in vain.
  if (error == cudaErrorAssert || error == cudaErrorLaunchFailure) expect_no_finding();
  fail_launch(error, message + describe_thread(site));
  this_worker->abandon_block();
}

// Blocks that wait for each other do so alike: one says what for.
void end_for_timeout(bool one_runs) {
  Worker& worker = *this_worker;
  worker.forbid_interruption();
  if (worker.grid()->is_first_sync_fault())
    print_report(
        "========= No block of the launch has ended for the time that CUCPU_TIMEOUT allows. " +
        why_no_block_ends() + describe_thread({}) + worker.describe_waits(one_runs));
  worker.grid()->fail(cudaErrorLaunchTimeout);
  worker.abandon_block();
}

int timeout_signal() { return SIGRTMIN + 6; }

void install_fault_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = on_signal;
    // The handler does not return, so the signal must not stay blocked.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    action.sa_mask = held_back_signals();
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, timeout_signal()})
      sigaction(signal, &action, &previous_handlers[signal]);
  });
}

void prepare_thread_for_faults() {
  struct SignalStack {
    SignalStack() {
      stack.ss_sp = memory.get();
      stack.ss_size = kSignalStackBytes;
      sigaltstack(&stack, &previous);
    }
    ~SignalStack() { sigaltstack(&previous, nullptr); }
    std::unique_ptr<char[]> memory = std::make_unique<char[]>(kSignalStackBytes);
    stack_t stack{};
    stack_t previous{};
  };
  thread_local const SignalStack stack;
}

}  // namespace cucpu
