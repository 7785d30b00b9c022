// What is said of all that could not be read of NCCL logs, and of what they cannot show. Internal to harness/import.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/import/foreign.hpp"
#include "harness/import/nccl_log_job.hpp"
#include "harness/import/nccl_log_rows.hpp"

namespace petri {

class LogNotes {
 public:
  explicit LogNotes(ImportNotes& notes) : notes_(notes) {}

  void of_job(const LogJob& job);  // once, before all others
  // Calls whose lines were torn or lost, the ranks for which others tell what they were, those that are cut there.
  void of_torn(std::uint64_t calls, const std::vector<std::int32_t>& cut);
  void of_lost(std::uint64_t calls, const std::vector<std::int32_t>& ranks, const std::vector<std::int32_t>& cut);
  // An error before the rank's first call, where no event could tell it.
  void of_errors(std::int32_t rank, const std::string& text);
  // What a rank noticed of others; of the first few ranks that have such lines.
  void of_consequences(std::int32_t rank, const LogRow& row);
  // A creation that is not over, and the ranks that began it.
  void of_absent(const std::string& comm, const std::vector<std::int32_t>& began, std::size_t size);
  void of_late_logs();
  void of_unknown_members(const std::vector<std::string>& comms);

 private:
  void of_repeated(const LogJob& job);
  void of_advice(const LogJob& job);

  ImportNotes& notes_;
  std::size_t consequences_ = 0;
};

}  // namespace petri
