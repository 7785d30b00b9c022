#include "harness/import/nccl_log_scenario.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "harness/import/nccl_log_calls.hpp"
#include "harness/import/nccl_log_ends.hpp"
#include "harness/import/nccl_log_lost.hpp"
#include "harness/import/nccl_log_notes.hpp"
#include "harness/import/unrecorded_ranks.hpp"

namespace petri {
namespace {

class Making {
 public:
  Making(LogJob job, LogRanks ranks, ImportNotes& notes)
      : job_(std::move(job)), ranks_(std::move(ranks)), notes_(notes), scenario_(ranks_.world) {}

  Scenario make() {
    scenario_.header.backend = "nccl";
    if (!job_.version.empty()) scenario_.header.environment.emplace_back("NCCL", job_.version);
    for (RankTrace& rank : scenario_.ranks) {
      rank.end.kind = EndKind::missing;
      rank.end.stated = true;
    }
    name_hosts();
    add_comms();
    add_calls();
    begin_late();
    join_unrecorded(scenario_);
    conclude_last_calls(scenario_);
    return std::move(scenario_);
  }

 private:
  void name_hosts() {
    std::vector<std::string> hosts(static_cast<std::size_t>(ranks_.world));
    for (const LogActor& actor : ranks_.actors)
      if (actor.rank >= 0) hosts[static_cast<std::size_t>(actor.rank)] = job_.processes[actor.process].host;
    if (std::none_of(hosts.begin(), hosts.end(), [](const std::string& host) { return host.empty(); }))
      scenario_.header.hosts = std::move(hosts);
  }

  void add_comms() {
    std::vector<std::int32_t> index(ranks_.comms.size(), kNoComm);
    std::vector<std::string> unknown;
    unfinished_.assign(ranks_.comms.size(), false);
    for (std::size_t i = 0; i < ranks_.comms.size(); ++i) {
      LogComm& comm = ranks_.comms[i];
      if (!in_job(comm)) continue;
      if (comm.is_world && !comm.unfinished) {
        index[i] = 0;
        continue;
      }
      Communicator made;
      made.name = comm.name;
      made.backend = "nccl";
      made.known = !comm.ranks.empty();
      if (!made.known) unknown.push_back(comm.name);
      if (!made.known && comm.unfinished) notes_.of_absent(comm.name, began(comm), comm.actors.size());
      unfinished_[i] = made.known && comm.unfinished;
      made.ranks = std::move(comm.ranks);
      index[i] = scenario_.add_comm(std::move(made));
    }
    notes_.of_unknown_members(unknown);
    for (const std::int32_t comm : ranks_.comm_of_life)
      comms_.push_back(comm < 0 ? kNoComm : index[static_cast<std::size_t>(comm)]);
  }

  std::vector<std::int32_t> began(const LogComm& comm) const {
    std::vector<std::int32_t> ranks;
    for (const std::int32_t actor : comm.actors)
      if (actor >= 0) ranks.push_back(ranks_.actors[static_cast<std::size_t>(actor)].rank);
    std::sort(ranks.begin(), ranks.end());
    return ranks;
  }

  bool in_job(const LogComm& comm) const {
    return std::any_of(comm.actors.begin(), comm.actors.end(), [&](std::int32_t actor) {
      return actor >= 0 && ranks_.actors[static_cast<std::size_t>(actor)].rank >= 0;
    });
  }

  // Creations are told where one of them is not over, the others are behind all ranks; and where it is known who has to
  // come.
  std::vector<bool> told_creations() const {
    std::vector<bool> told;
    for (const std::int32_t comm : ranks_.comm_of_life)
      told.push_back(comm >= 0 && unfinished_[static_cast<std::size_t>(comm)]);
    return told;
  }

  void drop_untold(LogRow& row, const std::vector<bool>& told) const {
    std::size_t kept = 0;
    std::vector<std::uint32_t> place(row.events.size() + 1);
    for (std::size_t i = 0; i < row.events.size(); ++i) {
      place[i] = static_cast<std::uint32_t>(kept);
      Event& event = row.events[i];
      const bool creates = event.op == Op::comm_init_rank;
      if (creates && !told[static_cast<std::size_t>(event.extras.new_comm())]) continue;
      if (!creates && event.comm != kNoComm && comms_[static_cast<std::size_t>(event.comm)] == kNoComm) continue;
      if (kept != i) {
        row.events[kept] = std::move(event);
        row.op_counts[kept] = row.op_counts[i];
        if (kept < row.times.size())
          row.times[kept] = i < row.times.size() ? row.times[i] : std::numeric_limits<double>::quiet_NaN();
      }
      ++kept;
    }
    place.back() = static_cast<std::uint32_t>(kept);
    row.events.resize(kept);
    row.op_counts.resize(kept);
    row.times.resize(std::min(row.times.size(), kept));
    for (LoggedError& error : row.errors) error.before = place[std::min<std::size_t>(error.before, place.size() - 1)];
  }

  void add_calls() {
    std::vector<LogRow> rows = rows_of(job_, ranks_);
    const std::vector<bool> told = told_creations(), has_finished = finished();
    std::vector<bool> is_cut(rows.size(), false);
    std::uint64_t torn = 0;
    for (std::size_t actor = 0; actor < rows.size(); ++actor)
      if (ranks_.actors[actor].rank >= 0) {
        torn += rows[actor].torn.size();
        is_cut[actor] = mend(rows[actor]);
      }
    notes_.of_torn(torn, ranks_where(is_cut));
    const LostCalls lost = restore_lost(rows, job_, ranks_);
    notes_.of_lost(lost.restored, ranks_of_actors(lost.restored_in), ranks_of_actors(lost.cut));
    for (const std::size_t actor : lost.cut) is_cut[actor] = true;
    std::vector<std::size_t> order;
    for (std::size_t actor = 0; actor < rows.size(); ++actor)
      if (ranks_.actors[actor].rank >= 0) order.push_back(actor);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return ranks_.actors[a].rank < ranks_.actors[b].rank; });
    for (const std::size_t actor : order) {
      const std::int32_t rank = ranks_.actors[actor].rank;
      RankTrace& trace = scenario_.ranks[static_cast<std::size_t>(rank)];
      LogRow row = std::exchange(rows[actor], {});
      notes_.of_consequences(rank, row);
      drop_untold(row, told);
      const std::string error = write_calls(std::move(row), job_, comms_, trace);
      if (!error.empty()) notes_.of_errors(rank, error);
      trace.end.kind = is_cut[actor] ? EndKind::cut : has_finished[actor] ? EndKind::finalized : EndKind::running;
    }
  }

  std::vector<std::int32_t> ranks_of_actors(const std::vector<std::size_t>& actors) const {
    std::vector<std::int32_t> ranks;
    for (const std::size_t actor : actors) ranks.push_back(ranks_.actors[actor].rank);
    std::sort(ranks.begin(), ranks.end());
    return ranks;
  }

  std::vector<std::int32_t> ranks_where(const std::vector<bool>& chosen) const {
    std::vector<std::size_t> actors;
    for (std::size_t actor = 0; actor < chosen.size(); ++actor)
      if (chosen[actor]) actors.push_back(actor);
    return ranks_of_actors(actors);
  }

  // A log may begin in the middle of the job, without the creations of its communicators. The number of a launch is the
  // position of its collective where a communicator has no messages, which are numbered, too, and not on all ranks
  // alike.
  void begin_late() {
    std::vector<bool> has_messages(scenario_.comms.size(), false);
    for (std::size_t life = 0; life < job_.lives.size(); ++life)
      if (comms_[life] != kNoComm && job_.lives[life].has_messages)
        has_messages[static_cast<std::size_t>(comms_[life])] = true;
    bool late = false;
    for (std::size_t life = 0; life < job_.lives.size(); ++life) {
      const CommLife& one = job_.lives[life];
      const std::int32_t comm = comms_[life];
      const std::int32_t rank = ranks_.actors[static_cast<std::size_t>(ranks_.actor_of_life[life])].rank;
      if (comm == kNoComm || rank < 0 || one.started || one.calls == 0 || one.first_op == 0) continue;
      RankEnd& end = scenario_.ranks[static_cast<std::size_t>(rank)].end;
      const auto lost = std::min<std::uint64_t>(one.first_op, std::numeric_limits<std::int32_t>::max());
      end.dropped += lost;
      if (!has_messages[static_cast<std::size_t>(comm)]) end.joined.emplace_back(comm, static_cast<std::int32_t>(lost));
      late = true;
    }
    if (late) notes_.of_late_logs();
  }

  // By actor: were all of its communicators destroyed?
  std::vector<bool> finished() const {
    std::vector<bool> all(ranks_.actors.size(), true);
    for (std::size_t life = 0; life < job_.lives.size(); ++life)
      if (!job_.lives[life].destroyed || job_.lives[life].aborted)
        all[static_cast<std::size_t>(ranks_.actor_of_life[life])] = false;
    return all;
  }

  LogJob job_;
  LogRanks ranks_;
  LogNotes notes_;
  Scenario scenario_;
  std::vector<std::int32_t> comms_;  // by life
  std::vector<bool> unfinished_;     // by communicator: its creation is told
};

}  // namespace

Scenario scenario_of(LogJob job, LogRanks ranks, ImportNotes& notes) {
  LogNotes(notes).of_job(job);
  return Making(std::move(job), std::move(ranks), notes).make();
}

}  // namespace petri
