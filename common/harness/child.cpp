#include "harness/child.h"

#include <unistd.h>

#include <cstdio>
#include <memory>

#include "host/process.h"

namespace harness {
namespace {

// Reads to the end.
void read_lines(int descriptor, const std::function<void(const std::string&)>& on_line) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(fdopen(dup(descriptor), "r"),
                                                             std::fclose);
  std::FILE* const output = file.get();
  std::string line;
  for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output)) {
    if (c != '\n') {
      line += static_cast<char>(c);
      continue;
    }
    on_line(line);
    line.clear();
  }
  if (!line.empty()) on_line(line);
}

}  // namespace

ChildEnd run_child(const std::vector<std::string>& command,
                   const std::function<void(const std::string&)>& on_line) {
  try {
    host::Pipe output;
    const pid_t child = host::start(
        command, {.descriptors = {{output.writer.number(), STDOUT_FILENO}}, .ends_with_us = true});
    output.writer.close();
    read_lines(output.reader.number(), on_line);
    const host::ProcessEnd end = host::wait_for(child);
    return {.code = end.code, .signal = end.signal};
  } catch (const host::CannotStart& error) {
    return {.problem = error.what()};
  }
}

}  // namespace harness
