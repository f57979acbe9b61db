#pragma once

#include <string>

namespace judge {

/// Device `number` becomes the only one that programs started from now on have, under the number 0.
/// So a solution stays there, whatever device it names and whatever threads it starts. In this
/// process it becomes the current device. Throws `device::Error` if there is no such device.
void choose_device(int number);

/// The name of device `number`, as CUDA_VISIBLE_DEVICES wants it. `visible`: that variable's value
/// now; null: it is not set.
std::string visible_device(const char* visible, int number);

}  // namespace judge
