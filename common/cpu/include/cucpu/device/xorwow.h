// XORWOW: a linear generator over the bits of five words. G. Marsaglia, "Xorshift RNGs", 2003.
#pragma once

namespace cucpu {

struct Xorwow {
  unsigned word[5];
};

// As many steps at once as `steps` times two to the power of `log2_scale`.
Xorwow xorwow_jump(Xorwow state, unsigned long long steps, int log2_scale);

}  // namespace cucpu
