// Errors: the last one of each host thread, the sticky one of the device, and what they are called.
#include <atomic>
#include <cstdlib>
#include <utility>

#include "call.h"
#include "cucpu/trace.h"
#include "cuda_runtime_api.h"
#include "error_texts.h"
#include "observer.h"

namespace cucpu {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

// The call of the API that this thread of the host is in.
struct Current {
  ApiCaller caller;
  bool is_reported = false;
};
thread_local Current current;

thread_local bool uninitialized_copies_allowed = false;

std::atomic<cudaError_t> fault_left_behind{cudaSuccess};
std::atomic<bool> fault_has_no_finding{false};

const ErrorText* find(cudaError_t error) {
  for (const ErrorText& d : kErrorTexts)
    if (d.error == error) return &d;
  return nullptr;
}

// CUDA_VISIBLE_DEVICES hides the one device if it is empty or begins with anything but 0.
bool device_is_hidden() {
  static const bool hidden = [] {
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    return visible != nullptr && visible[0] != '0';
  }();
  return hidden;
}

}  // namespace

ApiCall::ApiCall(const char* function, const void* returns_to)
    : is_outermost_(current.caller.function == nullptr) {
  if (is_outermost_) current = {{function, returns_to}};
}

ApiCall::~ApiCall() {
  if (is_outermost_) current = {};
}

cudaError_t ApiCall::end(cudaError_t error) {
  if (is_outermost_) report_error(error);
  return record_error(error);
}

void ApiCall::mark_reported() { current.is_reported = true; }

ApiCaller ApiCall::caller() { return current.caller; }

std::optional<ApiCaller> ApiCall::checked_caller() {
  if (uninitialized_copies_allowed) return std::nullopt;
  return current.caller;
}

bool trace::allow_uninitialized_copies(bool allowed) {
  return std::exchange(uninitialized_copies_allowed, allowed);
}

void report_error(cudaError_t error, const char* kernel, const void* returns_to) {
  if (error == cudaSuccess || error == cudaErrorNotReady) return;
  // Tools have reported most faults where they arose. The others are reported here, once.
  if (error == sticky_error() && !fault_has_no_finding.exchange(false)) return;
  if (observers == nullptr || current.is_reported) return;
  const bool is_in_call = current.caller.function != nullptr;
  const ApiCaller launch{"cudaLaunchKernel", returns_to};
  observers->api_error({is_in_call ? current.caller : launch, error, kernel});
  current.is_reported = is_in_call;
}

cudaError_t record_error(cudaError_t error) {
  // The error of a fault is kept in fault_left_behind, until the device is reset.
  if (error != cudaSuccess && error != sticky_error()) last_error = error;
  return error;
}

void set_sticky_error(cudaError_t error) {
  cudaError_t none = cudaSuccess;
  fault_left_behind.compare_exchange_strong(none, error);
}

void expect_no_finding() { fault_has_no_finding = true; }

void clear_sticky_error() {
  fault_left_behind = cudaSuccess;
  fault_has_no_finding = false;
}

cudaError_t sticky_error() {
  return device_is_hidden() ? cudaErrorNoDevice : fault_left_behind.load();
}

}  // namespace cucpu

cudaError_t cudaPeekAtLastError() {
  const cudaError_t sticky = cucpu::sticky_error();
  return sticky != cudaSuccess ? sticky : cucpu::last_error;
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  cucpu::last_error = cudaSuccess;
  return error;
}

const char* cudaGetErrorName(cudaError_t error) {
  const cucpu::ErrorText* d = cucpu::find(error);
  return d != nullptr ? d->name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  const cucpu::ErrorText* d = cucpu::find(error);
  return d != nullptr ? d->text : "unrecognized error code";
}
