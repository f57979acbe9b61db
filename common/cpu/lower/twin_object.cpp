#include "twin_object.h"

#include <ar.h>
#include <elf.h>

#include <cstdlib>
#include <cstring>

namespace cucpu {
namespace {

// The structure at that offset, if the bytes reach so far.
template <class T>
std::optional<T> read(std::string_view bytes, std::size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string_view range(std::string_view bytes, std::size_t offset, std::size_t size) {
  return offset > bytes.size() ? std::string_view() : bytes.substr(offset, size);
}

}  // namespace

std::optional<std::string_view> twin_object(std::string_view object) {
  const auto header = read<Elf64_Ehdr>(object, 0);
  if (!header || !object.starts_with(ELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64)
    return std::nullopt;
  const auto section = [&](std::size_t i) {
    return read<Elf64_Shdr>(object, header->e_shoff + i * header->e_shentsize);
  };
  // Numbers too large for the header stand in section 0.
  const auto first = section(0);
  if (!first) return std::nullopt;
  const std::size_t count = header->e_shnum != 0 ? header->e_shnum : first->sh_size;
  const auto names =
      section(header->e_shstrndx != SHN_XINDEX ? header->e_shstrndx : first->sh_link);
  if (!names) return std::nullopt;
  for (std::size_t i = 1; i < count; ++i) {
    const auto s = section(i);
    if (!s) return std::nullopt;
    const std::string_view name = range(object, names->sh_offset + s->sh_name, SIZE_MAX);
    if (name.starts_with(std::string_view(kTwinSection, std::strlen(kTwinSection) + 1)))
      return range(object, s->sh_offset, s->sh_size);
  }
  return std::nullopt;
}

std::vector<std::string_view> archive_members(std::string_view archive) {
  std::vector<std::string_view> members;
  if (!archive.starts_with(ARMAG)) return members;
  for (std::size_t at = SARMAG;;) {
    const auto header = read<ar_hdr>(archive, at);
    if (!header) return members;
    const std::size_t size = std::strtoull(header->ar_size, nullptr, 10);
    at += sizeof(ar_hdr);
    // The table of symbols and that of long names.
    if (header->ar_name[0] != '/' || (header->ar_name[1] >= '0' && header->ar_name[1] <= '9'))
      members.push_back(range(archive, at, size));
    at += size + size % 2;
  }
}

}  // namespace cucpu
