// A CUDA thread's knowledge: the accesses, in any block of its launch, that happened before it.
//
// Accesses carry stamps: numbers that a worker counts up with each event that orders accesses. So
// the later of a thread's two accesses never has the smaller stamp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace cucpu::trace {

// The known accesses of one block.
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

// The known accesses, by block. Copies are cheap, for they share what they have in common: even if
// each of 100,000 blocks has learned from all others.
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
