// The main function of every test executable: a CUDA build skips where there is no device.
#define DOCTEST_CONFIG_IMPLEMENT
// On the CPU backend a kernel's fault is an error that the runtime returns, not a crash.
#define DOCTEST_CONFIG_NO_POSIX_SIGNALS
#include <doctest/doctest.h>

#include <cstdio>

#include "device/info.h"
#include "host/program_end.h"

int main(int argc, char** argv) {
  if (device::count() == 0) {
    std::puts("skipped: no CUDA device was found");
    return host::kNoDevice;  // for Meson: skipped
  }
  return doctest::Context(argc, argv).run();
}
