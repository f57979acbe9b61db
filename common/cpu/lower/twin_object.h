// `cucpu -c` puts the traced form of a file into the object itself, as a section that linkers leave
// out of programs. So it goes wherever the object goes, into archives too.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cucpu {

constexpr const char* kTwinSection = ".cucpu.traced";

// The traced object inside an object; nothing if there is none, or if the bytes are not an object.
std::optional<std::string_view> twin_object(std::string_view object);

// The objects in an archive, in order; none if the bytes are not an archive, or are one that only
// names its files.
std::vector<std::string_view> archive_members(std::string_view archive);

}  // namespace cucpu
