#include "shared_memory.h"

#include <array>
#include <cstring>
#include <vector>

#include "cucpu/execution.h"
#include "cucpu/shared.h"
#include "driver_types.h"
#include "observer.h"

namespace cucpu {

constinit thread_local std::uint64_t current_block_serial = 0;

namespace {

constexpr unsigned char kPoison = 0xff;
constexpr std::size_t kMaxStaticSharedBytes = 48 * 1024;

constinit thread_local std::size_t static_bytes = 0;
constinit thread_local std::size_t dynamic_bytes = 0;
constinit thread_local std::size_t limit_bytes = 0;

struct Variable {
  const void* address;
  std::size_t bytes;
};
// Those inside functions; more than a block has.
constinit thread_local std::array<Variable, 64> variables{};
constinit thread_local std::size_t variable_count = 0;

struct NamespaceVariable {
  NamespaceShared::Address address;
  std::size_t bytes;
};
std::vector<NamespaceVariable>& namespace_variables() {
  static std::vector<NamespaceVariable> variables;
  return variables;
}

}  // namespace

void begin_shared_memory(std::size_t bytes, std::size_t limit) {
  ++current_block_serial;
  static_bytes = 0;
  variable_count = 0;
  dynamic_bytes = bytes;
  limit_bytes = limit;
  if (bytes != 0) std::memset(cucpu_dynamic_shared, kPoison, bytes);
  for (const NamespaceVariable& v : namespace_variables()) {
    void* const variable = v.address();
    std::memset(variable, kPoison, v.bytes);
    if (this_observer != nullptr) this_observer->shared_variable(variable, v.bytes);
  }
}

void begin_shared_variable(void* variable, std::size_t bytes) {
  static_bytes += bytes;
  if (static_bytes > kMaxStaticSharedBytes)
    fault(cudaErrorInvalidKernelImage,
          "More than 48 KiB of static shared memory; a block gets more than that only as dynamic "
          "shared memory");
  if (static_bytes + dynamic_bytes > limit_bytes)
    fault(
        cudaErrorInvalidValue,
        "Static and dynamic shared memory together are more than this launch may have: 48 KiB, or "
        "227 KiB after cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize)");
  std::memset(variable, kPoison, bytes);
  if (variable_count < variables.size()) variables[variable_count++] = {variable, bytes};
  if (this_observer != nullptr) this_observer->shared_variable(variable, bytes);
}

void for_each_shared_variable(const std::function<void(const void*, std::size_t)>& visit) {
  visit(cucpu_dynamic_shared, dynamic_bytes);
  for (std::size_t i = 0; i < variable_count; ++i) visit(variables[i].address, variables[i].bytes);
  for (const NamespaceVariable& v : namespace_variables()) visit(v.address(), v.bytes);
}

void add_namespace_variable(NamespaceShared::Address address, std::size_t bytes) {
  namespace_variables().push_back({address, bytes});
}

std::uint32_t dynamic_shared_bytes() { return static_cast<std::uint32_t>(dynamic_bytes); }

}  // namespace cucpu
