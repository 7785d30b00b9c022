#include "harness/import/nccl_log_job.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "harness/import/nccl_log_piece.hpp"
#include "harness/trace/in_turns.hpp"

namespace petri {
namespace {

class Joiner {
 public:
  explicit Joiner(LogJob& job) : job_(job) {}

  void add(LogPart part, const std::string& name) {
    if (job_.version.empty()) job_.version = std::move(part.version);
    for (const auto& [text, times] : part.advice) job_.advice[text] += times;
    for (const auto& [op, times] : part.foreign_calls) job_.foreign_calls[op] += times;
    job_.unreadable += part.unreadable;
    std::uint64_t repeated = part.repeated;
    for (LogPiece& piece : pieces_of(std::move(part))) repeated += add(std::move(piece));
    if (repeated == 0) return;
    job_.repeated_calls += repeated;
    job_.repeating_files.push_back(name);
  }

  void finish() {
    for (LogPiece& piece : pieces_) {
      const auto offset = static_cast<std::int32_t>(job_.lives.size());
      for (CommLife& life : piece.lives) {
        life.process = static_cast<std::uint32_t>(job_.processes.size());
        if (life.parent >= 0) life.parent += offset;
        job_.lives.push_back(std::move(life));
      }
      LogProcess& process = job_.processes.emplace_back(std::move(piece.process));
      process.prints = {};
      for (auto& [pointer, life] : process.lives) life += static_cast<std::uint32_t>(offset);
      for (Event& event : process.events)
        if (event.op == Op::comm_init_rank)
          event.extras.set_new_comm(event.extras.new_comm() + offset);
        else if (event.comm != kNoComm)
          event.comm += offset;
    }
  }

 private:
  // Returns how many of its calls are known.
  std::uint64_t add(LogPiece piece) {
    std::vector<std::size_t>& same_name = by_name_[{piece.process.host, piece.process.pid}];
    const auto known = std::find_if(same_name.begin(), same_name.end(), [&](std::size_t number) {
      return relation(piece, pieces_[number]) == LogRelation::same;
    });
    if (known == same_name.end()) {
      same_name.push_back(pieces_.size());
      pieces_.push_back(std::move(piece));
      return 0;
    }
    if (stands_before(piece, pieces_[*known])) std::swap(piece, pieces_[*known]);
    return append(std::move(piece), pieces_[*known]);
  }

  LogJob& job_;
  std::vector<LogPiece> pieces_;
  std::map<std::pair<std::string, std::int32_t>, std::vector<std::size_t>> by_name_;
};

// Reads one file after the other, beside other threads.
class PartReader {
 public:
  PartReader(const std::vector<TraceFile>& files, std::size_t& next, Joiner& joiner)
      : files_(files), next_(next), joiner_(joiner) {}

  bool take() {
    if (next_ == files_.size()) return false;
    mine_ = next_++;
    return true;
  }
  void work() { part_ = read_log_part(files_[mine_]); }
  void deliver() { joiner_.add(std::move(part_), files_[mine_].name); }

 private:
  const std::vector<TraceFile>& files_;
  std::size_t& next_;
  Joiner& joiner_;
  std::size_t mine_ = 0;
  LogPart part_;
};

}  // namespace

LogJob read_log_job(const std::vector<TraceFile>& files) {
  LogJob job;
  Joiner joiner(job);
  std::size_t next = 0;
  work_in_turns(std::max(1U, std::thread::hardware_concurrency()), [&] { return PartReader(files, next, joiner); });
  joiner.finish();
  return job;
}

}  // namespace petri
