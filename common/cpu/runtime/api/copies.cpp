// Copies and fills, checked against what is known of both ends before anything is touched.
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "allocations.h"
#include "call.h"
#include "checked_memory.h"
#include "cuda_runtime.h"
#include "stream_order.h"

namespace cucpu {
namespace {

// The place of one end of a copy, as the copy's kind says.
enum class Place { host, device, either };

// One end of a copy: slices of `rows` rows of `width` bytes, `pitch` bytes apart.
struct Region {
  const void* begin;
  std::size_t pitch, width, rows;
  std::size_t slice_pitch = 0;  // in bytes, from the first row of a slice to that of the next
  std::size_t slices = 1;

  bool is_empty() const { return width == 0 || rows == 0 || slices == 0; }
  std::size_t bytes() const { return width * rows * slices; }
  std::size_t offset(std::size_t row, std::size_t slice) const {
    return slice * slice_pitch + row * pitch;
  }
};

// The runtime goes by the pointers, for host and device share one address space, and not by the
// kind: what it knows (device, managed, pinned and registered memory, symbols) may be either end of
// any copy. Only pageable memory, of which it knows nothing, must not be called the device's. So it
// is on an H200, for each kind between all of these, with cudaMemcpy, cudaMemcpyAsync and
// cudaMemcpy2D.
cudaError_t check_end(const Region& region, Place place) {
  if (region.begin == nullptr) return cudaErrorInvalidValue;
  const auto known = Allocations::instance().containing(region.begin);
  if (!known) return invalid_unless(place != Place::device);
  const std::size_t left = known->end() - reinterpret_cast<std::uintptr_t>(region.begin);
  std::size_t bytes = 0;
  std::size_t to_last_slice = 0;
  const bool overflow =
      __builtin_mul_overflow(region.pitch, region.rows - 1, &bytes) ||
      __builtin_mul_overflow(region.slice_pitch, region.slices - 1, &to_last_slice) ||
      __builtin_add_overflow(bytes, to_last_slice, &bytes) ||
      __builtin_add_overflow(bytes, region.width, &bytes);
  return invalid_unless(!overflow && bytes <= left);
}

cudaError_t check_copy(const Region& to, const Region& from, cudaMemcpyKind kind) {
  Place to_place = Place::either;
  Place from_place = Place::either;
  switch (kind) {
    case cudaMemcpyHostToHost:
      to_place = from_place = Place::host;
      break;
    case cudaMemcpyHostToDevice:
      to_place = Place::device;
      from_place = Place::host;
      break;
    case cudaMemcpyDeviceToHost:
      to_place = Place::host;
      from_place = Place::device;
      break;
    case cudaMemcpyDeviceToDevice:
      to_place = from_place = Place::device;
      break;
    case cudaMemcpyDefault:
      break;
    default:
      return cudaErrorInvalidMemcpyDirection;
  }
  if (to.is_empty()) return cudaSuccess;
  if (const cudaError_t error = check_end(to, to_place); error != cudaSuccess) return error;
  return check_end(from, from_place);
}

// Whether a call comes back before what it asks for is done.
enum class Call { waits, may_return };

// Less than this is done before another thread would have begun.
constexpr std::size_t kShortBytes = 64 * 1024;

// Has `action`, which touches so many bytes, done in the stream's order.
template <class Action>
cudaError_t perform(cudaStream_t stream, Call call, std::size_t bytes, Action action) {
  if (call == Call::may_return && (bytes > kShortBytes || !is_idle(stream))) {
    enqueue(stream, [action] {
      if (sticky_error() == cudaSuccess) action();
    });
    return cudaSuccess;
  }
  wait_for_stream(stream);
  if (sticky_error() == cudaSuccess) action();
  return sticky_error();
}

enum class Kind { pageable, pinned, device, other };

Kind kind_of(const void* address) {
  const auto known = Allocations::instance().containing(address);
  if (!known) return Kind::pageable;
  switch (known->kind) {
    case MemoryKind::device:
    case MemoryKind::symbol:
      return Kind::device;
    case MemoryKind::host:
    case MemoryKind::registered:
      return Kind::pinned;
    default:
      return Kind::other;
  }
}

// Which copies the host waits for: of the synchronous ones all but those between memory of the
// device; of the others those from or to pageable memory, which only the host can get at.
Call how_to_copy(const void* to, const void* from, bool is_async) {
  const Kind to_kind = kind_of(to);
  const Kind from_kind = kind_of(from);
  if (to_kind == Kind::device && from_kind == Kind::device) return Call::may_return;
  const bool pageable = to_kind == Kind::pageable || from_kind == Kind::pageable;
  return is_async && !pageable ? Call::may_return : Call::waits;
}

Call how_to_fill(const void* pointer, bool is_async) {
  return is_async || kind_of(pointer) == Kind::device ? Call::may_return : Call::waits;
}

// `caller`: the call that asked for it, if its source is to be checked.
void move(void* to, const void* from, std::size_t bytes, const std::optional<ApiCaller>& caller) {
  if (observers != nullptr && caller) observers->copy_from({*caller, from, bytes});
  std::memmove(to, from, bytes);
  checked_memory::copy_states(to, from, bytes);
}

// A small source in pageable memory is set aside, so that the call need not wait for the stream.
void copy_staged(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  const char* const begin = static_cast<const char*>(from);
  enqueue(stream, [to, staged = std::vector<char>(begin, begin + bytes)] {
    if (sticky_error() == cudaSuccess) move(to, staged.data(), staged.size(), std::nullopt);
  });
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                 cudaStream_t stream, bool is_async) {
  if (!is_live_stream(stream)) return cudaErrorInvalidResourceHandle;
  const cudaError_t error = check_copy({to, bytes, bytes, 1}, {from, bytes, bytes, 1}, kind);
  if (error != cudaSuccess || bytes == 0) return error;
  const bool is_staged = is_async && bytes <= kShortBytes && kind_of(from) == Kind::pageable &&
                         kind_of(to) == Kind::device && !is_idle(stream);
  if (is_staged) {
    copy_staged(to, from, bytes, stream);
    return cudaSuccess;
  }
  const std::optional<ApiCaller> caller = ApiCall::checked_caller();
  return perform(stream, how_to_copy(to, from, is_async), bytes,
                 [=] { move(to, from, bytes, caller); });
}

// Calls visit(row, slice) for each row.
template <class Visit>
void for_each_row(const Region& region, Visit visit) {
  for (std::size_t slice = 0; slice < region.slices; ++slice)
    for (std::size_t row = 0; row < region.rows; ++row) visit(row, slice);
}

// Both have the same extent.
cudaError_t copy_rows(const Region& to, const Region& from, cudaMemcpyKind kind,
                      cudaStream_t stream, bool is_async) {
  if (!is_live_stream(stream)) return cudaErrorInvalidResourceHandle;
  if (to.width > to.pitch || to.width > from.pitch) return cudaErrorInvalidPitchValue;
  const cudaError_t error = check_copy(to, from, kind);
  if (error != cudaSuccess || to.is_empty()) return error;
  const std::optional<ApiCaller> caller = ApiCall::checked_caller();
  return perform(stream, how_to_copy(to.begin, from.begin, is_async), to.bytes(), [=] {
    char* const to_begin = static_cast<char*>(const_cast<void*>(to.begin));
    const char* const from_begin = static_cast<const char*>(from.begin);
    for_each_row(to, [&](std::size_t row, std::size_t slice) {
      move(to_begin + to.offset(row, slice), from_begin + from.offset(row, slice), to.width,
           caller);
    });
  });
}

cudaError_t copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                    std::size_t width, std::size_t rows, cudaMemcpyKind kind, cudaStream_t stream,
                    bool is_async) {
  return copy_rows({to, to_pitch, width, rows}, {from, from_pitch, width, rows}, kind, stream,
                   is_async);
}

// A box of that extent at a position in pitched memory.
Region box(const cudaPitchedPtr& memory, const cudaPos& position, const cudaExtent& extent) {
  const std::size_t slice_pitch = memory.pitch * memory.ysize;
  const char* const begin = static_cast<const char*>(memory.ptr) + position.x +
                            position.y * memory.pitch + position.z * slice_pitch;
  return {memory.ptr == nullptr ? nullptr : begin,
          memory.pitch,
          extent.width,
          extent.height,
          slice_pitch,
          extent.depth};
}

cudaError_t copy_3d(const cudaMemcpy3DParms* copy, cudaStream_t stream, bool is_async) {
  if (copy == nullptr || copy->srcArray != nullptr || copy->dstArray != nullptr)
    return cudaErrorInvalidValue;
  return copy_rows(box(copy->dstPtr, copy->dstPos, copy->extent),
                   box(copy->srcPtr, copy->srcPos, copy->extent), copy->kind, stream, is_async);
}

cudaError_t fill_rows(const Region& region, int value, cudaStream_t stream, bool is_async) {
  if (!is_live_stream(stream)) return cudaErrorInvalidResourceHandle;
  if (region.width > region.pitch && region.rows > 1) return cudaErrorInvalidPitchValue;
  if (region.is_empty()) return cudaSuccess;
  const cudaError_t error = check_end(region, Place::device);
  if (error != cudaSuccess) return error;
  return perform(stream, how_to_fill(region.begin, is_async), region.bytes(), [=] {
    char* const begin = static_cast<char*>(const_cast<void*>(region.begin));
    for_each_row(region, [&](std::size_t row, std::size_t slice) {
      char* const at = begin + region.offset(row, slice);
      std::memset(at, value, region.width);
      checked_memory::define(at, region.width);
    });
  });
}

cudaError_t fill_2d(void* pointer, std::size_t pitch, int value, std::size_t width,
                    std::size_t rows, cudaStream_t stream, bool is_async) {
  return fill_rows({pointer, pitch, width, rows}, value, stream, is_async);
}

bool is_within(std::size_t offset, std::size_t bytes, std::size_t size) {
  return offset <= size && bytes <= size - offset;
}

void register_symbol(const void* address, std::size_t bytes) {
  // One that is known already stays as it is.
  Allocations::instance().add(address, bytes, MemoryKind::symbol);
}

}  // namespace

cudaError_t copy_to_symbol(void* symbol, std::size_t size, const void* from, std::size_t bytes,
                           std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream,
                           bool is_async) {
  return api_call(
      [=] {
        if (!is_within(offset, bytes, size)) return cudaErrorInvalidValue;
        if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost)
          return cudaErrorInvalidMemcpyDirection;
        register_symbol(symbol, size);
        return copy(static_cast<char*>(symbol) + offset, from, bytes, kind, stream, is_async);
      },
      is_async ? "cudaMemcpyToSymbolAsync" : "cudaMemcpyToSymbol", __builtin_return_address(0));
}

cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t size, std::size_t bytes,
                             std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream,
                             bool is_async) {
  return api_call(
      [=] {
        if (!is_within(offset, bytes, size)) return cudaErrorInvalidValue;
        if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost)
          return cudaErrorInvalidMemcpyDirection;
        register_symbol(symbol, size);
        return copy(to, static_cast<const char*>(symbol) + offset, bytes, kind, stream, is_async);
      },
      is_async ? "cudaMemcpyFromSymbolAsync" : "cudaMemcpyFromSymbol", __builtin_return_address(0));
}

cudaError_t symbol_address(void** pointer, void* symbol, std::size_t size) {
  return api_call(
      [=] {
        if (pointer == nullptr) return cudaErrorInvalidValue;
        register_symbol(symbol, size);
        *pointer = symbol;
        return cudaSuccess;
      },
      "cudaGetSymbolAddress", __builtin_return_address(0));
}

cudaError_t symbol_size(std::size_t* bytes, std::size_t size) {
  return api_call(
      [=] {
        if (bytes == nullptr) return cudaErrorInvalidValue;
        *bytes = size;
        return cudaSuccess;
      },
      "cudaGetSymbolSize", __builtin_return_address(0));
}

}  // namespace cucpu

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return cucpu::api_call([=] { return cucpu::copy(to, from, bytes, kind, nullptr, false); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return cucpu::api_call([=] { return cucpu::copy(to, from, bytes, kind, stream, true); });
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return cucpu::api_call([=] {
    return cucpu::copy_2d(to, to_pitch, from, from_pitch, width, height, kind, nullptr, false);
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return cucpu::api_call([=] {
    return cucpu::copy_2d(to, to_pitch, from, from_pitch, width, height, kind, stream, true);
  });
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           std::size_t bytes) {
  return cucpu::api_call(
      [=] { return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, nullptr); });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t stream) {
  return cucpu::api_call([=] {
    if (to_device != 0 || from_device != 0) return cudaErrorInvalidDevice;
    return cucpu::copy(to, from, bytes, cudaMemcpyDeviceToDevice, stream, true);
  });
}

cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes) {
  return cucpu::api_call([=] { return cudaMemset2D(pointer, bytes, value, bytes, 1); });
}

cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t bytes, cudaStream_t stream) {
  return cucpu::api_call(
      [=] { return cudaMemset2DAsync(pointer, bytes, value, bytes, 1, stream); });
}

cudaError_t cudaMemset2D(void* pointer, std::size_t pitch, int value, std::size_t width,
                         std::size_t height) {
  return cucpu::api_call(
      [=] { return cucpu::fill_2d(pointer, pitch, value, width, height, nullptr, false); });
}

cudaError_t cudaMemset2DAsync(void* pointer, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
  return cucpu::api_call(
      [=] { return cucpu::fill_2d(pointer, pitch, value, width, height, stream, true); });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* copy) {
  return cucpu::api_call([=] { return cucpu::copy_3d(copy, nullptr, false); });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* copy, cudaStream_t stream) {
  return cucpu::api_call([=] { return cucpu::copy_3d(copy, stream, true); });
}

cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent extent) {
  return cucpu::api_call(
      [=] { return cucpu::fill_rows(cucpu::box(memory, {}, extent), value, nullptr, false); });
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr memory, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return cucpu::api_call(
      [=] { return cucpu::fill_rows(cucpu::box(memory, {}, extent), value, stream, true); });
}
