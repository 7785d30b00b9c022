#include "harness/import/nccl_log_job.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <thread>
#include <utility>

#include "harness/trace/in_turns.hpp"

namespace petri {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

class Joiner {
 public:
  explicit Joiner(LogJob& job) : job_(job) {}

  void add(LogPart part, const std::string& name) {
    if (job_.version.empty()) job_.version = std::move(part.version);
    for (const auto& [text, times] : part.advice) job_.advice[text] += times;
    for (const auto& [op, times] : part.foreign_calls) job_.foreign_calls[op] += times;
    job_.unreadable += part.unreadable;
    std::vector<std::vector<std::uint32_t>> lives(part.processes.size());
    for (std::uint32_t life = 0; life < part.lives.size(); ++life) lives[part.lives[life].process].push_back(life);
    bool repeats = false;
    for (std::uint32_t process = 0; process < part.processes.size(); ++process)
      repeats = !add(part, process, lives[process]) || repeats;
    if (repeats) job_.repeated.push_back(name);
  }

 private:
  enum class Relation { same, other, repeated };

  static bool is_same_creation(const CommLife& a, const CommLife& b) {
    return a.pointer == b.pointer && a.nranks == b.nranks && a.id == b.id && a.split == b.split && a.color == b.color;
  }

  // What a part's process is to a known one of that name. Nobody creates a communicator twice, and nobody is two ranks
  // of one with one device.
  Relation relation(const LogPart& part, const std::vector<std::uint32_t>& lives, std::uint32_t process) const {
    for (const std::uint32_t number : lives) {
      const CommLife& life = part.lives[number];
      for (const std::uint32_t known_number : lives_of_[process]) {
        const CommLife& known = job_.lives[known_number];
        if (life.started && known.started && is_same_creation(life, known))
          return life.rank == known.rank ? Relation::repeated : Relation::other;
        const bool one_comm = life.id && life.id == known.id && life.nranks == known.nranks && !life.is_split;
        if (one_comm && life.device == known.device && life.rank != known.rank) return Relation::other;
      }
      const auto& latest = job_.processes[process].lives;
      const auto found = latest.find(life.pointer);
      if (life.started || life.calls == 0 || found == latest.end()) continue;
      const CommLife& known = job_.lives[found->second];
      if (known.calls > 0 && known.nranks == life.nranks && !known.destroyed && life.first_op <= known.first_op)
        return Relation::repeated;
    }
    return Relation::same;
  }

  // False where it repeats what is known.
  bool add(LogPart& part, std::uint32_t from, const std::vector<std::uint32_t>& lives) {
    LogProcess& process = part.processes[from];
    std::vector<std::uint32_t>& same_name = by_name_[{process.host, process.pid}];
    std::uint32_t into = kNone;
    for (const std::uint32_t known : same_name) {
      const Relation to_known = relation(part, lives, known);
      if (to_known == Relation::repeated) return false;
      if (to_known == Relation::same) into = known;
    }
    if (into == kNone) {
      into = static_cast<std::uint32_t>(job_.processes.size());
      job_.processes.emplace_back();
      job_.processes.back().host = process.host;
      job_.processes.back().pid = process.pid;
      lives_of_.emplace_back();
      same_name.push_back(into);
    }
    append(part, process, lives, into);
    return true;
  }

  void append(LogPart& part, LogProcess& process, const std::vector<std::uint32_t>& lives, std::uint32_t into) {
    LogProcess& known = job_.processes[into];
    std::map<std::int32_t, std::int32_t> place;
    for (const std::uint32_t number : lives) {
      CommLife& life = part.lives[number];
      life.process = into;
      if (life.parent >= 0) life.parent = place.at(life.parent);
      place[static_cast<std::int32_t>(number)] = static_cast<std::int32_t>(place_of(life, known, into));
    }
    for (Event& event : process.events) {
      if (event.op == Op::comm_init_rank)
        event.extras.set_new_comm(place.at(event.extras.new_comm()));
      else if (event.comm != kNoComm)
        event.comm = place.at(event.comm);
    }
    const auto offset = static_cast<std::uint32_t>(known.events.size());
    if (!process.times.empty()) {
      known.times.resize(offset, std::numeric_limits<double>::quiet_NaN());
      known.times.insert(known.times.end(), process.times.begin(), process.times.end());
    }
    for (TornCall& call : process.torn) call.at += offset, known.torn.push_back(call);
    for (auto* errors : {&process.errors, &process.consequences})
      for (LoggedError& error : *errors) error.before += offset;
    std::move(process.errors.begin(), process.errors.end(), std::back_inserter(known.errors));
    std::move(process.consequences.begin(), process.consequences.end(), std::back_inserter(known.consequences));
    if (offset == 0) {
      known.events = std::move(process.events);
      known.op_counts = std::move(process.op_counts);
      return;
    }
    std::move(process.events.begin(), process.events.end(), std::back_inserter(known.events));
    known.op_counts.insert(known.op_counts.end(), process.op_counts.begin(), process.op_counts.end());
  }

  // A life that goes on in another file, or a new one.
  std::uint32_t place_of(const CommLife& life, LogProcess& known, std::uint32_t process) {
    const auto found = known.lives.find(life.pointer);
    if (!life.started && found != known.lives.end()) {
      CommLife& same = job_.lives[found->second];
      same.destroyed = same.destroyed || life.destroyed;
      same.aborted = same.aborted || life.aborted;
      if (same.calls == 0) same.first_op = life.first_op;
      same.calls += life.calls;
      same.has_messages = same.has_messages || life.has_messages;
      same.last_op = life.last_op;
      return found->second;
    }
    const auto number = static_cast<std::uint32_t>(job_.lives.size());
    job_.lives.push_back(life);
    known.lives[life.pointer] = number;
    lives_of_[process].push_back(number);
    return number;
  }

  LogJob& job_;
  std::map<std::pair<std::string, std::int32_t>, std::vector<std::uint32_t>> by_name_;
  std::vector<std::vector<std::uint32_t>> lives_of_;  // by process
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
  return job;
}

}  // namespace petri
