// Where a replaying rank stands in its scenario: a small shared file beside its record, that ties each scenario event
// to the recorded events that performing it made. Exact also where a call leaves no event (a wait for nothing) or two
// (a loop of polls and its success), and for events that are no calls.
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

// The rank's own, for writing. Does nothing where nothing is recorded.
class ReplayLog {
 public:
  // `recording` may be null: no recorder.
  ReplayLog(const char* recording, std::int32_t rank, std::size_t events);
  ~ReplayLog();
  ReplayLog(const ReplayLog&) = delete;
  ReplayLog& operator=(const ReplayLog&) = delete;

  // Event `index` begins now; the number of events stands for what follows the last one.
  void begin(std::size_t index);

 private:
  std::optional<record::RecordView> own_;
  std::atomic<std::uint64_t>* cells_ = nullptr;
  std::size_t size_ = 0;
};

// What was read from such a file: for each event that began, the number of events that were recorded before it.
// Empty for a file that is not there or is no such file.
std::vector<std::uint64_t> read_replay_log(const std::filesystem::path& recording, std::int32_t rank);

}  // namespace petri
