#include "harness/import/nccl_log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "harness/import/nccl_log_calls.hpp"
#include "harness/import/nccl_log_ends.hpp"
#include "harness/import/nccl_log_line.hpp"
#include "harness/import/nccl_log_lost.hpp"
#include "harness/import/unrecorded_ranks.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/rank_ranges.hpp"

namespace petri {
namespace {

constexpr std::size_t kLookedAt = 4 << 20;  // of a text in which a program wrote much before NCCL did

bool has_message(std::string_view text) {
  for (std::size_t at = text.find("NCCL "); at != std::string_view::npos; at = text.find("NCCL ", at)) {
    const std::size_t begin = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    const std::size_t first = begin == std::string_view::npos ? 0 : begin + 1;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string room;
    const std::string_view line = without_escapes(text.substr(first, end - first), room);
    if (LogLine(line).next()) return true;
    at = end;
  }
  return false;
}

// What is said of all that could not be read, and of what the log cannot show.
class Notes {
 public:
  explicit Notes(ImportNotes& notes) : notes_(notes) {}

  void of_job(const LogJob& job) {
    notes_.facts.push_back(
        "a log shows which calls were made, not which of them ended: each rank is taken to wait in its oldest call "
        "that is "
        "not over, on whatever stream");
    notes_.facts.push_back(
        "groups are seen where calls of one communicator share a launch (opCount), not across communicators");
    for (const auto& [name, times] : job.foreign_calls)
      notes_.facts.push_back(fmt::format("left out: {} of {}", counted(times, "call"), name));
    of_advice(job);
    if (job.unreadable > 0)
      notes_.warnings.push_back(
          fmt::format("{} left out: the lines are cut where they name their process", counted(job.unreadable, "call")));
    of_repeated(job);
  }

  void of_torn(std::uint64_t calls, const std::vector<std::int32_t>& cut) {
    if (calls > 0)
      notes_.warnings.push_back(
          fmt::format("{} cut by other output: of the calls in them, only operation and number of the launch are used",
                      lines(calls)));
    if (!cut.empty())
      notes_.warnings.push_back(fmt::format(
          "the log of rank {} is used up to such a line only: of which communicator the call was cannot be known",
          rank_ranges(cut)));
  }

  void of_lost(std::uint64_t calls, const std::vector<std::int32_t>& ranks, const std::vector<std::int32_t>& cut) {
    if (calls > 0)
      notes_.warnings.push_back(fmt::format(
          "lines of {} of rank {} are lost, as the numbers of launches show: they are taken for what the other "
          "ranks called there",
          counted(calls, "call"), rank_ranges(ranks)));
    if (!cut.empty())
      notes_.warnings.push_back(fmt::format(
          "the log of rank {} is used up to a lost line only: which call it was cannot be known", rank_ranges(cut)));
  }

  void of_errors(std::int32_t rank, const std::string& text) {
    notes_.warnings.push_back(fmt::format("rank {} reported \"{}\" before its first call", rank, text));
  }

  void of_consequences(std::int32_t rank, const LogRow& row) {
    if (row.consequences.empty() || ++consequences_ > kShown) return;
    notes_.warnings.push_back(
        fmt::format("rank {} noticed the end of others or gave up waiting, which is no cause: \"{}\"", rank,
                    row.consequences.front().text));
  }

  void of_absent(const std::string& comm, const std::vector<std::int32_t>& began, std::size_t size) {
    notes_.warnings.push_back(
        fmt::format("the creation of {}, of {} ranks, is not over: rank {} began it, the others did not", comm, size,
                    rank_ranges(began)));
  }

  void of_late_logs() {
    notes_.warnings.push_back(
        "the log begins after the job did: its calls are placed by the numbers of their launches, where those tell it");
  }

  void of_unknown_members(const std::vector<std::string>& comms) {
    if (comms.empty()) return;
    notes_.warnings.push_back(
        fmt::format("which ranks are in {} cannot be known without the logs of all of them: {} not judged",
                    fmt::join(comms, ", "), comms.size() == 1 ? "its calls are" : "their calls are"));
  }

 private:
  static constexpr std::size_t kShown = 3;

  static std::string lines(std::uint64_t number) {
    return number == 1 ? "1 line is" : fmt::format("{} lines are", number);
  }

  void of_repeated(const LogJob& job) {
    if (job.repeated_calls == 0) return;
    constexpr std::size_t kNamed = 3;
    const auto& files = job.repeating_files;
    const std::size_t named = std::min(files.size(), kNamed);
    notes_.warnings.push_back(
        fmt::format("{} taken once, as the same lines of a process stand there twice or more: {}{}",
                    job.repeated_calls == 1 ? "1 call is" : fmt::format("{} calls are", job.repeated_calls),
                    fmt::join(files.begin(), files.begin() + static_cast<long>(named), ", "),
                    files.size() > named ? fmt::format(" and {}", counted(files.size() - named, "other file")) : ""));
  }

  void of_advice(const LogJob& job) {
    if (job.advice.empty()) return;
    std::uint64_t times = 0;
    for (const auto& [text, number] : job.advice) times += number;
    notes_.facts.push_back(fmt::format("{} taken for advice, not for {}, as \"{}\"",
                                       times == 1 ? "1 warning is" : fmt::format("{} warnings are", times),
                                       times == 1 ? "an error" : "errors", job.advice.begin()->first));
  }

  ImportNotes& notes_;
  std::size_t consequences_ = 0;
};

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
  Notes notes_;
  Scenario scenario_;
  std::vector<std::int32_t> comms_;  // by life
  std::vector<bool> unfinished_;     // by communicator: its creation is told
};

}  // namespace

bool is_nccl_log(const TraceFile& file) {
  if (file.head.find('\0') != std::string::npos || file.head.starts_with("{\"petri\"")) return false;
  if (has_message(file.head)) return true;
  if (file.head.size() < kHeadBytes) return false;
  std::string text(kLookedAt, '\0');
  const auto stream = file.open();
  std::size_t held = 0;
  while (held < text.size()) {
    const std::size_t count = stream->read(text.data() + held, text.size() - held);
    if (count == 0) break;
    held += count;
  }
  return has_message(std::string_view(text).substr(0, held));
}

Scenario read_nccl_log(const std::vector<TraceFile>& files, ImportNotes& notes) {
  const std::string& source = files.front().name;
  LogJob job = read_log_job(files);
  LogRanks ranks = ranks_of(job, source, notes);
  if (ranks.world == 0)
    throw InputError(source, 0, 0,
                     "no communicator is in the log: it takes NCCL_DEBUG=INFO with NCCL_DEBUG_SUBSYS=INIT,COLL");
  Notes(notes).of_job(job);
  Scenario scenario = Making(std::move(job), std::move(ranks), notes).make();
  scenario.header.job = files.front().leaf;
  return scenario;
}

}  // namespace petri
