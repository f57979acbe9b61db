// Events: marks in a stream, and the host's time when the stream came to them.
#include "events.h"

#include <chrono>
#include <memory>
#include <optional>

#include "call.h"
#include "cuda_runtime_api.h"
#include "device_printf.h"
#include "handles.h"
#include "stream_order.h"

struct CUevent_st {
  struct Record {
    cucpu::OperationRef mark;
    std::shared_ptr<std::chrono::steady_clock::time_point> time;  // once the mark is over
  };
  unsigned flags;
  std::optional<Record> recorded;  // last
};

namespace cucpu {
namespace {

Handles<CUevent_st>& events() {
  // Never destroyed: destructors of static objects may still use theirs.
  static Handles<CUevent_st>& all = *new Handles<CUevent_st>;
  return all;
}

template <class Body>
cudaError_t event_call(cudaEvent_t event, Body body, const char* function = __builtin_FUNCTION(),
                       const void* returns_to = __builtin_return_address(0)) {
  return api_call([&] { return is_live_event(event) ? body() : cudaErrorInvalidResourceHandle; },
                  function, returns_to);
}

}  // namespace

bool is_live_event(cudaEvent_t event) { return events().is_live(event); }

OperationRef last_record(cudaEvent_t event) {
  return event->recorded ? event->recorded->mark : nullptr;
}

void destroy_events() { events().destroy_all(); }

}  // namespace cucpu

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cucpu::api_call([=] { return cudaEventCreateWithFlags(event, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return cucpu::api_call([=] {
    constexpr unsigned kKnown =
        cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (event == nullptr || (flags & ~kKnown) != 0) return cudaErrorInvalidValue;
    // An event shared with other processes cannot keep time.
    if ((flags & cudaEventInterprocess) != 0 && (flags & cudaEventDisableTiming) == 0)
      return cudaErrorInvalidValue;
    *event = cucpu::events().create({flags, std::nullopt});
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return cucpu::api_call([=] {
    return cucpu::events().destroy(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cucpu::api_call(
      [=] { return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return cucpu::event_call(event, [=] {
    if (!cucpu::is_live_stream(stream)) return cudaErrorInvalidResourceHandle;
    if (flags != cudaEventRecordDefault && flags != cudaEventRecordExternal)
      return cudaErrorInvalidValue;
    const auto time = std::make_shared<std::chrono::steady_clock::time_point>();
    const cucpu::OperationRef mark =
        cucpu::enqueue_short(stream, [time] { *time = std::chrono::steady_clock::now(); });
    event->recorded = CUevent_st::Record{mark, time};
    return cudaSuccess;
  });
}

// One that was never recorded counts as over.
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return cucpu::event_call(event, [=] {
    const cucpu::OperationRef mark = cucpu::last_record(event);
    return mark == nullptr || mark->over ? cucpu::sticky_error() : cudaErrorNotReady;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return cucpu::event_call(event, [=] {
    if (const cucpu::OperationRef mark = cucpu::last_record(event)) cucpu::wait_for(mark);
    cucpu::flush_device_output();
    return cucpu::sticky_error();
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  return cucpu::event_call(start, [=] {
    if (milliseconds == nullptr) return cudaErrorInvalidValue;
    if (!cucpu::is_live_event(stop)) return cudaErrorInvalidResourceHandle;
    const bool timed = ((start->flags | stop->flags) & cudaEventDisableTiming) == 0;
    if (!timed || !start->recorded || !stop->recorded) return cudaErrorInvalidResourceHandle;
    if (!start->recorded->mark->over || !stop->recorded->mark->over) return cudaErrorNotReady;
    const auto taken = *stop->recorded->time - *start->recorded->time;
    *milliseconds = std::chrono::duration<float, std::milli>(taken).count();
    return cudaSuccess;
  });
}
