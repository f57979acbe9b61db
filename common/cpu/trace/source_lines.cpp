#include "source_lines.h"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <mutex>

#include "host/process.h"
#include "host/program_file.h"
#include "program_image.h"
#include "source_path.h"

namespace cucpu::trace {
namespace {

bool is_cudas_own(const std::string& file) {
  static const auto& folder = *new std::string(as_seen_from_here(CUCPU_INCLUDE_DIR));
  return file.starts_with(folder);
}

// Runs addr2line, and returns what it prints, or nothing.
std::string addr2line(const std::vector<std::string>& addresses) {
  std::vector<std::string> words = {"addr2line", "-a", "-i", "-e", host::program_file().string()};
  words.insert(words.end(), addresses.begin(), addresses.end());
  try {
    host::Pipe answers;
    const pid_t child =
        host::start(words, {.descriptors = {{answers.writer.number(), STDOUT_FILENO}}});
    answers.writer.close();
    std::string text;
    char buffer[4096];
    for (ssize_t n; (n = read(answers.reader.number(), buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(n));
    host::wait_for(child);
    return text;
  } catch (const host::CannotStart&) {
    return {};
  }
}

// "file.cu:12 (discriminator 3)"
SourceLine parse(const std::string& text) {
  SourceLine result;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || text.starts_with("??")) return result;
  const char* const digits = text.data() + colon + 1;
  if (std::from_chars(digits, text.data() + text.size(), result.line).ec != std::errc()) return {};
  result.file = as_seen_from_here(text.substr(0, colon));
  return result;
}

}  // namespace

std::unordered_map<std::uintptr_t, SourceLine> source_lines(
    const std::vector<std::uintptr_t>& code) {
  static std::mutex mutex;
  // Never destroyed: what is reported at exit comes after most destructors.
  static auto& known = *new std::unordered_map<std::uintptr_t, SourceLine>;
  const std::lock_guard lock(mutex);

  const std::uintptr_t base = load_address();
  std::vector<std::uintptr_t> wanted;
  std::vector<std::string> addresses;
  for (const std::uintptr_t c : code) {
    if (known.contains(c)) continue;
    char text[32];
    // One back, into the call.
    std::snprintf(text, sizeof text, "0x%zx", static_cast<std::size_t>(c - base - 1));
    wanted.push_back(c);
    addresses.push_back(text);
  }
  if (!wanted.empty()) {
    const std::string text = addr2line(addresses);
    std::size_t next = 0;  // addresses whose answer has begun
    bool found = false;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = text.substr(at, end - at);
      at = end + 1;
      if (line.starts_with("0x")) {
        ++next;
        found = false;
      } else if (next > 0 && next <= wanted.size() && !found) {
        known[wanted[next - 1]] = parse(line);
        found = !is_cudas_own(known[wanted[next - 1]].file);
      }
    }
  }
  std::unordered_map<std::uintptr_t, SourceLine> result;
  for (const std::uintptr_t c : code) result[c] = known[c];
  return result;
}

}  // namespace cucpu::trace
