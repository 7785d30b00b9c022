#include "harness/import/flight_recorder.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/import/flight_calls.hpp"
#include "harness/import/flight_dump.hpp"
#include "harness/import/flight_job.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/in_turns.hpp"

namespace petri {
namespace {

constexpr std::uint64_t kMostDumpBytes = std::uint64_t{1} << 32;

// Reads one file after the other; several of them share a job.
class Worker {
 public:
  Worker(const std::vector<TraceFile>& files, std::size_t& next, FlightJob& job)
      : files_(&files), next_(&next), job_(&job) {}

  bool take() {
    if (*next_ == files_->size()) return false;
    file_ = &(*files_)[(*next_)++];
    return true;
  }

  void work() {
    error_.reset();
    try {
      const std::string bytes = read_whole(*file_, kMostDumpBytes);
      dump_ =
          looks_like_flight_json(file_->head) ? reader_.json(file_->name, bytes) : reader_.pickle(file_->name, bytes);
    } catch (const InputError& error) {
      error_ = error;
      return;
    }
    const auto by_record = [](const FlightEntry& a, const FlightEntry& b) { return a.record_id < b.record_id; };
    std::stable_sort(dump_.entries.begin(), dump_.entries.end(), by_record);
    calls_ = calls_of(dump_);
    std::vector<FlightEntry>().swap(dump_.entries);
  }

  void deliver() {
    if (error_)
      job_->leave_out(*error_);
    else
      job_->add(*file_, std::move(dump_), std::move(calls_));
  }

 private:
  const std::vector<TraceFile>* files_;
  std::size_t* next_;
  FlightJob* job_;
  const TraceFile* file_ = nullptr;
  std::optional<InputError> error_;
  FlightReader reader_;
  FlightDump dump_;
  FlightCalls calls_;
};

}  // namespace

bool is_flight_dump(const TraceFile& file) {
  return looks_like_flight_pickle(file.head) || looks_like_flight_json(file.head);
}

Scenario read_flight_dumps(const std::vector<TraceFile>& files, ImportNotes& notes) {
  FlightJob job(notes);
  std::size_t next = 0;
  work_in_turns(std::max(1U, std::thread::hardware_concurrency()), [&] { return Worker(files, next, job); });
  return job.finish();
}

}  // namespace petri
