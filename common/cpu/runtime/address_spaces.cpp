#include "cucpu/device/address_spaces.h"

#include <link.h>
#include <pthread.h>

#include "device_variables.h"
#include "worker.h"

namespace cucpu {
namespace {

struct Range {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  bool contains(const void* pointer) const {
    return reinterpret_cast<std::uintptr_t>(pointer) - begin < bytes;
  }
};

// This thread's copy of the thread-local variables of that object, whose shared variables are among
// them.
int find_thread_storage(dl_phdr_info* object, std::size_t, void* range) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    if (object->dlpi_phdr[i].p_type != PT_TLS) continue;
    const Range of_object{reinterpret_cast<std::uintptr_t>(object->dlpi_tls_data),
                          object->dlpi_phdr[i].p_memsz};
    if (!of_object.contains(cucpu_dynamic_shared)) continue;
    *static_cast<Range*>(range) = of_object;
    return 1;
  }
  return 0;
}

Range find_shared() {
  Range range;
  dl_iterate_phdr(find_thread_storage, &range);
  return range;
}

Range find_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* begin = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &begin, &bytes);
  pthread_attr_destroy(&attributes);
  return {reinterpret_cast<std::uintptr_t>(begin), bytes};
}

}  // namespace

bool is_shared(const void* pointer) {
  thread_local const Range shared = find_shared();
  return shared.contains(pointer);
}

bool is_local(const void* pointer) {
  if (is_shared(pointer)) return false;  // the C library may put it beside the stack
  thread_local const Range stack = find_stack();
  return stack.contains(pointer) || (this_worker != nullptr && this_worker->has_stack(pointer));
}

bool is_constant(const void* pointer) {
  for (const StaticVariable& v : constant_variables())
    if (Range{v.begin, v.bytes}.contains(pointer)) return true;
  return false;
}

}  // namespace cucpu
