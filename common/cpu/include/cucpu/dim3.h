// The two index types that a kernel launch itself needs.
#pragma once

// A traced program (common/cpu/trace) is compiled to report what its kernels do. Its device code
// sees the indices as constants, which they are as long as one CUDA thread runs: reads of constants
// are not reported.
#ifdef CUCPU_TRACED
#define CUCPU_INDEX const
#else
#define CUCPU_INDEX
#endif

struct uint3 {
  unsigned int x, y, z;
};

// A grid's or a block's extent; axes that are not given are 1.
struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
      : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
