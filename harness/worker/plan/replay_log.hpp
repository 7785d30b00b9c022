// Where a replaying rank stands in its scenario: a small shared file beside its record, that ties each scenario event
// to the recorded events that performing it made, by how many there were before. Exact also where a call leaves no
// event (a wait for nothing) or two (a loop of polls and its success), and for events that are no calls.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "harness/trace/record_view.hpp"

namespace petri {

std::filesystem::path replay_log_file(const std::filesystem::path& recording, std::int32_t rank);

// The rank's own, for writing; its threads write at once. Does nothing where nothing is recorded.
class ReplayLog {
 public:
  // `recording` may be null: no recorder. Marks are numbered: the rank's events, then its threads for their ends.
  ReplayLog(const char* recording, std::int32_t rank, std::size_t marks);
  ~ReplayLog();
  ReplayLog(const ReplayLog&) = delete;
  ReplayLog& operator=(const ReplayLog&) = delete;

  // The event begins now; with `waits`, it first waits for what another thread of the rank has to do, and makes no
  // call.
  void begin(std::size_t mark, bool waits = false);

 private:
  std::optional<record::RecordView> own_;
  std::atomic<std::uint64_t>* cells_ = nullptr;
  std::size_t size_ = 0;
};

// One mark as it was read.
class ReplayMark {
 public:
  ReplayMark() = default;
  ReplayMark(std::uint64_t before, bool waits = false) : begun_(true), waits_(waits), before_(before) {}

  bool begun() const { return begun_; }
  bool waits() const { return waits_; }
  std::uint64_t before() const { return before_; }

 private:
  bool begun_ = false, waits_ = false;
  std::uint64_t before_ = 0;
};
using ReplayMarks = std::vector<ReplayMark>;

// Empty for a file that is not there or is no such file.
ReplayMarks read_replay_log(const std::filesystem::path& recording, std::int32_t rank);

}  // namespace petri
