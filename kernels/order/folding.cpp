#include "kernels/order/folding.hpp"

#include <algorithm>
#include <bit>

#include "kernels/order/order.hpp"

namespace petri::order {
namespace {

// Sets of processes, one for each operand of a tree.
class ProcessSets {
 public:
  ProcessSets(std::size_t sets, std::int32_t processes)
      : words_((static_cast<std::size_t>(processes) + 63) / 64), bits_(sets * words_, 0) {}

  void insert(std::size_t set, std::int32_t process) { word(set, process) |= bit(process); }
  bool holds(std::size_t set, std::int32_t process) const {
    return (bits_[set * words_ + static_cast<std::size_t>(process) / 64] & bit(process)) != 0;
  }
  std::int32_t lowest_of(std::size_t set) const {
    std::size_t i = 0;
    while (bits_[set * words_ + i] == 0) ++i;
    return static_cast<std::int32_t>(64 * i) + std::countr_zero(bits_[set * words_ + i]);
  }
  // What a and b share, or all of both where they share nothing.
  void insert_best(std::size_t set, std::size_t a, std::size_t b) {
    std::uint64_t shared = 0;
    for (std::size_t i = 0; i < words_; ++i) shared |= bits_[a * words_ + i] & bits_[b * words_ + i];
    for (std::size_t i = 0; i < words_; ++i) {
      const std::uint64_t in_a = bits_[a * words_ + i], in_b = bits_[b * words_ + i];
      bits_[set * words_ + i] = shared != 0 ? in_a & in_b : in_a | in_b;
    }
  }

 private:
  static std::uint64_t bit(std::int32_t process) { return std::uint64_t{1} << (process % 64); }
  std::uint64_t& word(std::size_t set, std::int32_t process) {
    return bits_[set * words_ + static_cast<std::size_t>(process) / 64];
  }

  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

std::size_t index_of(Operand operand) {
  return static_cast<std::size_t>(operand);
}

// The process of each operand: of contributions, where they are; of steps, where fewest results have to travel.
std::vector<std::int32_t> places_of(const Tree& tree, std::int32_t shift, const Folding& folding) {
  const std::size_t operands = index_of(tree.ranks) + tree.steps.size();
  std::vector<std::int32_t> places(operands);
  ProcessSets best(operands, folding.processes);
  for (Operand rank = 0; rank < tree.ranks; ++rank) {
    places[index_of(rank)] = folding.process_of((rank + shift) % tree.ranks);
    best.insert(index_of(rank), places[index_of(rank)]);
  }
  for (std::size_t i = 0; i < tree.steps.size(); ++i)
    best.insert_best(index_of(tree.ranks) + i, index_of(tree.steps[i].left), index_of(tree.steps[i].right));

  const auto place = [&](std::size_t operand, std::int32_t wished) {
    places[operand] = best.holds(operand, wished) ? wished : best.lowest_of(operand);
  };
  if (!tree.steps.empty()) place(index_of(tree.result()), 0);
  for (std::size_t i = tree.steps.size(); i-- > 0;)
    for (const Operand side : {tree.steps[i].left, tree.steps[i].right})
      if (side >= tree.ranks) place(index_of(side), places[index_of(tree.ranks) + i]);
  return places;
}

// Takes a tree apart, from its first step on. Each step's result belongs to a piece that is still open as long as steps
// on the same process take it.
class Cutter {
 public:
  Cutter(const Tree& tree, std::int32_t shift, const Folding& folding)
      : tree_(tree), shift_(shift), places_(places_of(tree, shift, folding)), taker_(places_.size(), kNobody) {
    for (std::size_t i = 0; i < tree.steps.size(); ++i)
      for (const Operand side : {tree.steps[i].left, tree.steps[i].right})
        taker_[index_of(side)] = tree.ranks + static_cast<Operand>(i);
  }

  std::vector<Piece> cut() {
    // The roots of pieces in ascending order, so that a piece comes after those that it takes.
    std::vector<std::int32_t> piece_at(places_.size(), Piece::kNoConsumer);
    for (std::size_t operand = 0; operand < places_.size(); ++operand)
      if (is_root(operand)) {
        piece_at[operand] = static_cast<std::int32_t>(pieces_.size());
        pieces_.push_back(piece_below(static_cast<Operand>(operand), piece_at));
      }
    if (pieces_.back().process != 0) hand_over_the_result();
    return std::move(pieces_);
  }

 private:
  static constexpr Operand kNobody = -1;

  bool is_root(std::size_t operand) const {
    const Operand taker = taker_[operand];
    return taker == kNobody || places_[index_of(taker)] != places_[operand];
  }

  // Operands of the piece below a root, in ascending order.
  std::vector<Operand> inside(Operand root, std::vector<Operand>& border) const {
    std::vector<Operand> steps, open{root};
    while (!open.empty()) {
      const Operand operand = open.back();
      open.pop_back();
      const bool foreign = operand != root && is_root(index_of(operand));
      if (foreign || operand < tree_.ranks) {
        border.push_back(operand);
        continue;
      }
      steps.push_back(operand);
      const Step& step = tree_.steps[index_of(operand - tree_.ranks)];
      open.insert(open.end(), {step.left, step.right});
    }
    std::sort(steps.begin(), steps.end());
    std::sort(border.begin(), border.end());
    return steps;
  }

  Piece piece_below(Operand root, const std::vector<std::int32_t>& piece_at) {
    Piece piece;
    piece.process = places_[index_of(root)];
    std::vector<Operand> border;
    const std::vector<Operand> steps = inside(root, border);
    const auto here = static_cast<std::int32_t>(pieces_.size());
    for (const Operand operand : border) {
      if (operand == root || !is_root(index_of(operand))) {
        piece.leaves.push_back({Leaf::Kind::rank, (operand + shift_) % tree_.ranks});
        continue;
      }
      const std::int32_t taken = piece_at[index_of(operand)];
      piece.leaves.push_back({Leaf::Kind::piece, taken});
      Piece& source = pieces_[static_cast<std::size_t>(taken)];
      source.consumer = here;
      piece.stage = std::max(piece.stage, source.stage + 1);
    }
    const auto numbered = [&](Operand operand) {
      const auto leaf = std::lower_bound(border.begin(), border.end(), operand);
      if (leaf != border.end() && *leaf == operand) return static_cast<Operand>(leaf - border.begin());
      const auto step = std::lower_bound(steps.begin(), steps.end(), operand);
      return static_cast<Operand>(border.size()) + static_cast<Operand>(step - steps.begin());
    };
    piece.tree.ranks = static_cast<std::int32_t>(border.size());
    for (const Operand operand : steps) {
      const auto index = static_cast<std::uint32_t>(operand - tree_.ranks);
      piece.tree.steps.push_back({numbered(tree_.steps[index].left), numbered(tree_.steps[index].right)});
      piece.steps.push_back(index);
    }
    return piece;
  }

  void hand_over_the_result() {
    const auto last = static_cast<std::int32_t>(pieces_.size()) - 1;
    pieces_.back().consumer = last + 1;
    pieces_.push_back({0, Piece::kNoConsumer, pieces_.back().stage + 1, {1, {}}, {{Leaf::Kind::piece, last}}, {}});
  }

  const Tree& tree_;
  std::int32_t shift_;
  std::vector<std::int32_t> places_;
  std::vector<Operand> taker_;  // the step that takes each operand
  std::vector<Piece> pieces_;
};

}  // namespace

std::int32_t Folding::process_of(std::int32_t rank) const {
  const std::int32_t each = ranks / processes, longer = ranks % processes;
  const std::int32_t in_longer = longer * (each + 1);
  return rank < in_longer ? rank / (each + 1) : longer + (rank - in_longer) / each;
}

std::vector<Piece> pieces_of(const Tree& tree, std::int32_t shift, const Folding& folding) {
  return Cutter(tree, shift, folding).cut();
}

}  // namespace petri::order
