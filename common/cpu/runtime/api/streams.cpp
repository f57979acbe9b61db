// Streams: handles with their flags. ../stream_order.h orders the operations given to them.
#include <mutex>

#include "call.h"
#include "cuda_runtime_api.h"
#include "device_printf.h"
#include "events.h"
#include "handles.h"
#include "stream_order.h"

struct CUstream_st {
  unsigned flags;
  int priority;
  cudaAccessPolicyWindow window{};
  cudaSynchronizationPolicy policy = cudaSyncPolicyAuto;
};

namespace cucpu {
namespace {

constexpr int kLeastPriority = 0;
constexpr int kGreatestPriority = -5;

Handles<CUstream_st>& streams() {
  // Never destroyed: destructors of static objects may still use theirs.
  static Handles<CUstream_st>& all = *new Handles<CUstream_st>;
  return all;
}

// The properties of the streams that exist from the start.
CUstream_st& predefined() {
  static CUstream_st& stream = *new CUstream_st{cudaStreamDefault, 0};
  return stream;
}

bool is_predefined(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

constinit thread_local bool host_function_runs = false;

// Calls a function of the program's for a stream, one at a time, as programs have come to expect.
template <class Function>
void call_host(Function function) {
  static std::mutex& one_at_a_time = *new std::mutex;
  const std::lock_guard lock(one_at_a_time);
  flush_device_output();
  host_function_runs = true;
  function();
  host_function_runs = false;
}

// Runs `body` for a stream that exists.
template <class Body>
cudaError_t stream_call(cudaStream_t stream, Body body, const char* function = __builtin_FUNCTION(),
                        const void* returns_to = __builtin_return_address(0)) {
  return api_call([&] { return is_live_stream(stream) ? body() : cudaErrorInvalidResourceHandle; },
                  function, returns_to);
}

}  // namespace

bool is_live_stream(cudaStream_t stream) {
  return is_predefined(stream) || streams().is_live(stream);
}

bool is_blocking_stream(cudaStream_t stream) { return stream->flags == cudaStreamDefault; }

bool in_host_function() { return host_function_runs; }

void destroy_streams() { streams().destroy_all(); }

}  // namespace cucpu

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cucpu::api_call(
      [=] { return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cucpu::api_call([=] { return cudaStreamCreateWithPriority(stream, flags, 0); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return cucpu::api_call([=] {
    if (stream == nullptr || (flags != cudaStreamDefault && flags != cudaStreamNonBlocking))
      return cudaErrorInvalidValue;
    // Priorities out of range are the nearest one in it.
    int in_range = priority;
    if (in_range > cucpu::kLeastPriority) in_range = cucpu::kLeastPriority;
    if (in_range < cucpu::kGreatestPriority) in_range = cucpu::kGreatestPriority;
    *stream = cucpu::streams().create({.flags = flags, .priority = in_range});
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return cucpu::api_call([=] {
    return cucpu::streams().destroy(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return cucpu::stream_call(stream, [=] {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = cucpu::is_predefined(stream) ? cudaStreamDefault : stream->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return cucpu::stream_call(stream, [=] {
    if (priority == nullptr) return cudaErrorInvalidValue;
    *priority = cucpu::is_predefined(stream) ? 0 : stream->priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value) {
  return cucpu::stream_call(stream, [=] {
    if (value == nullptr) return cudaErrorInvalidValue;
    CUstream_st& of = cucpu::is_predefined(stream) ? cucpu::predefined() : *stream;
    switch (attribute) {
      case cudaStreamAttributeAccessPolicyWindow: {
        const float ratio = value->accessPolicyWindow.hitRatio;
        if (!(ratio >= 0 && ratio <= 1)) return cudaErrorInvalidValue;
        of.window = value->accessPolicyWindow;
        return cudaSuccess;
      }
      case cudaStreamAttributeSynchronizationPolicy:
        of.policy = value->syncPolicy;
        return cudaSuccess;
      case cudaStreamAttributePriority:
        return cucpu::invalid_unless(value->priority == of.priority);
    }
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue* value) {
  return cucpu::stream_call(stream, [=] {
    if (value == nullptr) return cudaErrorInvalidValue;
    const CUstream_st& of = cucpu::is_predefined(stream) ? cucpu::predefined() : *stream;
    *value = {};
    switch (attribute) {
      case cudaStreamAttributeAccessPolicyWindow:
        value->accessPolicyWindow = of.window;
        return cudaSuccess;
      case cudaStreamAttributeSynchronizationPolicy:
        value->syncPolicy = of.policy;
        return cudaSuccess;
      case cudaStreamAttributePriority:
        value->priority = of.priority;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  for (const cudaStreamAttrID attribute :
       {cudaStreamAttributeAccessPolicyWindow, cudaStreamAttributeSynchronizationPolicy}) {
    cudaStreamAttrValue value;
    cudaError_t error = cudaStreamGetAttribute(from, attribute, &value);
    if (error == cudaSuccess) error = cudaStreamSetAttribute(to, attribute, &value);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return cucpu::api_call([] { return cudaSuccess; });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return cucpu::stream_call(stream, [=] {
    cucpu::wait_for_stream(stream);
    return cucpu::sticky_error();
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return cucpu::stream_call(
      stream, [=] { return cucpu::is_idle(stream) ? cucpu::sticky_error() : cudaErrorNotReady; });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return cucpu::stream_call(stream, [=] {
    if (!cucpu::is_live_event(event)) return cudaErrorInvalidResourceHandle;
    if (flags != cudaEventWaitDefault && flags != cudaEventWaitExternal)
      return cudaErrorInvalidValue;
    if (const cucpu::OperationRef record = cucpu::last_record(event))
      cucpu::enqueue_wait(stream, record);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void* user_data, unsigned flags) {
  return cucpu::stream_call(stream, [=] {
    if (callback == nullptr || flags != 0) return cudaErrorInvalidValue;
    cucpu::enqueue(stream, [=] {
      cucpu::call_host([=] { callback(stream, cucpu::sticky_error(), user_data); });
    });
    return cudaSuccess;
  });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, std::size_t /*bytes*/,
                                     unsigned /*flags*/) {
  return cucpu::stream_call(stream, [=] { return cucpu::invalid_unless(pointer != nullptr); });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data) {
  return cucpu::stream_call(stream, [=] {
    if (function == nullptr) return cudaErrorInvalidValue;
    cucpu::enqueue(stream, [=] {
      if (cucpu::sticky_error() == cudaSuccess) cucpu::call_host([=] { function(user_data); });
    });
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return cucpu::api_call([=] {
    if (least != nullptr) *least = cucpu::kLeastPriority;
    if (greatest != nullptr) *greatest = cucpu::kGreatestPriority;
    return cudaSuccess;
  });
}
