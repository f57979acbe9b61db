// The parts of CUDA that the CPU backend lacks, by the names that programs know them by. A program
// that uses one is refused with one line that says what is missing, before a compiler has seen it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cucpu::lower {

// "textures", for tex2D; nothing for names that have nothing to do with what is missing.
std::optional<std::string_view> missing_feature(std::string_view identifier);
// The same for what a header declares that is there for the most part.
std::optional<std::string_view> missing_in_header(std::string_view identifier);
// "cuBLAS", for cublasSgemm, and whatever else is named as the library's functions are.
std::optional<std::string_view> library_of_function(std::string_view identifier);
// The header's name and its library, "cuBLAS" for instance, where `file` is a header of one; it is
// as an #include spells it, or a path that ends so.
struct MissingHeader {
  std::string_view name;
  std::string_view library;
};
std::optional<MissingHeader> missing_header(std::string_view file);

// "Thrust", for thrust, if that is the name of a namespace.
std::optional<std::string_view> missing_namespace(std::string_view identifier);

// The header that declares an identifier, if programs have to include that header.
std::optional<std::string_view> header_of(std::string_view identifier);
// The same for an identifier that is the name of a type, or of anything else.
std::optional<std::string_view> header_of_type(std::string_view identifier);

// The error, without the place where it is.
std::string is_missing(std::string_view name, std::string_view feature);

}  // namespace cucpu::lower
