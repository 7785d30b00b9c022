// Folding: an order of many logical ranks computed by few processes, which gives the same bits, since the tree of each
// element stays as it is. What changes is only who computes which of its steps.
//
// A tree is cut into pieces that lie on one process each, so that as few intermediate results as possible pass between
// processes: each step goes to a process that most of what it takes is on (Fitch, "Toward defining the course of
// evolution: minimum change for a specific tree topology", Syst. Zool. 20, 1971, whose problem is the same one). A ring
// over contiguous ranks crosses from one process to the next once.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/order/tree.hpp"

namespace petri::order {

// Logical ranks in contiguous blocks on processes, the first ranks % processes of which have one more.
// 1 <= processes <= ranks.
struct Folding {
  std::int32_t ranks = 1, processes = 1;
  std::int32_t process_of(std::int32_t rank) const;
  friend bool operator==(const Folding&, const Folding&) = default;
};

// What a leaf of a piece's tree is: a contribution, or the result of another piece.
struct Leaf {
  enum class Kind : std::uint8_t { rank, piece } kind = Kind::rank;
  std::int32_t index = 0;  // the logical rank; or which of the pieces
  friend bool operator==(const Leaf&, const Leaf&) = default;
};

struct Piece {
  static constexpr std::int32_t kNoConsumer = -1;
  std::int32_t process = 0;
  std::int32_t consumer = kNoConsumer;  // the piece on another process that takes the result; none for the last one
  std::int32_t stage = 0;               // the longest way of pieces to this one
  Tree tree = {};                       // its leaves in place of ranks
  std::vector<Leaf> leaves = {};
  std::vector<std::uint32_t> steps = {};  // which step of the whole tree each of its steps is
};

// The pieces of a tree whose rank r stands for logical rank (r + shift) mod ranks. Each comes after those that it
// takes, and the last one, on process 0, gives the result.
std::vector<Piece> pieces_of(const Tree& tree, std::int32_t shift, const Folding& folding);

}  // namespace petri::order
