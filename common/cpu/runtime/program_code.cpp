#include "program_code.h"

#include <link.h>

namespace cucpu {
namespace {

struct Search {
  std::uintptr_t code;
  CodeRange found;
};

int look_into(dl_phdr_info* module, std::size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const auto& segment = module->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = module->dlpi_addr + segment.p_vaddr;
    const CodeRange range{begin, begin + segment.p_memsz};
    if (!range.contains(search.code)) continue;
    search.found = range;
    return 1;
  }
  return 0;
}

}  // namespace

CodeRange module_of(std::uintptr_t code) {
  Search search{code, {}};
  dl_iterate_phdr(look_into, &search);
  return search.found;
}

}  // namespace cucpu
