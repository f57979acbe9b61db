#include "problem/parallel.h"

#include <algorithm>
#include <future>
#include <thread>
#include <vector>

namespace problem {

void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& work) {
  if (count == 0) return;
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t pieces =
      std::clamp<std::size_t>(count / std::max<std::size_t>(grain, 1), 1, cores);
  const std::size_t share = count / pieces;
  const std::size_t longer = count % pieces;  // so many pieces get one more item

  std::vector<std::future<void>> others;
  std::size_t begin = 0;
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const std::size_t end = begin + share + (piece < longer ? 1 : 0);
    if (piece + 1 == pieces) {
      work(begin, end);
    } else {
      others.push_back(std::async(std::launch::async, work, begin, end));
    }
    begin = end;
  }
  for (std::future<void>& other : others) other.get();
}

}  // namespace problem
