// How much of what a rank did before one of its calls was also done before each call of each rank. Internal to
// harness/diagnose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace petri::diagnosis {

// The calls of several ranks one behind the other. Calls are numbers, equal for equal ones.
class Histories {
 public:
  void add(const std::vector<std::uint64_t>& calls);  // of one more rank

 private:
  friend class CommonPast;
  static constexpr std::uint32_t kStart = 0;  // stands before the calls of each rank

  std::vector<std::uint32_t> calls_;  // renumbered, so that many are compared at once
  std::vector<std::size_t> begin_;    // by rank: its first call
  std::vector<std::size_t> size_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

// Goes through the calls of one rank. The histories must outlive it.
class CommonPast {
 public:
  using Count = std::uint8_t;
  static constexpr std::size_t kContext = 97;    // calls before the first one are compared, at most
  static constexpr std::size_t kMostCalls = 32;  // from the first one on

  // Stands at call `first` of rank `number`, in the order in which they were added: one of its last kMostCalls.
  CommonPast(const Histories& histories, std::size_t number, std::size_t first);
  void advance();  // to the rank's next call

  // By call of rank `other`: so many calls before it are those before the one that this stands at. The start of a rank
  // counts as a call. 0 for that one itself.
  std::span<const Count> before_calls_of(std::size_t other) const;

  // The most before any other call, of whatever rank, that is equal to the one that this stands at.
  Count most_before_equal_call() const;

 private:
  void step();  // counts what is common before `here_`
  std::size_t place() const { return histories_.begin_[number_] + here_; }
  const Count* row() const { return counts_.data() + shift_; }

  const Histories& histories_;
  std::size_t number_, here_;
  // The count before a call belongs to the same pair of sequences as the one before the call ahead of it did, one step
  // ago: so the row begins one further left with each step, and each count is changed where it lies.
  std::vector<Count> counts_;
  std::size_t shift_;
};

}  // namespace petri::diagnosis
