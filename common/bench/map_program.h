#pragma once

namespace bench {

/// The exit code of a map program whose device failed at a shape.
constexpr int kDeviceFailed = 3;

}  // namespace bench
