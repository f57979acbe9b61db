#pragma once

/// Which CUDA runtime the program is built for. The build system says so with
/// `TUTORIAL_BACKEND_CPU`; without it, a `.cu` file knows from `__CUCPU__`.
#ifndef TUTORIAL_BACKEND_CPU
#ifdef __CUCPU__
#define TUTORIAL_BACKEND_CPU 1
#else
#define TUTORIAL_BACKEND_CPU 0
#endif
#endif

namespace device {

inline constexpr bool kIsCpu = TUTORIAL_BACKEND_CPU != 0;
inline constexpr const char* kBackendName = kIsCpu ? "cpu" : "cuda";

}  // namespace device
