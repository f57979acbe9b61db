// What a CUDA thread knows to have happened before it, in any block of its launch.
//
// Accesses carry stamps: numbers that a worker counts up with each event that puts accesses in an
// order, so that of two accesses of one thread the later one has no smaller stamp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace cucpu::trace {

// What is known of the accesses of one block.
struct KnownOfBlock {
  struct OfThread {
    std::uint32_t thread;
    std::uint32_t before;
  };

  std::uint32_t before = 0;       // those of all threads whose stamp is below this
  std::vector<OfThread> threads;  // and more of some threads, in ascending order

  bool covers(unsigned thread, std::uint32_t stamp) const;
  void add(const KnownOfBlock& other);
  bool operator==(const KnownOfBlock& other) const;
};

// What is known, by block. A value that is cheap to copy: two of them share what they have in
// common, and what one of 100,000 blocks has learned from all others is no copy of that.
class Knowledge {
 public:
  bool empty() const { return root_ == nullptr; }
  // Null if nothing is known of it.
  const KnownOfBlock* of(std::uint32_t block) const;
  void add(std::uint32_t block, const KnownOfBlock& known);
  void add(const Knowledge& other);

  struct Node;

 private:
  std::shared_ptr<const Node> root_;
};

}  // namespace cucpu::trace
