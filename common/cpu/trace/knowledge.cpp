#include "knowledge.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace cucpu::trace {

// --- one block -----------------------------------------------------------------------------------

bool KnownOfBlock::covers(unsigned thread, std::uint32_t stamp) const {
  if (stamp < before) return true;
  const auto found =
      std::lower_bound(threads.begin(), threads.end(), thread,
                       [](const OfThread& of, unsigned wanted) { return of.thread < wanted; });
  return found != threads.end() && found->thread == thread && stamp < found->before;
}

void KnownOfBlock::add(const KnownOfBlock& other) {
  before = std::max(before, other.before);
  threads.insert(threads.end(), other.threads.begin(), other.threads.end());
  std::sort(threads.begin(), threads.end(), [](const OfThread& a, const OfThread& b) {
    return a.thread != b.thread ? a.thread < b.thread : a.before > b.before;
  });
  const auto same_thread = [](const OfThread& a, const OfThread& b) {
    return a.thread == b.thread;
  };
  threads.erase(std::unique(threads.begin(), threads.end(), same_thread), threads.end());
  std::erase_if(threads, [this](const OfThread& of) { return of.before <= before; });
}

bool KnownOfBlock::operator==(const KnownOfBlock& other) const {
  return before == other.before &&
         std::equal(threads.begin(), threads.end(), other.threads.begin(), other.threads.end(),
                    [](const OfThread& a, const OfThread& b) {
                      return a.thread == b.thread && a.before == b.before;
                    });
}

// --- all blocks ----------------------------------------------------------------------------------

// A tree over the bits of the blocks' numbers, from the highest bit in which any two of them
// differ. Never changed once it is made.
struct Knowledge::Node {
  std::uint32_t block;  // of a leaf; else the bits above `bit`, which all below have in common
  std::uint32_t bit;    // that sets the two sides apart; 0: a leaf
  std::shared_ptr<const Node> zero, one;
  KnownOfBlock known;  // of a leaf
};

namespace {

using Node = Knowledge::Node;
using Tree = std::shared_ptr<const Node>;

std::uint32_t bits_above(std::uint32_t block, std::uint32_t bit) {
  return bit == 0 ? block : block & ~(bit | (bit - 1));
}
bool is_below(const Node& node, std::uint32_t block) {
  return bits_above(block, node.bit) == node.block;
}

Tree leaf(std::uint32_t block, KnownOfBlock known) {
  return std::make_shared<const Node>(Node{block, 0, {}, {}, std::move(known)});
}

// Joins two trees that have no block in common.
Tree join(const Tree& a, const Tree& b) {
  const std::uint32_t bit = std::bit_floor(a->block ^ b->block);
  const bool a_is_one = (a->block & bit) != 0;
  return std::make_shared<const Node>(
      Node{bits_above(a->block, bit), bit, a_is_one ? b : a, a_is_one ? a : b, {}});
}

Tree with_sides(const Tree& node, const Tree& zero, const Tree& one) {
  if (zero == node->zero && one == node->one) return node;
  return std::make_shared<const Node>(Node{node->block, node->bit, zero, one, {}});
}

Tree merge(const Tree& a, const Tree& b);

// A tree that lies below `node`, merged with the side that it belongs to.
Tree merge_below(const Tree& node, const Tree& tree) {
  if ((tree->block & node->bit) == 0) return with_sides(node, merge(node->zero, tree), node->one);
  return with_sides(node, node->zero, merge(node->one, tree));
}

// Everything that is in either. It is `a` itself, or `b`, if there is nothing new in the other.
Tree merge(const Tree& a, const Tree& b) {
  if (a == b) return a;
  if (a->bit == 0 && b->bit == 0 && a->block == b->block) {
    KnownOfBlock known = a->known;
    known.add(b->known);
    if (known == a->known) return a;
    return known == b->known ? b : leaf(a->block, std::move(known));
  }
  if (a->bit == b->bit && a->block == b->block) {
    const Tree zero = merge(a->zero, b->zero);
    const Tree one = merge(a->one, b->one);
    return zero == b->zero && one == b->one ? b : with_sides(a, zero, one);
  }
  if (a->bit > b->bit && is_below(*a, b->block)) return merge_below(a, b);
  if (b->bit > a->bit && is_below(*b, a->block)) return merge_below(b, a);
  return join(a, b);
}

}  // namespace

const KnownOfBlock* Knowledge::of(std::uint32_t block) const {
  const Node* node = root_.get();
  while (node != nullptr && node->bit != 0)
    node = ((block & node->bit) == 0 ? node->zero : node->one).get();
  return node != nullptr && node->block == block ? &node->known : nullptr;
}

void Knowledge::add(std::uint32_t block, const KnownOfBlock& known) {
  const Tree added = leaf(block, known);
  root_ = root_ == nullptr ? added : merge(root_, added);
}

void Knowledge::add(const Knowledge& other) {
  if (other.root_ == nullptr) return;
  root_ = root_ == nullptr ? other.root_ : merge(root_, other.root_);
}

}  // namespace cucpu::trace
