// Numbers that ascend as they are added, and of which most leave near the front.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace petri::model {

// A vector that gives up its front without moving the rest: a sender may be half a million messages ahead. It costs
// less than a deque where, as in most channels, one or two numbers wait at a time.
class NumberQueue {
 public:
  using iterator = std::vector<std::uint32_t>::const_iterator;

  iterator begin() const { return numbers_.begin() + static_cast<std::ptrdiff_t>(first_); }
  iterator end() const { return numbers_.end(); }

  void push_back(std::uint32_t number) { numbers_.push_back(number); }

  // Does nothing where the number is not there. Moves the shorter side.
  void erase(std::uint32_t number) {
    const auto front = numbers_.begin() + static_cast<std::ptrdiff_t>(first_);
    const auto place = std::lower_bound(front, numbers_.end(), number);
    if (place == numbers_.end() || *place != number) return;
    if (place - front > numbers_.end() - place) {
      numbers_.erase(place);
      return;
    }
    std::move_backward(front, place, place + 1);
    ++first_;
    if (first_ <= numbers_.size() / 2) return;
    numbers_.erase(numbers_.begin(), numbers_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }

 private:
  std::vector<std::uint32_t> numbers_;
  std::size_t first_ = 0;  // those before it have left
};

}  // namespace petri::model
