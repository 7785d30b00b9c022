// Text that is in a log twice: a log that was copied behind itself, a launcher's output beside the files of
// NCCL_DEBUG_FILE, a console that shows each line twice.
//
// What proves it: opCount, the number of launches on one communicator of one process, never goes back (ncclProxyStart
// and ncclLaunchFinish in NVIDIA/nccl only add to it), and a communicator is created once. The same line with the same
// number is no proof: calls that a CUDA graph captures are not numbered on before the graph runs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/import/nccl_log_part.hpp"

namespace petri {

// What a process creates once only: pointer, commId, ranks, rank, number and color of a split.
using CreationKey = std::tuple<std::uint64_t, std::optional<std::uint64_t>, std::int32_t, std::int32_t,
                               std::optional<std::int64_t>, std::optional<std::int64_t>>;
CreationKey creation_of(const CommLife& life);

// Of a call's text, so that the same call is known again: up to its stream, as launchers append to lines.
std::uint32_t print_of(std::string_view call);

// The calls of one communicator of one process, in order. 8 bytes each.
class CallHistory {
 public:
  void create_again() { at_ = 0; }

  // Is it one that is known? Then the one behind it comes next. `seen_twice`: so is other text of this process.
  bool knows(std::uint32_t op_count, std::uint32_t print, bool seen_twice);
  bool is_behind(std::uint32_t op_count) const { return calls_.empty() || op_count >= calls_.back().op_count; }

  void append(std::uint32_t op_count, std::uint32_t print);
  void insert(std::uint32_t op_count, std::uint32_t print);

 private:
  struct Call {
    std::uint32_t op_count, print;
  };
  std::vector<Call>::iterator first_of(std::uint32_t op_count);

  std::vector<Call> calls_;
  std::size_t at_ = 0;  // the call that comes next where text is repeated
};

// What is known of one process, whose lives have numbers of the caller's.
class ProcessHistory {
 public:
  // The life that was created like this one.
  std::optional<std::uint32_t> created(const CommLife& life) const;
  void create(const CommLife& life, std::uint32_t number) { creations_[creation_of(life)] = number; }
  void create_again(std::uint32_t life);
  void expect_repeats() { seen_twice_ = true; }

  // Is the call known? Then it is counted and left out.
  bool knows(std::uint32_t life, std::uint32_t op_count, std::uint32_t print);
  // Puts it into its place where that is of a call of which the process has a part of the line only.
  bool mends(LogProcess& process, std::uint32_t life, const Event& call, std::uint32_t op_count, std::uint32_t print);
  void append(std::uint32_t life, std::uint32_t op_count, std::uint32_t print);

  // Was what stood last there before? Then a line of which nothing can be told was, too.
  bool is_repeating() const { return is_repeating_; }
  bool knows_error(std::string_view text);

 private:
  std::map<CreationKey, std::uint32_t> creations_;
  std::unordered_map<std::uint32_t, CallHistory> calls_;  // by life
  std::unordered_set<std::size_t> errors_;                // hashes of their texts
  bool is_repeating_ = false, seen_twice_ = false;
};

}  // namespace petri
