#include "faulting_access.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <ucontext.h>
#endif

namespace cucpu {

#if defined(__x86_64__)
namespace {

constexpr int kAddressBits = 47;

// By the numbers that instructions use.
constexpr int kRegisters[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                              REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                              REG_R12, REG_R13, REG_R14, REG_R15};

bool is_legacy_prefix(unsigned char byte) {
  return std::strchr("\x66\x67\xf2\xf3\x2e\x36\x3e\x26\x64\x65", byte) != nullptr && byte != 0;
}

// An instruction up to its operands: where they are described, and the upper bits of the registers
// there.
struct Operands {
  const unsigned char* at;
  unsigned index_bit;
  unsigned base_bit;
};

Operands find_operands(const unsigned char* code) {
  while (is_legacy_prefix(*code)) ++code;
  const auto inverted = [&](int bit) { return (~code[1] >> bit & 1u) << 3; };
  if (*code == 0xc5) return {code + 3, 0, 0};                      // VEX, two bytes
  if (*code == 0xc4) return {code + 4, inverted(6), inverted(5)};  // VEX, three bytes
  if (*code == 0x62) return {code + 5, inverted(6), inverted(5)};  // EVEX
  unsigned rex = 0;
  if (*code >> 4 == 4) rex = *code++;
  if (*code == 0x0f) code += code[1] == 0x38 || code[1] == 0x3a ? 2 : 1;
  return {code + 1, (rex & 2u) << 2, (rex & 1u) << 3};
}

}  // namespace

bool asked_for_possible_address(const void* context) {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  const auto value = [&](unsigned number) {
    return static_cast<std::uint64_t>(registers[kRegisters[number]]);
  };
  const Operands operands = find_operands(
      reinterpret_cast<const unsigned char*>(static_cast<std::uintptr_t>(registers[REG_RIP])));
  const unsigned char* at = operands.at;
  const unsigned mode = *at >> 6;
  unsigned base = *at++ & 7u;
  if (mode == 3) return false;
  std::uint64_t address = 0;
  if (base == 4) {
    const unsigned index = (*at >> 3 & 7u) | operands.index_bit;
    if (index != 4) address += value(index) << (*at >> 6);
    base = *at++ & 7u;
  } else if (base == 5 && mode == 0) {
    return true;  // relative to the instruction
  }
  if (mode != 0 || base != 5) address += value(base | operands.base_bit);
  std::int32_t offset = 0;
  if (mode == 1) offset = static_cast<signed char>(*at);
  if (mode == 2 || (mode == 0 && base == 5)) std::memcpy(&offset, at, sizeof offset);
  address += static_cast<std::uint64_t>(std::int64_t{offset});
  const auto sign = static_cast<std::int64_t>(address) >> kAddressBits;
  return sign == 0 || sign == -1;
}

#else

bool asked_for_possible_address(const void*) { return false; }

#endif

}  // namespace cucpu
