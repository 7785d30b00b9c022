#include "harness/import/nccl_log_part.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "harness/import/nccl_log_call.hpp"
#include "harness/import/nccl_log_history.hpp"
#include "harness/import/nccl_log_line.hpp"
#include "harness/import/nccl_warning.hpp"
#include "harness/trace/error.hpp"

namespace petri {
namespace {

constexpr std::size_t kBlockBytes = 1 << 20;
constexpr std::size_t kMostAdvice = 64;    // different texts that are kept
constexpr std::size_t kMostForeign = 64;   // different names of operations that are kept
constexpr std::size_t kLongestText = 400;  // of a warning that is kept
constexpr std::size_t kMostProcesses = 1 << 20;
constexpr std::size_t kMostEvents = std::numeric_limits<std::uint32_t>::max() - 1;

class Reader {
 public:
  explicit Reader(const TraceFile& file) : file_(file) {}

  LogPart read() {
    const auto stream = file_.open();
    std::string block(file_.head.size() < kHeadBytes ? 2 * kHeadBytes : kBlockBytes, '\0');  // small for a small file
    std::size_t held = 0;
    for (;;) {
      const std::size_t count = stream->read(block.data() + held, block.size() - held);
      held += count;
      const std::string_view text(block.data(), held);
      const std::size_t last = text.rfind('\n');
      // What has no end within a block, as some progress bars do, is taken in pieces.
      const bool whole = count == 0 || (last == std::string_view::npos && held == block.size());
      const std::size_t taken = whole ? held : last == std::string_view::npos ? 0 : last + 1;
      take_lines(text.substr(0, taken));
      std::memmove(block.data(), block.data() + taken, held - taken);
      held -= taken;
      if (count == 0) return std::move(part_);
    }
  }

 private:
  // Only lines in which NCCL's name is are looked at.
  void take_lines(std::string_view text) {
    constexpr std::string_view kName = "NCCL ";
    while (!text.empty()) {
      const void* const found = memmem(text.data(), text.size(), kName.data(), kName.size());
      if (found == nullptr) return;
      const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
      const std::size_t newline = text.substr(0, at).rfind('\n');
      const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
      const std::size_t end = std::min(text.find('\n', at), text.size());
      take_line(text.substr(begin, end - begin));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  void take_line(std::string_view raw) {
    const std::string_view line = without_escapes(raw, room_);
    LogLine messages(line);
    bool any = false;
    for (auto message = messages.next(); message; message = messages.next()) {
      any = true;
      if (message->is_warning)
        take_warning(*message);
      else
        take_info(*message);
    }
    if (any) return;
    take_version(line);
    if (line.find("NCCL INFO") != std::string_view::npos && line.find(": opCount ") != std::string_view::npos)
      ++part_.unreadable;
  }

  void take_version(std::string_view line) {
    const std::size_t at = line.find("CCL version");
    if (!part_.version.empty() || at == std::string_view::npos || at == 0) return;
    std::string_view version = line.substr(at - 1, kLongestText);
    while (!version.empty() && (version.back() == '\r' || version.back() == ' ')) version.remove_suffix(1);
    part_.version = version;
  }

  void take_info(const LogMessage& message) {
    if (is_first_of_process(message.text)) return take_beginning(message);
    const LoggedCall call = read_call(message.text);
    switch (call.form) {
      case LoggedCall::whole: return take_call(message, call);
      case LoggedCall::torn: return take_torn(message, call);
      case LoggedCall::foreign: {
        if (histories_[process_of(message)].is_repeating()) return ++part_.repeated, void();
        const std::string name(message.text.substr(0, message.text.find(':')));
        if (part_.foreign_calls.size() < kMostForeign || part_.foreign_calls.count(name) != 0)
          ++part_.foreign_calls[name];
        if (is_one_sided(name)) note_messages(message, call);
        return;
      }
      case LoggedCall::none: break;
    }
    if (const auto comm = read_comm(message.text)) take_comm(message, *comm);
  }

  // The processes of a log are few, and lines of one often follow each other. Where another process's unfinished line
  // stands in front of a host's name, a call's process is known by its number, its communicator and the end of the
  // name.
  std::uint32_t process_of(const LogMessage& message, std::uint64_t comm = 0) {
    const auto is_it = [&](std::uint32_t number) {
      const LogProcess& one = part_.processes[number];
      return one.pid == message.pid && one.host == message.host;
    };
    if (latest_ < part_.processes.size() && is_it(latest_)) return latest_;
    std::vector<std::uint32_t>& same_pid = by_pid_[message.pid];
    for (const std::uint32_t number : same_pid)
      if (is_it(number)) return latest_ = number;
    for (const std::uint32_t number : same_pid)
      if (message.host.ends_with(part_.processes[number].host) && part_.processes[number].lives.count(comm) != 0)
        return latest_ = number;
    if (part_.processes.size() >= kMostProcesses)
      throw InputError(file_.name, 0, 0, "more processes than a job can have ranks");
    latest_ = static_cast<std::uint32_t>(part_.processes.size());
    add_process(std::string(message.host), message.pid);
    same_pid.push_back(latest_);
    return latest_;
  }

  void add_process(std::string host, std::int32_t pid) {
    part_.processes.emplace_back();
    part_.processes.back().host = std::move(host);
    part_.processes.back().pid = pid;
    histories_.emplace_back();
  }

  // A process looks for its driver, or for its network in releases before 2.14, before its first communicator and only
  // then. Where one of that name has communicators already, this is a copy of its log or another one with its number,
  // as in containers: which of them, the next communicator tells.
  static bool is_first_of_process(std::string_view text) {
    return text.starts_with("cudaDriverVersion ") || text.starts_with("Bootstrap : Using ");
  }

  void take_beginning(const LogMessage& message) {
    const std::uint32_t number = process_of(message);
    if (part_.processes[number].lives.empty())
      part_.processes[number].begins = true;
    else
      begun_again_.insert(number);
  }

  // The process of a communicator that was not there before.
  std::uint32_t creator(std::uint32_t number) {
    if (begun_again_.erase(number) == 0) return number;
    const auto next = static_cast<std::uint32_t>(part_.processes.size());
    add_process(part_.processes[number].host, part_.processes[number].pid);
    part_.processes[next].begins = true;
    std::vector<std::uint32_t>& same_pid = by_pid_[part_.processes[number].pid];
    std::replace(same_pid.begin(), same_pid.end(), number, next);
    return latest_ = next;
  }

  std::uint32_t begin_life(std::uint32_t process, std::uint64_t pointer) {
    const auto number = static_cast<std::uint32_t>(part_.lives.size());
    part_.lives.emplace_back();
    part_.lives.back().process = process;
    part_.lives.back().pointer = pointer;
    part_.processes[process].lives[pointer] = number;
    return number;
  }

  void add(LogProcess& process, const LogMessage& message, Event event, std::uint64_t op_count,
           std::uint32_t print = 0) {
    if (process.events.size() >= kMostEvents) throw InputError(file_.name, 0, 0, "more calls than a rank can have");
    event.state = EventState::scheduled;
    process.events.push_back(std::move(event));
    process.op_counts.push_back(static_cast<std::uint32_t>(op_count));
    process.prints.push_back(print);
    if (!std::isnan(message.time)) {
      process.times.resize(process.events.size() - 1, std::numeric_limits<double>::quiet_NaN());
      process.times.push_back(message.time);
    }
  }

  // A pointer stands for another communicator than before where the number of ranks differs, or where the one before
  // was seen to go.
  std::uint32_t life_of(std::uint32_t process, const LogMessage& message, const LoggedCall& call) {
    const auto& lives = part_.processes[process].lives;
    const auto found = lives.find(call.comm);
    if (found != lives.end()) {
      const CommLife& known = part_.lives[found->second];
      const bool gone = known.destroyed || known.aborted || (known.nranks >= 0 && known.nranks != call.nranks);
      const bool again = !known.started && !known.complete && known.calls > 0 && *call.op_count < known.last_op;
      if (!gone && !again) return found->second;
    }
    const std::uint32_t number = begin_life(process, call.comm);
    CommLife& life = part_.lives[number];
    life.nranks = call.nranks;
    life.device = message.device;
    return number;
  }

  static Event event_of(const LoggedCall& call) {
    Event event;
    event.op = *call.op;
    event.state = EventState::scheduled;
    event.count = call.count;
    event.dtype = nccl_datatype(call.datatype);
    if (reduces(*call.op)) event.reduce = nccl_reduction(call.reduction);
    const bool names_a_rank = call.root >= 0 && call.root < call.nranks;
    if (is_rooted(*call.op) && names_a_rank) event.root = call.root;
    if (is_message(*call.op)) event.peer = names_a_rank ? call.root : kUnset;
    return event;
  }

  // The names that NCCL 2.29 has for them.
  static bool is_one_sided(std::string_view name) {
    return name == "PutSignal" || name == "Signal" || name == "WaitSignal";
  }

  static bool is_message(Op op) { return kind_of(op) == OpKind::send || kind_of(op) == OpKind::recv; }

  void take_call(const LogMessage& message, const LoggedCall& call) {
    const std::uint32_t number = process_of(message, call.comm);
    LogProcess& process = part_.processes[number];
    ProcessHistory& history = histories_[number];
    const auto op_count = static_cast<std::uint32_t>(*call.op_count);
    const std::uint32_t print = print_of(message.text);
    Event event = event_of(call);
    const auto found = process.lives.find(call.comm);
    if (found != process.lives.end()) {
      if (history.knows(found->second, op_count, print)) return ++part_.repeated, void();
      if (history.mends(process, found->second, event, op_count, print))
        return ++part_.repeated, part_.lives[found->second].count(*call.op_count);
    }
    const std::uint32_t life_number = life_of(number, message, call);
    history.append(life_number, op_count, print);
    CommLife& life = part_.lives[life_number];
    if (life.rank < 0) life.rank = call.rank;
    life.count(*call.op_count);
    life.has_messages = life.has_messages || is_message(*call.op);
    event.comm = static_cast<std::int32_t>(life_number);
    add(process, message, std::move(event), *call.op_count, print);
  }

  // Calls of some ranks, which are numbered, too.
  void note_messages(const LogMessage& message, const LoggedCall& call) {
    const LogProcess& process = part_.processes[process_of(message, call.comm)];
    if (const auto found = process.lives.find(call.comm); found != process.lives.end())
      part_.lives[found->second].has_messages = true;
  }

  void take_torn(const LogMessage& message, const LoggedCall& call) {
    const std::uint32_t number = process_of(message);
    if (histories_[number].is_repeating()) return ++part_.repeated, void();
    LogProcess& process = part_.processes[number];
    process.torn.push_back({static_cast<std::uint32_t>(process.events.size()), message.device, call.op, call.op_count});
    Event event;
    event.op = call.op.value_or(Op::barrier);
    event.comm = kNoComm;
    add(process, message, std::move(event), call.op_count.value_or(0));
  }

  void take_comm(const LogMessage& message, const LoggedComm& comm) {
    const std::uint32_t number = process_of(message);
    const auto found = part_.processes[number].lives.find(comm.comm);
    const bool known = found != part_.processes[number].lives.end();
    const bool ends = comm.stage == LoggedComm::destroyed || comm.stage == LoggedComm::aborted;
    if (ends) {
      if (!known) return;  // it has no calls
      CommLife& life = part_.lives[found->second];
      (comm.stage == LoggedComm::destroyed ? life.destroyed : life.aborted) = true;
      fill_in(life, number, comm);
      return;
    }
    if (comm.stage == LoggedComm::complete && known && part_.lives[found->second].started &&
        !part_.lives[found->second].complete) {
      CommLife& life = part_.lives[found->second];
      fill_in(life, number, comm);
      life.complete = true;
      return histories_[number].create(life, found->second);
    }
    if (const auto life = created_before(number, comm)) {
      histories_[number].create_again(*life);
      part_.processes[number].lives[comm.comm] = *life;
      begun_again_.erase(number);
      return;
    }
    create(message, comm, creator(number));
  }

  // The life whose creation is written again. A pointer and a rank may come again without a copy of the log where the
  // communicator is not known by a number of its own, but only after its end.
  std::optional<std::uint32_t> created_before(std::uint32_t process, const LoggedComm& comm) const {
    CommLife written;
    written.pointer = comm.comm;
    written.id = comm.id;
    written.nranks = comm.nranks;
    written.rank = comm.rank;
    written.split = comm.split;
    written.color = comm.color;
    const auto known = histories_[process].created(written);
    if (!known) return std::nullopt;
    const bool is_unique = comm.id && *comm.id != 0 && (!comm.parent || comm.split);
    const bool is_over = part_.lives[*known].destroyed || part_.lives[*known].aborted;
    return is_unique || !is_over ? known : std::nullopt;
  }

  void create(const LogMessage& message, const LoggedComm& comm, std::uint32_t process) {
    const std::uint32_t number = begin_life(process, comm.comm);
    CommLife& life = part_.lives[number];
    fill_in(life, process, comm);
    life.started = true;
    life.complete = comm.stage == LoggedComm::complete;
    histories_[process].create(life, number);
    Event event;
    event.op = Op::comm_init_rank;
    event.extras.set_new_comm(static_cast<std::int32_t>(number));
    add(part_.processes[process], message, std::move(event), 0);
  }

  void fill_in(CommLife& life, std::uint32_t process, const LoggedComm& comm) {
    life.rank = comm.rank;
    life.nranks = comm.nranks;
    if (comm.device >= 0) life.device = comm.device;
    if (comm.id) life.id = comm.id;
    if (comm.split) life.split = comm.split;
    if (comm.color) life.color = comm.color;
    if (!comm.parent) return;
    life.is_split = true;
    const auto& lives = part_.processes[process].lives;
    const auto parent = lives.find(*comm.parent);
    const auto itself = static_cast<std::uint32_t>(&life - part_.lives.data());
    if (parent != lives.end() && parent->second < itself) life.parent = static_cast<std::int32_t>(parent->second);
  }

  void take_warning(const LogMessage& message) {
    const WarningKind kind = kind_of_warning(message.text, message.place);
    std::string text(message.text.substr(0, kLongestText));
    if (kind == WarningKind::advice) {
      if (part_.advice.size() < kMostAdvice || part_.advice.count(text) != 0) ++part_.advice[text];
      return;
    }
    const std::uint32_t number = process_of(message);
    LogProcess& process = part_.processes[number];
    if (histories_[number].knows_error(text)) return;
    auto& kept = kind == WarningKind::error ? process.errors : process.consequences;
    const auto before = static_cast<std::uint32_t>(process.events.size());
    if (!kept.empty() && kept.back().before == before && kept.back().device == message.device) return;
    kept.push_back({before, message.device, std::move(text)});
  }

  const TraceFile& file_;
  LogPart part_;
  std::string room_;
  std::uint32_t latest_ = 0;
  std::unordered_map<std::int32_t, std::vector<std::uint32_t>> by_pid_;
  std::vector<ProcessHistory> histories_;          // by process
  std::unordered_set<std::uint32_t> begun_again_;  // processes: as take_beginning() says
};

}  // namespace

LogPart read_log_part(const TraceFile& file) {
  return Reader(file).read();
}

}  // namespace petri
