#include "harness/import/flight_recorder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "harness/import/flight_dump.hpp"
#include "harness/import/flight_groups.hpp"
#include "harness/import/flight_messages.hpp"
#include "harness/import/flight_progress.hpp"
#include "harness/import/flight_ranks.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/in_turns.hpp"
#include "harness/trace/rank_ranges.hpp"

namespace petri {
namespace {

constexpr std::size_t kMostNamed = 200;  // characters of a list of ranks in a message
constexpr std::uint64_t kMostDumpBytes = std::uint64_t{1} << 32;

// What all dumps say, gathered one after the other in the order of the files.
class Job {
 public:
  explicit Job(ImportNotes& notes) : notes_(notes) {}

  void add(const TraceFile& file, FlightDump&& dump, FlightCalls&& calls) {
    FlightRecord record;
    record.calls = std::move(calls);
    const std::vector<std::int32_t> groups = groups_of(dump, record.calls);
    if (!record.calls.taken.empty()) launches_counted_ = true;
    if (record.calls.lost > 0) any_lost_ = true;
    std::vector<std::uint32_t> symbols(dump.texts.size(), kNoSymbol);
    for (Event& event : record.calls.events) {
      event.comm = groups[static_cast<std::size_t>(event.comm)];
      if (event.site == kNoSymbol) continue;
      std::uint32_t& symbol = symbols[event.site];
      if (symbol == kNoSymbol) symbol = symbols_.intern(dump.text(event.site));
      event.site = symbol;
    }
    note_progress(record);
    const auto& backends = record.calls.backends;
    if (std::find(backends.begin(), backends.end(), "gloo") != backends.end()) any_gloo_ = true;
    for (const std::int32_t place : record.calls.left_over)
      record.message_groups.insert(groups[static_cast<std::size_t>(place)]);
    for (const auto& [place, number] : record.calls.last_message)
      record.last_message[groups[static_cast<std::size_t>(place)]] = number;
    take_status(dump, groups, record);
    files_.push_back({file.name, file.leaf, members_common_to(dump)});
    record.cut = dump.cut;
    if (dump.cut) cut_.push_back(file.name);
    for (const std::string& refused : dump.refused_lists)
      if (refused_lists_++ == 0) first_refused_ = fmt::format("{}: {}", file.name, refused);
    versions_.insert(dump.version);
    libraries_.insert(dump.comm_lib_version);
    unknown_.insert(record.calls.unknown.begin(), record.calls.unknown.end());
    foreign_.insert(record.calls.foreign.begin(), record.calls.foreign.end());
    opaque_ += record.calls.opaque;
    records_.push_back(std::move(record));
  }

  // A dump that is broken is as good as none: the others may tell all the same.
  void leave_out(const InputError& error) {
    if (!first_error_) first_error_ = error;
    notes_.warnings.push_back(fmt::format("{} (left out)", error.what()));
  }

  Scenario finish() {
    if (records_.empty()) throw InputError(*first_error_);
    name_ranks();
    std::int32_t world = 0;
    for (const FlightRecord& record : records_) world = std::max(world, record.rank + 1);
    for (std::size_t group = 0; group < groups_.size(); ++group)
      for (const std::int32_t rank : groups_.ranks_of(static_cast<std::int32_t>(group)))
        world = std::max(world, rank + 1);
    if (launches_counted_ && !any_lost_) discount_launches();
    if (launches_counted_)
      for (FlightRecord& record : records_) record.last_message.clear();
    resolve_groups();
    infer_members(world);
    for (FlightRecord& record : records_) leave_out_strays(record);
    std::vector<bool> used(groups_.size(), false);
    for (const FlightRecord& record : records_)
      for (const auto& [group, progress] : record.groups) used[static_cast<std::size_t>(group)] = true;
    groups_.add_kin(used);
    const std::vector<FlightStanding> standings = settle(records_, used);
    Scenario scenario(world);
    fill(scenario, used, standings);
    say_notes(scenario, standings);
    return scenario;
  }

 private:
  void name_ranks() {
    const FlightRanks found = ranks_of_files(files_);
    notes_.warnings.insert(notes_.warnings.end(), found.doubts.begin(), found.doubts.end());
    for (std::size_t i = 0; i < records_.size(); ++i) records_[i].rank = found.ranks[i];
    std::erase_if(records_, [](const FlightRecord& record) { return record.rank < 0; });
  }

  // By place in the dump, the number of the group; the last one is for entries without a group.
  std::vector<std::int32_t> groups_of(const FlightDump& dump, const FlightCalls& calls) {
    std::vector<std::int32_t> groups;
    for (const FlightGroup& group : dump.groups)
      groups.push_back(groups_.number_of(dump.text(group.name), dump.text(group.description), dump.ranks_of(group)));
    const bool any_without = std::any_of(calls.events.begin(), calls.events.end(), [&](const Event& event) {
      return static_cast<std::size_t>(event.comm) == dump.groups.size();
    });
    groups.push_back(any_without ? groups_.number_of("", "", {}) : 0);
    for (std::size_t place = 0; place < calls.backends.size(); ++place)
      if (!calls.backends[place].empty()) groups_.set_backend(groups[place], calls.backends[place]);
    return groups;
  }

  static std::vector<std::int32_t> members_common_to(const FlightDump& dump) {
    std::vector<std::int32_t> common;
    bool any = false;
    for (const FlightGroup& group : dump.groups) {
      std::vector<std::int32_t> ranks = dump.ranks_of(group);
      // Gloo's recorder names no group, and lists ranks of the group.
      if (ranks.empty() || !group.configured || dump.text(group.name).empty()) continue;
      std::sort(ranks.begin(), ranks.end());
      if (!std::exchange(any, true)) {
        common = std::move(ranks);
        continue;
      }
      std::vector<std::int32_t> both;
      std::set_intersection(common.begin(), common.end(), ranks.begin(), ranks.end(), std::back_inserter(both));
      if (!both.empty()) common = std::move(both);
    }
    return common;
  }

  // pg_status has local ids. Entries join them to groups; where none does, ids and names are joined in their order, if
  // there are as many of both.
  static void take_status(const FlightDump& dump, const std::vector<std::int32_t>& groups, FlightRecord& record) {
    std::vector<std::uint32_t> configured;
    for (std::uint32_t place = 0; place < dump.groups.size(); ++place)
      if (dump.groups[place].configured) configured.push_back(place);
    std::sort(configured.begin(), configured.end(), [&](std::uint32_t a, std::uint32_t b) {
      const std::string &one = dump.text(dump.groups[a].name), &other = dump.text(dump.groups[b].name);
      return std::pair(one.size(), one) < std::pair(other.size(), other);
    });
    const bool in_order = configured.size() == dump.status.size();
    for (std::size_t i = 0; i < dump.status.size(); ++i) {
      const auto& [id, status] = dump.status[i];
      const auto found = record.calls.local_ids.find(id);
      if (found == record.calls.local_ids.end() && !in_order) continue;
      const std::uint32_t place = found != record.calls.local_ids.end() ? found->second : configured[i];
      record.status[groups[place]] = {status.last_enqueued, status.last_completed};
    }
  }

  // Groups whose members one dump does not say are those that other dumps tell of.
  void resolve_groups() {
    for (FlightRecord& record : records_) {
      bool changed = false;
      for (Event& event : record.calls.events) {
        const std::int32_t resolved = groups_.resolved(event.comm, record.rank);
        changed = changed || resolved != event.comm;
        event.comm = resolved;
      }
      if (!changed) continue;
      record.groups.clear();
      note_progress(record);
    }
  }

  // Numbers that launches of messages took are none of collectives, and other members did not make these launches.
  void discount_launches() {
    for (FlightRecord& record : records_) {
      FlightCalls& calls = record.calls;
      for (std::size_t i = 0; i < calls.taken.size(); ++i)
        if (calls.positions[i] != kNoPosition) calls.positions[i] -= calls.taken[i];
      record.groups.clear();
      note_progress(record);
    }
  }

  // Calls on groups of which the rank, or the partner of a message, is no member.
  void leave_out_strays(FlightRecord& record) {
    FlightCalls& calls = record.calls;
    std::size_t kept = 0;
    std::set<std::uint32_t> gone;  // requests
    for (std::size_t i = 0; i < calls.events.size(); ++i) {
      Event& event = calls.events[i];
      if (kind_of(event.op) == OpKind::wait && !gone.empty()) keep_requests(event, gone);
      if (is_stray(event, record.rank)) {
        if (strays_++ == 0)
          first_stray_ = fmt::format("rank {} on group {:.40}", record.rank, groups_.name_of(event.comm));
        gone.insert(event.request);
        continue;
      }
      if (kind_of(event.op) == OpKind::wait && event.extras.requests().empty()) continue;
      calls.positions[kept] = calls.positions[i];
      calls.times[kept] = calls.times[i];
      if (kept != i) calls.events[kept] = std::move(event);
      ++kept;
    }
    if (kept == calls.events.size()) return;
    calls.events.resize(kept);
    calls.positions.resize(kept);
    calls.times.resize(kept);
    record.groups.clear();
    note_progress(record);
  }

  bool is_stray(const Event& event, std::int32_t rank) const {
    const auto& members = groups_.ranks_of(event.comm);
    if (members.empty() || kind_of(event.op) == OpKind::wait) return false;
    return std::find(members.begin(), members.end(), rank) == members.end() ||
           (event.peer >= 0 && static_cast<std::size_t>(event.peer) >= members.size());
  }

  void infer_members(std::int32_t world) {
    std::vector<std::vector<std::int32_t>> users(groups_.size());
    for (const FlightRecord& record : records_)
      for (const auto& [group, progress] : record.groups) {
        users[static_cast<std::size_t>(group)].push_back(record.rank);
        if (groups_.ranks_of(group).empty()) inferred_ = true;
      }
    groups_.infer_members(world, users);
  }

  void fill(Scenario& scenario, const std::vector<bool>& used, const std::vector<FlightStanding>& standings) {
    const std::vector<std::int32_t> comms = groups_.add_to(scenario, used);
    scenario.symbols = std::move(symbols_);
    scenario.header.job = "flight-recorder";
    scenario.header.backend = backend_of(scenario);
    for (const auto& [key, values] : {std::pair{"flight_recorder", &versions_}, {"comm_lib", &libraries_}})
      for (const std::string& value : *values)
        if (!value.empty()) scenario.header.environment.emplace_back(key, value);
    start_ = std::numeric_limits<double>::infinity();
    for (const FlightRecord& record : records_)
      for (const double time : record.calls.times)
        if (time < start_) start_ = time;
    std::vector<bool> recorded(scenario.ranks.size(), false);
    partial_ =
        records_.size() < scenario.ranks.size() ||
        std::any_of(records_.begin(), records_.end(), [](const auto& record) { return record.calls.lost > 0; }) ||
        std::any_of(standings.begin(), standings.end(), [](const auto& one) { return one.stale; });
    const std::vector<std::vector<bool>> left_out = messages_left_out(records_, groups_);
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const auto slot = static_cast<std::size_t>(records_[i].rank);
      recorded[slot] = true;
      fill_rank(scenario, comms, standings[i], left_out[i], records_[i]);
    }
    for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank) {
      RankEnd& end = scenario.ranks[rank].end;
      end.stated = true;
      if (recorded[rank]) continue;
      end.kind = EndKind::missing;
      join(scenario, static_cast<std::int32_t>(rank), comms, standings.back(), end);
    }
  }

  static std::string backend_of(const Scenario& scenario) {
    std::set<std::string> backends;
    for (std::size_t comm = 1; comm < scenario.comms.size(); ++comm)
      if (!scenario.comms[comm].backend.empty()) backends.insert(scenario.comms[comm].backend);
    return backends.size() == 1 && *backends.begin() == "nccl" ? "nccl" : "";
  }

  static void keep_requests(Event& wait, const std::set<std::uint32_t>& gone) {
    std::vector<std::uint32_t> kept;
    for (const std::uint32_t request : wait.extras.requests())
      if (!gone.contains(request)) kept.push_back(request);
    wait.extras.set_requests(kept);
  }

  void fill_rank(Scenario& scenario, const std::vector<std::int32_t>& comms, const FlightStanding& standing,
                 const std::vector<bool>& left_out, FlightRecord& record) {
    RankTrace& trace = scenario.ranks[static_cast<std::size_t>(record.rank)];
    FlightCalls calls = std::move(record.calls);
    std::map<std::int32_t, std::int32_t> next = standing.joined;  // by group: the position of its next collective
    trace.events.reserve(calls.events.size());
    std::set<std::uint32_t> gone;  // requests of messages that are left out
    for (std::size_t i = 0; i < calls.events.size(); ++i) {
      Event& event = calls.events[i];
      const bool message = calls.positions[i] == kNoPosition;
      if (partial_ && left_out[i]) {
        gone.insert(event.request);
        continue;
      }
      if (kind_of(event.op) == OpKind::wait && !gone.empty()) keep_requests(event, gone);
      if (standing.place_lost && event.state == EventState::started && kind_of(event.op) == OpKind::wait)
        event.state = EventState::scheduled;  // what was enqueued before it may not be over
      if (!message) {
        std::int32_t& expected = next[event.comm];
        const std::int32_t position = std::max(0, calls.positions[i] - kFirstFlightNumber);
        if (position != expected) event.extras.set_coll_seq(position);
        expected = position + 1;
      }
      event.comm = kind_of(event.op) == OpKind::wait ? 0 : comms[static_cast<std::size_t>(event.comm)];
      event.seq = static_cast<std::uint32_t>(trace.events.size());
      if (!std::isnan(calls.times[i])) trace.set_time(trace.events.size(), calls.times[i] - start_);
      trace.events.push_back(std::move(event));
    }
    trace.end.kind = standing.stale || record.cut ? EndKind::cut : EndKind::running;
    trace.end.dropped = calls.lost;
    if (!standing.place_lost)
      join(scenario, record.rank, comms, standing, trace.end);
    else
      trace.end.dropped = std::max<std::uint64_t>(trace.end.dropped, 1);
  }

  // How many positions came before a record's first call: of groups of which the rank is a member.
  void join(const Scenario& scenario, std::int32_t rank, const std::vector<std::int32_t>& comms,
            const FlightStanding& standing, RankEnd& end) const {
    for (const auto& [group, position] : standing.joined) {
      const std::int32_t comm = comms[static_cast<std::size_t>(group)];
      if (comm == kNoComm) continue;
      const auto& members = scenario.comms[static_cast<std::size_t>(comm)].ranks;
      if (members.empty() || std::find(members.begin(), members.end(), rank) != members.end())
        end.joined.emplace_back(comm, position);
    }
  }

  void say_notes(const Scenario& scenario, const std::vector<FlightStanding>& standings) {
    notes_.facts.push_back(
        "not recorded: the reduction operation, the root, the stream, tags, how an all-to-all divides its elements");
    notes_.facts.push_back("taken for granted: a rank waits in its oldest call that is not over");
    if (partial_) notes_.facts.push_back("messages that are over are left out: the other side of some is not recorded");
    if (opaque_ > 0)
      notes_.facts.push_back(fmt::format("{} without recorded members {} taken for all-gathers",
                                         counted(opaque_, "coalesced launch"), opaque_ == 1 ? "is" : "are"));
    if (inferred_)
      notes_.facts.push_back(
          "not recorded: the members of some groups; those that made calls in them are taken for all");
    if (!unknown_.empty())
      notes_.warnings.push_back(fmt::format("left out, as the operation is not known: {}", fmt::join(unknown_, ", ")));
    if (!foreign_.empty())
      notes_.warnings.push_back(fmt::format("collectives that are not known, taken for barriers of their groups: {}",
                                            fmt::join(foreign_, ", ")));
    if (any_gloo_)
      notes_.warnings.push_back(
          "Gloo's recorder keeps no messages: a rank that is in no recorded call may wait for one");
    say_versions();
    if (launches_counted_ && any_lost_)
      notes_.warnings.push_back(
          "this version of PyTorch numbers launches of messages as collectives, and the rings lost the first calls: "
          "collectives of a group whose ranks make such launches may be aligned wrongly "
          "(a larger TORCH_NCCL_TRACE_BUFFER_SIZE would decide)");
    if (strays_ > 0)
      notes_.warnings.push_back(fmt::format(
          "{} on groups of which the rank or its partner is no member {} left out: {}{}", counted(strays_, "call"),
          strays_ == 1 ? "is" : "are", first_stray_, strays_ == 1 ? "" : " and others"));
    if (refused_lists_ > 0)
      notes_.warnings.push_back(
          fmt::format("{}: its list of ranks is left out{}", first_refused_,
                      refused_lists_ == 1 ? "" : fmt::format(", as {} more in the dumps", refused_lists_ - 1)));
    if (!cut_.empty())
      notes_.warnings.push_back(fmt::format("broken off, used as far as they go: {}", fmt::join(cut_, ", ")));
    say_ranks(scenario, standings);
  }

  void say_versions() {
    std::vector<std::string> named;
    for (const std::string& version : versions_)
      named.push_back(version.empty() ? "none stated" : fmt::format("{:.20}", version));
    for (const std::string& version : versions_)
      if (version.empty())
        notes_.warnings.push_back("dumps that do not state a version of the format are read like 2.10");
      else if (!version.starts_with("2."))
        notes_.warnings.push_back(fmt::format("version {:.20} of the format is read like 2.10", version));
    if (named.size() > 1)
      notes_.warnings.push_back(fmt::format("the dumps are of several versions: {}", fmt::join(named, ", ")));
  }

  void say_ranks(const Scenario& scenario, const std::vector<FlightStanding>& standings) {
    std::vector<std::int32_t> missing, lost;
    for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank)
      if (scenario.ranks[rank].end.kind == EndKind::missing) missing.push_back(static_cast<std::int32_t>(rank));
    for (std::size_t i = 0; i < records_.size(); ++i)
      if (standings[i].place_lost) lost.push_back(records_[i].rank);
    std::sort(lost.begin(), lost.end());
    const auto ranks = [](const std::vector<std::int32_t>& some) {
      const std::string all = rank_ranges(some);
      const std::size_t end = all.size() <= kMostNamed ? std::string::npos : all.rfind(',', kMostNamed);
      return fmt::format(
          "{} {}{}",
          end == std::string::npos ? (some.size() == 1 ? "rank" : "ranks") : fmt::format("{} ranks:", some.size()),
          all.substr(0, end), end == std::string::npos ? "" : ", …");
    };
    if (!missing.empty()) notes_.warnings.push_back(fmt::format("no dump of {}", ranks(missing)));
    if (!lost.empty())
      notes_.warnings.push_back(
          fmt::format("the ring of {} lost calls that were not over: a larger one would show them "
                      "(TORCH_NCCL_TRACE_BUFFER_SIZE)",
                      ranks(lost)));
  }

  ImportNotes& notes_;
  FlightGroups groups_;
  SymbolTable symbols_;
  std::vector<FlightRecord> records_;
  std::vector<FlightFile> files_;
  std::optional<InputError> first_error_;
  std::vector<std::string> cut_;
  std::size_t refused_lists_ = 0;  // of members of groups, in all dumps
  std::string first_refused_;
  bool launches_counted_ = false;  // launches of messages have numbers of collectives
  bool any_lost_ = false;          // a ring lost the first calls
  bool any_gloo_ = false;
  std::size_t strays_ = 0;  // calls on groups whose members do not make them
  std::string first_stray_;
  std::set<std::string> versions_, libraries_, unknown_, foreign_;
  std::uint64_t opaque_ = 0;
  double start_ = 0;       // the earliest time that any dump states
  bool inferred_ = false;  // members of some groups are not recorded
  bool partial_ = false;   // not all of every rank's calls are there
};

// Reads one file after the other; several of them share a job.
class Worker {
 public:
  Worker(const std::vector<TraceFile>& files, std::size_t& next, Job& job) : files_(&files), next_(&next), job_(&job) {}

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
  Job* job_;
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
  Job job(notes);
  std::size_t next = 0;
  work_in_turns(std::max(1U, std::thread::hardware_concurrency()), [&] { return Worker(files, next, job); });
  return job.finish();
}

}  // namespace petri
