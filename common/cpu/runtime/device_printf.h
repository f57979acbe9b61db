// What kernels print is kept until the host synchronizes, as on a device.
#pragma once

namespace cucpu {

// Writes what kernels have printed to the standard output, and sees to it that it arrives there.
void flush_device_output();
// The same for what nobody has synchronized with: on a device it is lost, which is worth a note.
void flush_device_output_at_exit();

}  // namespace cucpu
