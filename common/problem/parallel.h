#pragma once

#include <cstddef>
#include <functional>

namespace problem {

/// Items of simple arithmetic below which another thread costs more than it saves.
inline constexpr std::size_t kHostGrain = std::size_t{1} << 15;

/// Calls `work(begin, end)` for pieces that make up [0, count), on as many host threads as pay off:
/// a thread gets at least `grain` items. Returns when all are done; rethrows what a piece threw.
void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& work);

}  // namespace problem
