// printf() and what compilers make of it, which programs take from here instead of from the C
// library: in a kernel they are the device's, elsewhere they do what the C library's do.
//
// Else the C library would have functions of these names that are inline.
#undef _FORTIFY_SOURCE
#define __NO_INLINE__
#include "device_printf.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>

#include "cucpu/execution.h"
#include "device_limits.h"
#include "preemption.h"

namespace cucpu {
namespace {

struct Output {
  std::mutex mutex;
  std::string text;
  bool has_overflowed = false;
};
Output& output() {
  static Output& all = *new Output;  // workers may outlive static objects
  return all;
}

// The mutex is held.
void write_out(Output& out) {
  if (out.text.empty()) return;
  std::fwrite(out.text.data(), 1, out.text.size(), stdout);
  std::fflush(stdout);
  out.text.clear();
}

void append(const char* text, std::size_t bytes) {
  Output& out = output();
  const std::lock_guard lock(out.mutex);
  const std::size_t room = printf_buffer_bytes();
  if (out.text.size() + bytes > room) {
    write_out(out);
    if (!out.has_overflowed)
      std::fprintf(
          stderr,
          "note: kernels printed more than %zu bytes (cudaLimitPrintfFifoSize) between two "
          "synchronizations; a GPU keeps only the last of it\n",
          room);
    out.has_overflowed = true;
  }
  out.text.append(text, bytes);
}

// How many arguments the format asks for, which is what a device's printf() returns.
int count_arguments(const char* format) {
  int count = 0;
  for (const char* at = format; *at != '\0'; ++at) {
    if (*at != '%') continue;
    if (*++at == '%') continue;
    while (*at != '\0' && std::strchr("-+ #0123456789.*hlLqjzt", *at) != nullptr)
      count += *at++ == '*';
    if (*at == '\0') break;
    ++count;
  }
  return count;
}

int print_on_device(const char* format, std::va_list arguments) {
  const InRuntime in_runtime;
  if (format == nullptr) return -1;
  std::va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  std::string text(length > 0 ? static_cast<std::size_t>(length) : 0, '\0');
  if (length > 0) std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  if (length < 0) return -2;
  append(text.data(), text.size());
  return count_arguments(format);
}

int print(const char* format, std::va_list arguments) {
  return in_kernel() ? print_on_device(format, arguments)
                     : std::vfprintf(stdout, format, arguments);
}

}  // namespace

void flush_device_output() {
  Output& out = output();
  const std::lock_guard lock(out.mutex);
  write_out(out);
}

void flush_device_output_at_exit() {
  Output& out = output();
  const std::lock_guard lock(out.mutex);
  const std::size_t bytes = out.text.size();
  write_out(out);
  if (bytes != 0)
    std::fprintf(stderr,
                 "note: kernels printed %zu bytes after the last synchronization, which a GPU does "
                 "not show: call cudaDeviceSynchronize() before the program ends\n",
                 bytes);
}

}  // namespace cucpu

extern "C" {

int printf(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int result = cucpu::print(format, arguments);
  va_end(arguments);
  return result;
}

int vprintf(const char* format, std::va_list arguments) { return cucpu::print(format, arguments); }

int puts(const char* text) {
  if (cucpu::in_kernel()) return printf("%s\n", text);
  flockfile(stdout);
  const bool failed = std::fputs(text, stdout) == EOF || std::fputc('\n', stdout) == EOF;
  funlockfile(stdout);
  return failed ? EOF : 1;
}

int putchar(int character) {
  if (cucpu::in_kernel()) return printf("%c", character);
  return std::fputc(character, stdout);
}

// printf() as the C library's checked headers call it.
int __printf_chk(int, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int result = cucpu::print(format, arguments);
  va_end(arguments);
  return result;
}

}  // extern "C"
