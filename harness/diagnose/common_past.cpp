#include "harness/diagnose/common_past.hpp"

#include <algorithm>
#include <limits>

namespace petri::diagnosis {

static_assert(CommonPast::kContext + CommonPast::kMostCalls < std::numeric_limits<CommonPast::Count>::max());

void Histories::add(const std::vector<std::uint64_t>& calls) {
  calls_.push_back(kStart);
  begin_.push_back(calls_.size());
  size_.push_back(calls.size());
  for (const std::uint64_t call : calls)
    calls_.push_back(numbers_.try_emplace(call, static_cast<std::uint32_t>(numbers_.size()) + 1).first->second);
}

CommonPast::CommonPast(const Histories& histories, std::size_t number, std::size_t first)
    : histories_(histories),
      number_(number),
      here_(first - std::min(first, kContext - 1)),  // and looks at the call before this one
      counts_(histories.calls_.size() + kContext + kMostCalls, 0),
      shift_(kContext + kMostCalls) {
  step();
  while (here_ < first) advance();
}

void CommonPast::advance() {
  ++here_;
  step();
}

std::span<const CommonPast::Count> CommonPast::before_calls_of(std::size_t other) const {
  return {row() + histories_.begin_[other], histories_.size_[other]};
}

CommonPast::Count CommonPast::most_before_equal_call() const {
  const std::uint32_t* const calls = histories_.calls_.data();
  const std::uint32_t equal = calls[place()];
  const Count* const counts = row();
  Count most = 0;
  for (std::size_t i = 1; i < histories_.calls_.size(); ++i)
    most = std::max(most, calls[i] == equal ? counts[i] : Count{0});
  return most;
}

void CommonPast::step() {
  --shift_;
  const std::uint32_t* const calls = histories_.calls_.data();
  const std::uint32_t before = calls[place() - 1];
  Count* const counts = counts_.data() + shift_;
  const std::size_t size = histories_.calls_.size();
  for (std::size_t i = 1; i < size; ++i)
    counts[i] = calls[i - 1] == before ? static_cast<Count>(counts[i] + 1) : Count{0};
  counts[place()] = 0;
}

}  // namespace petri::diagnosis
