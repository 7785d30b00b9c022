#include "kernels/order/folded_evaluate.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

namespace petri::order {
namespace {

using kernels::Arithmetic;

// How many tiles later each stage comes: so long a result may travel while others are computed.
constexpr std::uint64_t kTilesBetweenStages = 2;

// One part's pieces, and evaluators of those that are this process's.
struct Plan {
  std::vector<Piece> pieces;
  std::int32_t stages = 0;
  std::vector<std::unique_ptr<Order>> orders;  // by piece; null for those of other processes
  std::vector<std::unique_ptr<Evaluator>> evaluators;
};

struct Tile {
  std::uint64_t number = 0;
  std::uint64_t offset = 0;  // of its first element, in its part
  std::size_t count = 0;
  const Part* part = nullptr;
  std::shared_ptr<Plan> plan;
};

class FoldedEvaluation {
 public:
  FoldedEvaluation(const Order& order, const Arithmetic& arithmetic, Folding folding, std::int32_t process,
                   const Contribution& contribution, Link& link, const Consumer& consume)
      : order_(order),
        arithmetic_(arithmetic),
        folding_(folding),
        process_(process),
        contribution_(contribution),
        link_(link),
        consume_(consume) {
    // Within a piece all is in the accumulator's type, and nothing is scaled.
    inner_ = arithmetic;
    inner_.element = inner_.accumulator;
    inner_.scale = Arithmetic::Scale::none;
  }

  void run(const View& view) {
    std::deque<Tile> under_way;
    auto part = view.begin();
    std::uint64_t offset = 0;
    for (std::uint64_t slot = 0;; ++slot) {
      while (part != view.end() && offset == part->count) {
        ++part;
        offset = 0;
      }
      if (part != view.end()) {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(part->count - offset, Evaluator::kTile));
        under_way.push_back({slot, offset, count, &*part, offset == 0 ? plan_of(*part) : under_way_plan_});
        under_way_plan_ = under_way.back().plan;
        offset += count;
      }
      if (under_way.empty()) return;
      for (const Tile& tile : under_way) walk(tile, slot - tile.number);
      while (!under_way.empty() && is_done(under_way.front(), slot)) under_way.pop_front();
    }
  }

 private:
  static bool is_done(const Tile& tile, std::uint64_t slot) {
    return slot - tile.number >= kTilesBetweenStages * static_cast<std::uint64_t>(tile.plan->stages);
  }

  std::shared_ptr<Plan> plan_of(const Part& part) {
    auto plan = std::make_shared<Plan>();
    plan->pieces = pieces_of(order_.trees[part.tree], part.shift, folding_);
    plan->orders.resize(plan->pieces.size());
    plan->evaluators.resize(plan->pieces.size());
    for (std::size_t i = 0; i < plan->pieces.size(); ++i) {
      const Piece& piece = plan->pieces[i];
      plan->stages = std::max(plan->stages, piece.stage);
      if (piece.process != process_) continue;
      Part whole{0, part.count, 0, 0, {}};
      if (!part.calls.empty())
        for (const std::uint32_t step : piece.steps) whole.calls.push_back(part.calls[step]);
      plan->orders[i] = std::make_unique<Order>(
          Order{order_.name, piece.tree.ranks, part.count, order_.determinism, {piece.tree}, {{whole}}});
      plan->evaluators[i] = std::make_unique<Evaluator>(*plan->orders[i], inner_);
    }
    return plan;
  }

  // The tasks of a tile that come `late` tiles after its first ones.
  void walk(const Tile& tile, std::uint64_t late) {
    if (late % kTilesBetweenStages != 0) return;
    const std::vector<Piece>& pieces = tile.plan->pieces;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const Piece& piece = pieces[i];
      if (static_cast<std::uint64_t>(piece.stage) != late / kTilesBetweenStages) continue;
      if (piece.process == process_) {
        compute(tile, i);
      } else if (piece.consumer != Piece::kNoConsumer &&
                 pieces[static_cast<std::size_t>(piece.consumer)].process == process_) {
        expected_[{tile.number, static_cast<std::int32_t>(i)}] =
            link_.expect(piece.process, tile.count * size_of(inner_.element));
      }
    }
  }

  void compute(const Tile& tile, std::size_t index) {
    const Piece& piece = tile.plan->pieces[index];
    std::vector<std::byte> result(tile.count * size_of(inner_.element));
    const auto leaf = [&](std::int32_t number, std::uint64_t /*first*/, std::size_t /*count*/, std::byte* out) {
      load(tile, piece.leaves[static_cast<std::size_t>(number)], out);
    };
    tile.plan->evaluators[index]->evaluate(leaf, tile.offset, tile.count, result.data());
    if (piece.consumer == Piece::kNoConsumer)
      finish(tile, std::move(result));
    else
      link_.send(tile.plan->pieces[static_cast<std::size_t>(piece.consumer)].process, std::move(result));
  }

  void load(const Tile& tile, const Leaf& leaf, std::byte* out) {
    if (leaf.kind == Leaf::Kind::piece) {
      const auto expected = expected_.extract({tile.number, leaf.index});
      const std::vector<std::byte> message = link_.take(expected.mapped());
      std::memcpy(out, message.data(), message.size());
      return;
    }
    const bool narrow = arithmetic_.element != arithmetic_.accumulator;
    if (narrow) narrow_.resize(Evaluator::kTile * size_of(arithmetic_.element));
    std::byte* read_to = narrow ? narrow_.data() : out;
    contribution_(leaf.index, tile.part->first + tile.offset, tile.count, read_to);
    if (arithmetic_.scale == Arithmetic::Scale::before)
      kernels::scale(arithmetic_.element, read_to, tile.count, order_.ranks);
    if (narrow) kernels::conversion(arithmetic_.element, arithmetic_.accumulator)(read_to, out, tile.count);
  }

  void finish(const Tile& tile, std::vector<std::byte> sum) {
    if (arithmetic_.scale == Arithmetic::Scale::after)
      kernels::scale(arithmetic_.accumulator, sum.data(), tile.count, order_.ranks);
    if (arithmetic_.element != arithmetic_.accumulator) {
      std::vector<std::byte> rounded(tile.count * size_of(arithmetic_.element));
      kernels::conversion(arithmetic_.accumulator, arithmetic_.element)(sum.data(), rounded.data(), tile.count);
      sum = std::move(rounded);
    }
    // Parts whose trees have fewer stages are ready before earlier ones.
    ready_.emplace(tile.part->first + tile.offset, std::pair(tile.count, std::move(sum)));
    while (!ready_.empty() && ready_.begin()->first == next_) {
      const auto done = ready_.extract(ready_.begin());
      consume_(done.key(), done.mapped().first, done.mapped().second.data());
      next_ += done.mapped().first;
    }
  }

  const Order& order_;
  const Arithmetic& arithmetic_;
  Arithmetic inner_;
  Folding folding_;
  std::int32_t process_;
  const Contribution& contribution_;
  Link& link_;
  const Consumer& consume_;
  std::shared_ptr<Plan> under_way_plan_;                                    // of the part that tiles are taken from
  std::map<std::pair<std::uint64_t, std::int32_t>, std::size_t> expected_;  // by tile and piece
  std::map<std::uint64_t, std::pair<std::size_t, std::vector<std::byte>>> ready_;
  std::uint64_t next_ = 0;
  std::vector<std::byte> narrow_;  // a contribution before it is widened
};

}  // namespace

void evaluate_folded(const Order& order, const Arithmetic& arithmetic, std::int32_t processes, std::int32_t process,
                     const Contribution& contribution, Link& link, const Consumer& consume, std::int32_t view) {
  if (!is_whole(order)) throw std::invalid_argument("the order " + order.name + " does not cover each element once");
  if (processes < 1 || processes > order.ranks) throw std::invalid_argument("from 1 to as many processes as ranks");
  if (arithmetic.scale == Arithmetic::Scale::fused)
    throw std::invalid_argument("an average whose scaling is fused with its first additions cannot be folded");
  FoldedEvaluation(order, arithmetic, {order.ranks, processes}, process, contribution, link, consume)
      .run(order.view_of(view));
}

}  // namespace petri::order
