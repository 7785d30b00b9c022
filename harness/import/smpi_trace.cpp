#include "harness/import/smpi_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/import/smpi_rank.hpp"
#include "harness/import/text_lines.hpp"
#include "harness/import/unrecorded_ranks.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/printable.hpp"

namespace petri {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLine = std::size_t{1} << 26;  // the counts of an alltoallv of a million ranks
constexpr std::size_t kMostIndexed = kMostTraceFiles;

// Does the first line that is no comment give a rank an action that is known, with numbers?
bool has_actions(std::string_view head) {
  while (!head.empty()) {
    const std::string_view text = head.substr(0, head.find('\n'));
    head.remove_prefix(std::min(text.size() + 1, head.size()));
    std::string problem;
    const std::optional<SmpiLine> line = read_smpi_line(text, problem);
    if (!problem.empty()) return false;
    if (!line) continue;
    const SmpiAction* const action = smpi_action_named(line->action);
    if (action == nullptr) return false;
    if (action->shape == SmpiShape::location || action->shape == SmpiShape::local) return true;
    const bool whole = !head.empty() || text.size() < kHeadBytes;
    const std::size_t sure = line->arguments.size() - (whole || line->arguments.empty() ? 0 : 1);
    return std::all_of(line->arguments.begin(), line->arguments.begin() + static_cast<std::ptrdiff_t>(sure),
                       [](std::string_view argument) { return smpi_number(argument).has_value(); });
  }
  return false;
}

std::string_view first_word(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  return text.substr(0, text.find_first_of(" \t\r\n"));
}

// Where a line of an index leads: below the index's own folder only.
std::optional<fs::path> listed(const TraceFile& index, std::string_view line) {
  const fs::path named = first_word(line);
  if (named.empty() || named.is_absolute()) return std::nullopt;
  for (const fs::path& part : named)
    if (part == "..") return std::nullopt;
  std::error_code error;
  const fs::path path = index.path.parent_path() / named;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  return path;
}

bool is_index(const TraceFile& file) {
  if (file.path.empty()) return false;
  const std::size_t end = file.head.find('\n');
  const std::optional<fs::path> first = listed(file, file.head.substr(0, end));
  std::error_code error;
  if (!first || fs::equivalent(*first, file.path, error)) return false;
  try {
    std::vector<FileNote> none;
    for (const TraceFile& one : trace_files({*first}, none))
      if (has_actions(one.head)) return true;
  } catch (const InputError&) {
    return false;
  }
  return false;
}

// The files with actions: those that there are and those that indices among them list.
std::vector<TraceFile> action_files(const std::vector<TraceFile>& files, ImportNotes& notes) {
  std::vector<TraceFile> actions;
  std::set<fs::path> known;
  std::error_code error;
  for (const TraceFile& file : files) {
    if (!has_actions(file.head)) continue;
    actions.push_back(file);
    if (!file.path.empty()) known.insert(fs::weakly_canonical(file.path, error));
  }
  for (const TraceFile& file : files) {
    if (has_actions(file.head)) continue;
    TextLines lines(file, kHeadBytes);
    while (const auto line = lines.next()) {
      if (first_word(*line).empty()) continue;
      const std::optional<fs::path> path = listed(file, *line);
      if (!path) {
        notes.warnings.push_back(fmt::format("{}:{}: lists a file that is not there: {}", file.name, lines.number(),
                                             printable_line(first_word(*line).substr(0, 200))));
        continue;
      }
      if (!known.insert(fs::weakly_canonical(*path, error)).second) continue;
      std::vector<FileNote> none;  // one file alone is read or refused
      for (TraceFile& one : trace_files({*path}, none)) actions.push_back(std::move(one));
      if (actions.size() > kMostIndexed)
        throw InputError(file.name, lines.number(), 0, fmt::format("more than {} files are listed", kMostIndexed));
    }
  }
  return actions;
}

template <class Visit>
void for_each_action(const TraceFile& file, const Visit& visit) {
  TextLines lines(file, kMostLine);
  std::string problem;
  while (const auto text = lines.next()) {
    const std::optional<SmpiLine> line = read_smpi_line(*text, problem);
    if (!problem.empty() && !lines.was_cut()) throw InputError(file.name, lines.number(), 1, "a line " + problem);
    if (line || !problem.empty()) visit(line, lines);
  }
}

// The rank of which a message tells, or -1: where each rank has a file of its own, that one's may be missing.
std::int32_t highest_peer(const SmpiAction& action, const SmpiLine& line) {
  std::int64_t highest = -1;
  const auto take = [&](std::size_t argument) {
    if (argument < line.arguments.size())
      if (const auto peer = smpi_number(line.arguments[argument]); peer && *peer < kMaxWorld)
        highest = std::max(highest, *peer);
  };
  constexpr std::size_t kPeer = 0, kDestination = 1, kSource = 3;  // of sendrecv: its counts stand before them
  if (action.shape == SmpiShape::message) take(kPeer);
  if (action.shape == SmpiShape::both) take(kDestination), take(kSource);
  return static_cast<std::int32_t>(highest);
}

// What has to be known before arguments can be: how many ranks there are, and how a release writes messages.
SmpiTrace survey(const std::vector<TraceFile>& files) {
  SmpiTrace trace;
  for (const TraceFile& file : files) {
    for_each_action(file, [&](const std::optional<SmpiLine>& line, const TextLines&) {
      if (!line) return;
      trace.world = std::max(trace.world, line->rank + 1);
      if (line->action == "comm_size" && !line->arguments.empty())
        if (const auto size = smpi_number(line->arguments.front()); size && *size > 0 && *size <= kMaxWorld)
          trace.world = std::max(trace.world, static_cast<std::int32_t>(*size));
      const SmpiAction* const action = smpi_action_named(line->action);
      if (action == nullptr) return;
      if (action->op == Op::init && line->arguments.empty()) trace.type = ElementType::byte;
      const std::size_t arguments = line->arguments.size();
      if (files.size() > 1) trace.world = std::max(trace.world, highest_peer(*action, *line) + 1);
      if (action->shape == SmpiShape::message && arguments == 2) trace.has_tags = false;
      if (action->op == Op::wait && arguments == 0) trace.has_tags = false;
    });
  }
  return trace;
}

class TraceReader {
 public:
  TraceReader(SmpiTrace trace, ImportNotes& notes) : trace_(std::move(trace)), notes_(notes), scenario_(trace_.world) {
    ranks_.resize(static_cast<std::size_t>(trace_.world));
  }

  void read(const TraceFile& file) {
    std::set<std::int32_t> here;
    std::int32_t last = -1;
    bool cut = false;
    for_each_action(file, [&](const std::optional<SmpiLine>& line, const TextLines& lines) {
      std::string problem;
      if (line) {
        last = line->rank;
        problem = rank_of(*line, file, here, lines.number()).take(*line);
      }
      if (lines.was_cut() && (!line || !problem.empty())) {
        cut = true;
        return;
      }
      if (!problem.empty()) throw InputError(file.name, lines.number(), 1, problem);
    });
    if (cut) {
      notes_.warnings.push_back(fmt::format("{}: breaks off in the middle of its last line", file.name));
      if (last >= 0) cut_.insert(last);
    }
  }

  Scenario finish() {
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      RankTrace& rank = scenario_.ranks[i];
      rank.end.stated = true;
      rank.end.kind = EndKind::missing;
      if (!ranks_[i]) continue;
      ranks_[i]->finish(cut_.count(static_cast<std::int32_t>(i)) != 0);
      rank.events = std::move(ranks_[i]->events);
      rank.end = ranks_[i]->end;
    }
    join_unrecorded(scenario_);
    scenario_.header.backend = "mpi";
    say_facts();
    return std::move(scenario_);
  }

 private:
  SmpiRank& rank_of(const SmpiLine& line, const TraceFile& file, std::set<std::int32_t>& here, std::size_t number) {
    std::unique_ptr<SmpiRank>& rank = ranks_[static_cast<std::size_t>(line.rank)];
    if (here.insert(line.rank).second && rank != nullptr)
      throw InputError(file.name, number, 1, fmt::format("rank {} is in another file, too", line.rank));
    if (rank == nullptr) rank = std::make_unique<SmpiRank>(trace_, scenario_.symbols, line.rank);
    return *rank;
  }

  void say_facts() {
    auto& facts = notes_.facts;
    facts.push_back("communicators are not recorded: all calls are taken to be on the world");
    facts.push_back("times, computation and reduction operations are not recorded or left out");
    if (!trace_.has_tags)
      facts.push_back("written before SimGrid 3.20: without tags, and waits are for the last request");
    if (trace_.guessed_waits > 0)
      facts.push_back(fmt::format("{} for some of the open requests: taken to be the last ones",
                                  counted(trace_.guessed_waits, "call")));
    for (const auto& [action, count] : trace_.left_out)
      facts.push_back(
          fmt::format("left out, as it is no action that is known: {} of {}", counted(count, "line"), action));
    std::uint64_t sendrecvs = 0;
    for (const RankTrace& rank : scenario_.ranks)
      for (const Event& event : rank.events) sendrecvs += event.op == Op::sendrecv ? 1 : 0;
    if (sendrecvs > 0)
      facts.push_back(fmt::format("the tags of {} are not written: taken to be 0", counted(sendrecvs, "sendrecv")));
  }

  SmpiTrace trace_;
  ImportNotes& notes_;
  Scenario scenario_;
  std::vector<std::unique_ptr<SmpiRank>> ranks_;
  std::set<std::int32_t> cut_;
};

}  // namespace

bool recognizes_smpi(const TraceFile& file) {
  return has_actions(file.head) || is_index(file);
}

Scenario read_smpi(const std::vector<TraceFile>& files, ImportNotes& notes) {
  const std::vector<TraceFile> actions = action_files(files, notes);
  if (actions.empty()) throw InputError(files.front().name, 0, 0, "lists no file with actions of ranks");
  TraceReader reader(survey(actions), notes);
  for (const TraceFile& file : actions) reader.read(file);
  return reader.finish();
}

}  // namespace petri
