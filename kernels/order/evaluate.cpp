#include "kernels/order/evaluate.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace petri::order {

using kernels::Arithmetic;

Evaluator::Evaluator(const Order& order, const Arithmetic& arithmetic, std::int32_t rank)
    : order_(order), view_(order.view_of(rank)), arithmetic_(arithmetic) {
  if (!is_whole(order, rank))
    throw std::invalid_argument("the order " + order.name + " does not cover each element once");
  std::map<std::uint32_t, Schedule> schedules;
  for (const Part& part : view_)
    if (!schedules.contains(part.tree)) schedules.emplace(part.tree, schedule_of(order.trees[part.tree]));
  schedules_ = std::make_shared<const std::map<std::uint32_t, Schedule>>(std::move(schedules));
}

void Evaluator::evaluate(const Contribution& contribution, std::uint64_t first, std::uint64_t count,
                         std::byte* result) {
  const std::uint64_t end = first + count;
  auto part =
      std::partition_point(view_.begin(), view_.end(), [&](const Part& p) { return p.first + p.count <= first; });
  for (std::uint64_t at = first; at < end; ++part) {
    const std::uint64_t part_end = std::min(end, part->first + part->count);
    while (at < part_end) {
      // Up to the next border of tiles, counted from where the part begins.
      const std::uint64_t border = part->first + ((at - part->first) / kTile + 1) * kTile;
      const auto size = static_cast<std::size_t>(std::min(part_end, border) - at);
      evaluate_tile(contribution, *part, at, size, result);
      result += size * size_of(arithmetic_.element);
      at += size;
    }
  }
}

void Evaluator::evaluate_tile(const Contribution& contribution, const Part& part, std::uint64_t first,
                              std::size_t count, std::byte* result) {
  height_ = 0;
  if (count > room_) {
    room_ = count;
    for (auto& tile : tiles_) tile.resize(room_ * size_of(arithmetic_.accumulator));
  }
  const Schedule& schedule = schedules_->find(part.tree)->second;
  const Call part_alone{0, part.count};
  const std::uint32_t* made_in = schedule.steps.data();
  for (const Instruction instruction : schedule.instructions) {
    if (instruction >= 0) {
      load(contribution, (instruction + part.shift) % order_.ranks, first, count);
      continue;
    }
    const std::size_t top = height_ - 1, below = height_ - 2;
    const Call& call = part.calls.empty() ? part_alone : part.calls[*made_in];
    ++made_in;
    if (instruction == kLeftBelow) {
      step(call, first - part.first, below, top, count);
      std::swap(tiles_[top], tiles_[below]);
    } else {
      step(call, first - part.first, top, below, count);
    }
    bare_[below] = false;
    --height_;
  }
  std::byte* sum = place(0);
  if (bare_[0]) kernels::scale(arithmetic_.accumulator, sum, count, order_.ranks);
  if (arithmetic_.scale == Arithmetic::Scale::after) kernels::scale(arithmetic_.accumulator, sum, count, order_.ranks);
  if (arithmetic_.accumulator == arithmetic_.element) {
    std::memcpy(result, sum, count * size_of(arithmetic_.element));
  } else {
    kernels::conversion(arithmetic_.accumulator, arithmetic_.element)(sum, result, count);
  }
}

void Evaluator::step(const Call& call, std::uint64_t offset, std::size_t left, std::size_t right, std::size_t count) {
  if (bare_[right]) kernels::scale(arithmetic_.accumulator, place(right), count, order_.ranks);
  if (bare_[left]) return arithmetic_.combine_scaled(place(left), place(right), count, order_.ranks);
  combine(call, offset, place(left), place(right), count);
}

void Evaluator::combine(const Call& call, std::uint64_t offset, const std::byte* left, std::byte* right,
                        std::size_t count) const {
  if (arithmetic_.tail == nullptr) return arithmetic_.combine(left, right, count);
  const std::uint64_t at = call.before + offset;
  const std::uint64_t body_end = call.count / arithmetic_.lanes * arithmetic_.lanes;
  const auto body = static_cast<std::size_t>(body_end <= at ? 0 : std::min<std::uint64_t>(body_end - at, count));
  const std::size_t bytes = body * size_of(arithmetic_.accumulator);
  if (body > 0) arithmetic_.combine(left, right, body);
  if (body < count) arithmetic_.tail(left + bytes, right + bytes, count - body);
}

void Evaluator::load(const Contribution& contribution, std::int32_t rank, std::uint64_t first, std::size_t count) {
  std::byte* target = place(height_);
  bare_[height_++] = arithmetic_.scale == Arithmetic::Scale::fused;
  const bool narrow = arithmetic_.accumulator != arithmetic_.element;
  if (narrow) narrow_.resize(room_ * size_of(arithmetic_.element));
  std::byte* read_to = narrow ? narrow_.data() : target;
  contribution(rank, first, count, read_to);
  if (arithmetic_.scale == Arithmetic::Scale::before) kernels::scale(arithmetic_.element, read_to, count, order_.ranks);
  if (narrow) kernels::conversion(arithmetic_.element, arithmetic_.accumulator)(read_to, target, count);
}

std::byte* Evaluator::place(std::size_t level) {
  while (tiles_.size() <= level) {
    tiles_.emplace_back(room_ * size_of(arithmetic_.accumulator));
    bare_.push_back(false);
  }
  return tiles_[level].data();
}

}  // namespace petri::order
