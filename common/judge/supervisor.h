#pragma once

#include <functional>

namespace judge {

/// Does `work` in a process of its own, and returns what it returns. However that process or this
/// one ends, nothing is left behind: no process that was started in the meantime, and no file
/// where temporary files go. Signals that ask this process to end go to the other one, too.
/// Throws `std::runtime_error` where the work's process was killed.
int supervise(const std::function<int()>& work);

}  // namespace judge
