#include "harness/import/nccl_ras.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "harness/import/nccl_log_ranks.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/rank_ranges.hpp"

namespace petri {
namespace {

constexpr std::size_t kMostAhead = 16;  // calls beyond those of all that are told of one communicator
constexpr std::int32_t kRemoteError = 6, kInProgress = 7;

bool is_error(std::int32_t result) {
  return result != 0 && result != kInProgress;
}

std::string error_text(std::int32_t result) {
  constexpr std::string_view kTexts[] = {"unhandled CUDA error", "system error",  "internal error",
                                         "invalid argument",     "invalid usage", "remote process error"};
  const bool known = result >= 1 && result <= static_cast<std::int32_t>(std::size(kTexts));
  return known ? std::string(kTexts[result - 1]) : fmt::format("error {}", result);
}

std::optional<Op> op_of(const std::string& kind) {
  static const std::map<std::string, Op> ops{
      {"AllReduce", Op::allreduce}, {"AllGather", Op::allgather}, {"ReduceScatter", Op::reduce_scatter_block},
      {"Broadcast", Op::bcast},     {"Reduce", Op::reduce},       {"AlltoAll", Op::alltoall},
      {"AllToAll", Op::alltoall},   {"Gather", Op::gather},       {"Scatter", Op::scatter},
      {"collective", Op::barrier},
  };
  const auto found = ops.find(kind);
  return found == ops.end() ? std::nullopt : std::optional(found->second);
}

// The report's communicators as lives of a log's, so that ranks are found in the same way.
LogJob job_of(const RasReport& report) {
  LogJob job;
  std::map<std::tuple<std::string, std::int32_t, std::size_t, std::int32_t>, std::uint32_t> processes;
  std::set<std::uint64_t> numbers;
  for (std::size_t i = 0; i < report.comms.size(); ++i) {
    const RasComm& comm = report.comms[i];
    std::uint64_t number = std::max<std::uint64_t>(comm.number, 1);
    while (!numbers.insert(number).second) ++number;
    for (const RasRank& rank : comm.ranks) {
      const bool told = rank.pid >= 0 && rank.host != "unknown";
      const auto [found, is_new] = processes.try_emplace(
          told ? std::tuple(rank.host, rank.pid, std::size_t{0}, 0) : std::tuple(rank.host, -1, i + 1, rank.rank),
          static_cast<std::uint32_t>(job.processes.size()));
      if (is_new) {
        job.processes.emplace_back();
        job.processes.back().host = rank.host;
        job.processes.back().pid = rank.pid;
      }
      CommLife life;
      life.process = found->second;
      life.rank = rank.rank;
      life.nranks = comm.size;
      life.device = rank.device;
      life.id = number;
      life.started = life.complete = true;
      job.lives.push_back(life);
    }
  }
  return job;
}

class Making {
 public:
  Making(const RasReport& report, const std::string& source, ImportNotes& notes)
      : report_(report),
        notes_(notes),
        ranks_(ranks_of(job_of(report), source, notes)),
        scenario_(ranks_.world > 0 ? ranks_.world : std::max(1, report.gpus)) {}

  Scenario make() {
    scenario_.header.backend = "nccl";
    if (!report_.version.empty()) scenario_.header.environment.emplace_back("NCCL", report_.version);
    for (RankTrace& rank : scenario_.ranks) {
      rank.end.kind = ranks_.world > 0 ? EndKind::missing : EndKind::running;  // nothing is wrong with any
      rank.end.stated = true;
    }
    add_comms();
    std::size_t life = 0;
    for (const RasComm& comm : report_.comms) {
      add_calls(comm, life);
      life += comm.ranks.size();
    }
    end_dead();
    name_hosts();
    scenario_.cut = report_.cut;
    return std::move(scenario_);
  }

 private:
  void add_comms() {
    for (LogComm& comm : ranks_.comms) {
      std::int32_t index = 0;
      if (!comm.is_world) {
        Communicator made;
        made.name = comm.name;
        made.backend = "nccl";
        made.known = !comm.ranks.empty();
        made.ranks = comm.ranks;
        index = scenario_.add_comm(std::move(made));
      }
      comms_.push_back(index);
    }
  }

  std::int32_t rank_of(std::size_t life) const {
    return ranks_.actors[static_cast<std::size_t>(ranks_.actor_of_life[life])].rank;
  }

  void name_hosts() {
    std::vector<std::string> hosts(static_cast<std::size_t>(scenario_.world()));
    std::size_t life = 0;
    for (const RasComm& comm : report_.comms)
      for (const RasRank& rank : comm.ranks)
        if (const std::int32_t number = rank_of(life++); number >= 0)
          hosts[static_cast<std::size_t>(number)] = rank.host;
    if (std::none_of(hosts.begin(), hosts.end(), [](const std::string& host) { return host.empty(); }))
      scenario_.header.hosts = std::move(hosts);
  }

  Event& add(RankTrace& trace, Op op, std::int32_t comm, EventState state) {
    Event& event = trace.events.emplace_back();
    event.op = op;
    event.comm = comm;
    event.state = state;
    event.seq = static_cast<std::uint32_t>(trace.events.size() - 1);
    return event;
  }

  // A call that some ranks of a communicator have launched and not all: the n-th of its kind behind what all have.
  struct Ahead {
    Op op = Op::barrier;
    std::string kind;
    std::uint64_t number = 0;  // a rank has launched it whose count of the kind is larger
    std::size_t ranks = 0;
  };

  // Launched by all that gave data, and what is ahead of that, what most ranks have first.
  std::pair<std::uint64_t, std::vector<Ahead>> compare(const RasComm& comm) {
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> range;  // by kind: least and most
    for (const RasRank& rank : comm.ranks)
      if (!rank.missing)
        for (const auto& [kind, count] : rank.counts) {
          const auto [found, is_new] = range.try_emplace(kind, count, count);
          found->second = {std::min(found->second.first, count), std::max(found->second.second, count)};
        }
    std::uint64_t common = 0;
    std::vector<Ahead> ahead;
    for (const auto& [kind, least_and_most] : range) {
      const auto& [least, most] = least_and_most;
      const auto op = op_of(kind);
      if (!op) {
        if (most > 0) unknown_.insert(kind);
        continue;
      }
      unnamed_ = unnamed_ || (kind == "collective" && most > 0);
      common += std::min<std::uint64_t>(
          least, std::numeric_limits<std::int32_t>::max() / 2 -
                     std::min<std::uint64_t>(common, std::numeric_limits<std::int32_t>::max() / 2));
      clipped_ = clipped_ || most - least > kMostAhead;
      for (std::uint64_t number = least; number < most && number < least + kMostAhead; ++number) {
        const auto has = [&, &kind = kind](const RasRank& rank) {
          const auto count = rank.counts.find(kind);
          return !rank.missing && count != rank.counts.end() && count->second > number;
        };
        ahead.push_back(
            {*op, kind, number, static_cast<std::size_t>(std::count_if(comm.ranks.begin(), comm.ranks.end(), has))});
      }
    }
    std::stable_sort(ahead.begin(), ahead.end(), [](const Ahead& a, const Ahead& b) { return a.ranks > b.ranks; });
    return {common, std::move(ahead)};
  }

  void add_calls(const RasComm& comm, std::size_t first_life) {
    const auto [common, ahead] = compare(comm);
    say_who_leaves(comm, first_life);
    const bool creating = std::any_of(comm.ranks.begin(), comm.ranks.end(),
                                      [](const RasRank& rank) { return !rank.missing && rank.init_state != 0; });
    for (std::size_t i = 0; i < comm.ranks.size(); ++i) {
      const std::int32_t place = ranks_.comm_of_life[first_life + i], number = rank_of(first_life + i);
      if (place < 0 || number < 0) continue;
      const std::int32_t index = comms_[static_cast<std::size_t>(place)];
      const RasRank& rank = comm.ranks[i];
      RankTrace& trace = scenario_.ranks[static_cast<std::size_t>(number)];
      if (rank.silent) {
        (rank.dead ? dead_ : silent_).insert(number);
        if (rank.dead) add_past(trace, index, common);
        continue;
      }
      trace.end.kind = EndKind::running;
      if (rank.missing)
        notes_.warnings.push_back(
            fmt::format("rank {} responds, but does not have communicator {}: destroyed, aborted or not yet made there",
                        number, comm.hash));
      add_past(trace, index, common);
      if (creating && index != 0 && !rank.missing) add_creation(rank, index, trace);
      const std::size_t before = trace.events.size();
      for (const Ahead& call : ahead) {
        const auto count = rank.counts.find(call.kind);
        if (!rank.missing && count != rank.counts.end() && count->second > call.number)
          add(trace, call.op, index, EventState::scheduled);
      }
      add_error(rank, number, comm, trace, before);
    }
  }

  // One that others leave while it still runs there is where they will not meet.
  void say_who_leaves(const RasComm& comm, std::size_t first_life) {
    std::vector<std::int32_t> aborting, ending;
    std::size_t there = 0;
    for (std::size_t i = 0; i < comm.ranks.size(); ++i) {
      const RasRank& rank = comm.ranks[i];
      const std::int32_t number = rank_of(first_life + i);
      if (rank.missing || number < 0) continue;
      ++there;
      if (rank.aborted || rank.finalized) (rank.aborted ? aborting : ending).push_back(number);
    }
    for (auto* const leaving : {&aborting, &ending}) {
      if (leaving->empty() || leaving->size() == there) continue;
      std::sort(leaving->begin(), leaving->end());
      notes_.warnings.push_back(fmt::format("{} {}{} communicator {}, the others do not", ranks_in_words(*leaving),
                                            leaving == &aborting ? "abort" : "end", leaving->size() == 1 ? "s" : "",
                                            comm.hash));
    }
  }

  static void add_past(RankTrace& trace, std::int32_t comm, std::uint64_t calls) {
    trace.end.joined.emplace_back(comm, static_cast<std::int32_t>(calls));
    trace.end.dropped += calls;
  }

  // Behind all calls that are known of any of its communicators.
  void end_dead() {
    for (const std::int32_t rank : dead_) {
      silent_.erase(rank);
      RankTrace& trace = scenario_.ranks[static_cast<std::size_t>(rank)];
      add(trace, Op::abort, 0, EventState::started).extras.set_error("unreachable: NCCL's RAS considers it dead");
      trace.end.kind = EndKind::aborted;
    }
  }

  void add_creation(const RasRank& rank, std::int32_t index, RankTrace& trace) {
    Event& event =
        add(trace, Op::comm_init_rank, 0, rank.init_state == 0 ? EventState::completed : EventState::started);
    event.extras.set_new_comm(index);
    if (is_error(rank.init_state)) event.extras.set_error(error_text(rank.init_state));
  }

  // On the first call that is not over, or, as calls that are over are not told, on what the program does then.
  void add_error(const RasRank& rank, std::int32_t number, const RasComm& comm, RankTrace& trace, std::size_t before) {
    const std::int32_t result = is_error(rank.async_error) ? rank.async_error : rank.init_state;
    if (!is_error(result)) return;
    const std::string text = fmt::format("{} on communicator {}", error_text(result), comm.hash);
    if (result == kRemoteError) {
      notes_.warnings.push_back(fmt::format("rank {} noticed the end of others, which is no cause: {}", number, text));
      return;
    }
    Event& event =
        before < trace.events.size() ? trace.events[before] : add(trace, Op::compute, 0, EventState::completed);
    if (event.extras.error().empty()) event.extras.set_error(text);
  }

 public:
  void say() const {
    notes_.facts.push_back(
        "a report counts launched collectives: what all ranks of a communicator have launched is its past, the calls "
        "that "
        "only some have launched are listed; arguments, messages and the order of calls are not told");
    if (unnamed_) notes_.facts.push_back("the kind of the collectives is not told: they stand as barriers");
    if (clipped_)
      notes_.facts.push_back(fmt::format("of calls that some ranks are ahead, {} of each kind are listed", kMostAhead));
    if (!silent_.empty())
      notes_.warnings.push_back(fmt::format("no data of {}: {} unresponsive",
                                            ranks_in_words({silent_.begin(), silent_.end()}),
                                            silent_.size() == 1 ? "its process is" : "their processes are"));
    for (const std::string& kind : unknown_) notes_.facts.push_back(fmt::format("left out: counts of {}", kind));
  }

 private:
  const RasReport& report_;
  ImportNotes& notes_;
  LogRanks ranks_;
  Scenario scenario_;
  std::vector<std::int32_t> comms_;  // by place in ranks_.comms
  std::set<std::string> unknown_;
  std::set<std::int32_t> silent_, dead_;
  bool unnamed_ = false, clipped_ = false;
};

}  // namespace

std::uint64_t RasReport::calls() const {
  std::uint64_t all = 0;
  for (const RasComm& comm : comms)
    for (const RasRank& rank : comm.ranks)
      for (const auto& [kind, count] : rank.counts) all += count;
  return all;
}

Scenario read_ras_reports(const std::vector<TraceFile>& files, ImportNotes& notes) {
  std::vector<std::pair<std::string, RasReport>> reports;
  for (const TraceFile& file : files)
    reports.emplace_back(file.name, is_ras_json(file) ? read_ras_json(file) : read_ras_text(file));
  std::stable_sort(reports.begin(), reports.end(),
                   [](const auto& a, const auto& b) { return a.second.time < b.second.time; });
  auto& [source, latest] = reports.back();
  if (reports.size() > 1) {
    notes.facts.push_back(fmt::format("of {} reports the latest is read: {}", reports.size(), source));
    const bool moved = reports[reports.size() - 2].second.calls() != latest.calls();
    notes.facts.push_back(moved ? "the counts are not those of the report before: the job was going on"
                                : "the counts are those of the report before: no collective was launched in between");
  }
  for (std::string& fact : latest.facts) notes.facts.push_back(std::move(fact));
  for (std::string& warning : latest.warnings) notes.warnings.push_back(std::move(warning));
  if (latest.comms.empty() && latest.gpus == 0) throw InputError(source, 0, 0, "no communicator is in the report");
  Making making(latest, source, notes);
  Scenario scenario = making.make();
  making.say();
  scenario.header.job = files.front().leaf;
  return scenario;
}

}  // namespace petri
