#include "program_image.h"

#include <link.h>

#include <algorithm>
#include <iterator>

namespace cucpu::trace {
namespace {

int add_static_memory(dl_phdr_info* object, std::size_t, void* list) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type == PT_LOAD)
      static_cast<std::vector<Extent>*>(list)->push_back(
          {object->dlpi_addr + part.p_vaddr, part.p_memsz});
  }
  return 0;
}

int find_thread_local_memory(dl_phdr_info* object, std::size_t, void* extent) {
  for (int i = 0; i < object->dlpi_phnum; ++i)
    if (object->dlpi_phdr[i].p_type == PT_TLS)
      *static_cast<Extent*>(extent) = {reinterpret_cast<std::uintptr_t>(object->dlpi_tls_data),
                                       object->dlpi_phdr[i].p_memsz};
  return 1;  // the first object is the program
}

}  // namespace

const Extent* find_extent(const std::vector<Extent>& extents, std::uintptr_t address) {
  const auto above =
      std::upper_bound(extents.begin(), extents.end(), address,
                       [](std::uintptr_t a, const Extent& extent) { return a < extent.begin; });
  if (above == extents.begin() || !std::prev(above)->contains(address)) return nullptr;
  return &*std::prev(above);
}

std::uintptr_t load_address() {
  std::uintptr_t base = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* base) {
        *static_cast<std::uintptr_t*>(base) = info->dlpi_addr;
        return 1;  // the first is the program
      },
      &base);
  return base;
}

std::vector<Extent> static_memory() {
  std::vector<Extent> list;
  dl_iterate_phdr(add_static_memory, &list);
  return list;
}

Extent thread_local_memory() {
  Extent extent;
  dl_iterate_phdr(find_thread_local_memory, &extent);
  return extent;
}

}  // namespace cucpu::trace
