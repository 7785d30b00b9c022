// Loops in a sequence of calls: what remains when it is told without saying how often.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "reducers/hashing.hpp"

namespace petri::reduce {

// Folds a sequence, symbol by symbol, into symbols and loops: a stretch that repeats back to back becomes one loop over
// its body, which may hold loops itself; so a loop has the same shape from the second repetition on, and one that ends
// in the middle of its body has the rest behind it. A stretch that is there once is no loop.
//
// Greedy from left to right, as traces are compressed while they are recorded (regular section descriptors; Noeth,
// Ratn, Mueller, Schulz and de Supinski 2009, "ScalaTrace"), but linear whatever the input: bodies of any length are
// found by where their last 1, 4 or 32 elements stood before, and compared by hash. Rarely, in sequences of few symbols
// without order, a loop is overlooked.
class LoopFolder {
 public:
  LoopFolder();

  void push(Hash symbol);
  void clear();

  std::size_t size() const { return nodes_.size(); }  // symbols and loops, those inside of loops not counted
  Hash shape() const;                                 // equal for equal symbols and loops, numbers of repetitions aside

 private:
  static constexpr std::array<std::size_t, 3> kTails{1, 4, 32};
  static constexpr std::uint32_t kNowhere = 0xffffffff;

  struct Node {
    Hash hash;
    Hash prefix;                                      // of all nodes up to this one
    bool loops;                                       // a loop, not a symbol
    std::array<std::uint32_t, kTails.size()> before;  // what the table of tails held
  };
  // A loop goes on when its body stands behind it once more; so does the loop at its body's end.
  struct Due {
    std::uint32_t loop;  // node
    std::uint32_t length;
    Hash body;
    std::uint32_t next;  // due at the same place
  };

  void append(Hash hash, bool loops);
  void truncate(std::size_t size);
  void expect(std::uint32_t loop, std::uint32_t length, Hash body);
  bool continue_loop();
  bool fold();
  Hash range(std::size_t from, std::size_t to) const;
  std::uint32_t& last_seen(std::size_t tail, std::size_t end);

  std::vector<Node> nodes_;
  std::vector<Hash> powers_;
  std::array<std::vector<std::uint32_t>, kTails.size()> seen_;  // by hash of a tail: the node that it ended with
  std::vector<Due> dues_;                                       // of the loops among the nodes, in their order
  std::vector<std::uint32_t> due_;                              // by number of nodes: the last of `dues_`
};

}  // namespace petri::reduce
