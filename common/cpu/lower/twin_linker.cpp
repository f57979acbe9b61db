#include "twin_linker.h"

#include <filesystem>
#include <iostream>
#include <string_view>

#include "exit.h"
#include "files.h"
#include "twin_object.h"

namespace cucpu {

namespace fs = std::filesystem;

void TwinLinker::link(Words for_linker, const std::string& program) {
  if (!compiler_.is_gcc()) return;
  const std::string twin = program + ".traced";
  try {
    bool has_kernels = false;
    for (std::size_t i = 0; i < line_.inputs.size(); ++i) {
      const Input& input = line_.inputs[i];
      has_kernels |= input.kind == Input::Kind::cuda;
      if (input.kind != Input::Kind::for_linker && !Compiler::is_c(input)) {
        for_linker[i] = compiler_.compile(input, true, compiler_.temporary_object(input));
      } else if (input.kind == Input::Kind::for_linker) {
        const std::string traced = traced_form(input.text);
        if (traced.empty()) continue;
        for_linker[i] = traced;
        has_kernels = true;
      }
    }
    if (has_kernels) compiler_.link(for_linker, twin);
  } catch (const Exit&) {
    std::error_code ignored;
    fs::remove(twin, ignored);  // of an older version
    std::cerr << "warning: " << twin << ": cannot be built, so that CUCPU_TOOLS has no effect\n";
  }
}

void TwinLinker::put_into(const std::string& object, const Input& input) {
  try {
    const std::string twin = compiler_.compile(input, true, compiler_.temporary_object(input));
    const std::string section = kTwinSection;
    compiler_.commands().execute({"objcopy", "--add-section", section + "=" + twin,
                                  "--set-section-flags", section + "=exclude,noload,readonly",
                                  object});
  } catch (const Exit&) {
    std::cerr << "warning: " << object
              << ": cannot be traced, so that CUCPU_TOOLS will not see its kernels\n";
  }
}

std::string TwinLinker::traced_form(const std::string& file) {
  if (line_.dry_run) return {};
  if (file.starts_with("-l")) return traced_archive(library_of(file.substr(2)));
  if (file.starts_with("-")) return {};
  const std::string bytes = read_file(file);
  if (const auto twin = twin_object(bytes)) return compiler_.temporary_file(".o", *twin);
  return traced_archive(file);
}

std::string TwinLinker::traced_archive(const std::string& file) {
  const std::string bytes = file.empty() ? std::string() : read_file(file);
  bool has_kernels = false;
  Words members;
  for (const std::string_view member : archive_members(bytes)) {
    const auto twin = twin_object(member);
    has_kernels |= twin.has_value();
    members.push_back(compiler_.temporary_file(".o", twin.value_or(member)));
  }
  if (!has_kernels) return {};
  const std::string archive = compiler_.temporary_file(".a", "!<arch>\n");
  Words command = {"ar", "rcs", archive};
  append(command, members);
  compiler_.commands().execute(command);
  return archive;
}

std::string TwinLinker::library_of(const std::string& name) const {
  for (const Input& input : line_.inputs) {
    if (!input.text.starts_with("-L")) continue;
    const fs::path folder = input.text.substr(2);
    if (fs::exists(folder / ("lib" + name + ".so"))) return {};
    if (fs::exists(folder / ("lib" + name + ".a"))) return folder / ("lib" + name + ".a");
  }
  return {};
}

}  // namespace cucpu
