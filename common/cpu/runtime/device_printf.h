// Kernels' output is kept until the host synchronizes, as on a device.
#pragma once

namespace cucpu {

// Writes the kernels' output to the standard output, and flushes it.
void flush_device_output();
// The same for output that nobody has synchronized with. A device would lose it, which is worth a
// note.
void flush_device_output_at_exit();

}  // namespace cucpu
