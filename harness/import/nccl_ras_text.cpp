#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "harness/import/nccl_ras.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
constexpr std::size_t kMostMembers = std::size_t{1} << 22;  // of all communicators that are told of

// Errors as ncclErrorToString words them; their numbers are those of ncclResult_t.
constexpr std::string_view kErrors[] = {"Unhandled CUDA error", "System error",  "Internal error",
                                        "Invalid argument",     "Invalid usage", "Remote process error"};
constexpr std::int32_t kUnexpectedError = 3, kInProgress = 7;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

bool skip(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}

template <class Number>
bool take_number(std::string_view& text, Number& to) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), to);
  if (read.ec != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return true;
}

// The whole numbers of a table's row; empty where there is anything else, but for `words` at its end.
std::vector<std::int64_t> row_of(std::string_view line, std::vector<std::string_view>* words = nullptr) {
  std::vector<std::int64_t> numbers;
  for (std::string_view rest = trimmed(line); !rest.empty(); rest = trimmed(rest)) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    std::string_view cell = rest.substr(0, end);
    rest.remove_prefix(end);
    std::int64_t number = 0;
    const std::string_view word = cell;
    if (take_number(cell, number) && (cell.empty() || cell.front() == '-') && (words == nullptr || words->empty()))
      numbers.push_back(number);
    else if (words != nullptr)
      words->push_back(word);
    else
      return {};
  }
  return numbers;
}

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  RasReport read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      take(trimmed(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    settle();
    if (gpus_ == 0)
      throw InputError(file_, 0, 0, "the job summary of a RAS report was expected, with its number of GPUs");
    report_.gpus = static_cast<std::int32_t>(gpus_);
    for (Told& told : told_) add_comm(told);
    return std::move(report_);
  }

 private:
  // A communicator about which the report says something.
  struct Told {
    RasComm comm;
    std::vector<std::string> lines;
    bool silent_listed = false;
  };
  // What "26 ranks have launched up to operation 6650" and the ranks named below it say.
  struct Level {
    std::uint64_t value = 0;
    std::size_t ranks = 0;
    std::vector<std::int32_t> named;
  };
  enum class Part { none, summary, comms, processes, incomplete, error, mismatch };

  void take(std::string_view line) {
    if (line.starts_with("NCCL version ") || line.starts_with("RCCL version ")) report_.version = line.substr(13);
    if (line == "Job summary") return part_ = Part::summary, void();
    if (line.starts_with("Communicators...")) return part_ = Part::comms, void();
    if (line == "Errors" || line == "Warnings") return settle(), part_ = Part::none, void();
    if (line == "INCOMPLETE" || line == "DEAD")
      return settle(), part_ = Part::processes, dead_listed_ = line == "DEAD", void();
    if (line.starts_with('#') && line.size() > 1 && line[1] >= '0' && line[1] <= '9') return begin_comm(line);
    if (line.empty()) return;
    switch (part_) {
      case Part::summary: return take_summary(line);
      case Part::comms: return take_group(line);
      case Part::processes: return take_process(line);
      case Part::incomplete:
      case Part::error:
      case Part::mismatch: return take_told(line);
      case Part::none: return;
    }
  }

  // The last number of the summary's last table is that of all GPUs.
  void take_summary(std::string_view line) {
    const std::vector<std::int64_t> row = row_of(line);
    if (row.size() >= 3) gpus_ = row.back();
    if (gpus_ > kMaxWorld) throw InputError(file_, 0, 0, fmt::format("more than {} GPUs", kMaxWorld));
  }

  // "0  1  4  8  32  32  RUNNING  MISMATCH": number of the group, communicators, nodes, ranks a node, ranks each, …
  void take_group(std::string_view line) {
    constexpr std::size_t kRanksPerComm = 4;
    std::vector<std::string_view> words;
    const std::vector<std::int64_t> row = row_of(line, &words);
    if (row.size() > kRanksPerComm) sizes_[row.front()] = row[kRanksPerComm];
  }

  void take_process(std::string_view line) {
    if (!line.starts_with("Process ")) return;
    report_.warnings.push_back(
        fmt::format("RAS {}: {}", dead_listed_ ? "considers a process dead" : "misses a process", line));
    if (!dead_listed_) return;
    const std::size_t gpus = line.find(" managing GPU");
    dead_.insert("process " + std::string(line.substr(8, gpus == std::string_view::npos ? gpus : gpus - 8)));
    const std::string_view devices = gpus == std::string_view::npos ? "" : line.substr(gpus);
    dead_gpus_ += 1 + static_cast<std::size_t>(std::count(devices.begin(), devices.end(), ','));
  }

  // "#0-0 (27a079b828ff1a75) MISMATCH"
  void begin_comm(std::string_view line) {
    settle();
    part_ = Part::none;
    std::string_view rest = line.substr(1);
    std::int64_t group = 0, index = 0;
    RasComm comm;
    const bool named = take_number(rest, group) && skip(rest, "-") && take_number(rest, index) && skip(rest, " (");
    const std::size_t end = rest.find(") ");
    if (!named || end == std::string_view::npos) return;
    const auto read = std::from_chars(rest.data(), rest.data() + end, comm.number, 16);
    if (read.ptr != rest.data() + end) return;
    comm.hash = "0x" + std::string(rest.substr(0, end));
    const std::string_view what = rest.substr(end + 2);
    part_ = what == "INCOMPLETE" ? Part::incomplete : what == "ERROR" ? Part::error : Part::mismatch;
    const auto size = sizes_.find(group);
    if (size == sizes_.end() || size->second <= 0 || size->second > kMaxWorld)
      throw InputError(file_, 0, 0,
                       fmt::format("communicator {} is of a group that the table does not have", comm.hash));
    comm.size = static_cast<std::int32_t>(size->second);
    const auto known =
        std::find_if(told_.begin(), told_.end(), [&](const Told& one) { return one.comm.number == comm.number; });
    current_ = static_cast<std::size_t>(known - told_.begin());
    if (known == told_.end()) {
      told_.emplace_back();
      told_.back().comm = std::move(comm);
    }
  }

  RasRank& rank_of(std::int32_t rank) {
    auto& ranks = told_[current_].comm.ranks;
    const auto found = std::find_if(ranks.begin(), ranks.end(), [&](const RasRank& one) { return one.rank == rank; });
    if (found != ranks.end()) return *found;
    if (rank < 0 || rank >= told_[current_].comm.size)
      throw InputError(file_, 0, 0, fmt::format("communicator {} has no rank {}", told_[current_].comm.hash, rank));
    ranks.emplace_back().rank = rank;
    return ranks.back();
  }

  void take_told(std::string_view line) {
    told_[current_].lines.emplace_back(line);
    std::string_view rest = line;
    if (skip(rest, "Communicator ranks have different ")) return begin_levels(rest);
    if (rest.starts_with("Initialization error") || rest.starts_with("Asynchronous error"))
      return asynchronous_ = rest.starts_with("A"), void();
    if (skip(rest, "The missing rank") || skip(rest, "The unknown rank")) return take_list(rest);
    std::int32_t rank = 0;
    if (skip(rest, "Rank ")) {
      if (!take_number(rest, rank)) return;
      const std::size_t managed = rest.find(" managed by ");
      const bool is_dead = managed != std::string_view::npos && dead_.contains(rest.substr(managed + 12));
      if (is_dead && part_ == Part::incomplete) rank_of(rank).dead = true;
      if (skip(rest, " -- ")) return take_named(rank);
      skip(rest, " ");
      const std::string_view said = rest.substr(0, rest.find(" -- "));
      if (take_saying(said, 1)) take_named(rank);
      return;
    }
    std::size_t number = 0;
    if (take_number(rest, number) && skip(rest, " ranks ")) take_saying(rest, number);
  }

  // "s: 3,5" of those of whom there is no data, as NCCL 2.24 lists them.
  void take_list(std::string_view rest) {
    skip(rest, "s");
    if (!skip(rest, ": ")) return;
    for (std::int32_t rank = 0; take_number(rest, rank); skip(rest, ",")) {
      RasRank& named = rank_of(rank);
      named.missing = named.silent = true;
    }
  }

  // "AllReduce operation counts", "collective operation counts" of early releases, or "status".
  void begin_levels(std::string_view rest) {
    settle();
    kind_ = rest == "status" ? "" : std::string(rest.substr(0, rest.find(' ')));
  }

  // What is said of one rank or of several.
  bool take_saying(std::string_view said, std::size_t ranks) {
    if (skip(said, "have ") || skip(said, "has ")) {
      std::uint64_t value = 0;
      if (skip(said, "launched up to operation ")) {
        if (!take_number(said, value)) return false;
      } else if (skip(said, "status ")) {
        return status_ = said, error_ = 0, true;
      } else if (!skip(said, "not launched any operations")) {
        return false;
      }
      status_.clear();
      levels_.push_back({value, ranks, {}});
      return true;
    }
    if (!skip(said, "reported ")) return false;
    const auto* const found = std::find(std::begin(kErrors), std::end(kErrors), said);
    error_ = found == std::end(kErrors) ? kUnexpectedError : static_cast<std::int32_t>(found - std::begin(kErrors)) + 1;
    return true;
  }

  void take_named(std::int32_t number) {
    RasRank& rank = rank_of(number);
    switch (part_) {
      case Part::incomplete: rank.missing = rank.silent = true; return;
      case Part::error: (asynchronous_ ? rank.async_error : rank.init_state) = error_; return;
      default: break;
    }
    if (!status_.empty()) {
      rank.silent = rank.silent || status_ == "UNKNOWN";
      rank.missing = rank.missing || rank.silent || status_ == "NOCOMM";
      rank.aborted = rank.aborted || status_ == "ABORT";
      rank.finalized = rank.finalized || status_ == "FINALIZE";
      if (status_ == "INIT") rank.init_state = kInProgress;
    } else if (!levels_.empty()) {
      levels_.back().named.push_back(number);
    }
  }

  // Gives the counts of one kind to the ranks: to those that are named, and to all others where they have one count.
  void settle() {
    const auto levels = std::exchange(levels_, {});
    status_.clear();
    if (levels.empty()) return;
    RasComm& comm = told_[current_].comm;
    const auto unnamed =
        std::count_if(levels.begin(), levels.end(), [](const Level& one) { return one.named.empty(); });
    if (unnamed > 1) {
      report_.warnings.push_back(fmt::format(
          "communicator {}: which ranks have launched how many {} operations is not told (ncclras -v or -f json tells)",
          comm.hash, kind_));
      return;
    }
    for (const Level& level : levels)
      for (const std::int32_t rank : level.named) rank_of(rank).counts[kind_] = level.value;
    for (const Level& level : levels)
      if (level.named.empty()) others_[comm.number][kind_] = level.value;
  }

  // The ranks of a communicator of all GPUs are those of the job. Who is in smaller ones, a report in text does not
  // say.
  void add_comm(Told& told) {
    RasComm& comm = told.comm;
    if (comm.size != gpus_) {
      for (const std::string& line : told.lines)
        report_.warnings.push_back(
            fmt::format("communicator {} of {} ranks, which ranks is not told: {}", comm.hash, comm.size, line));
      return;
    }
    if ((members_ += static_cast<std::size_t>(comm.size)) > kMostMembers)
      throw InputError(file_, 0, 0, fmt::format("the communicators have more than {} ranks together", kMostMembers));
    for (const std::string& line : told.lines)
      if (line.starts_with("Rank ")) report_.facts.push_back(line);
    const auto silent =
        std::count_if(comm.ranks.begin(), comm.ranks.end(), [](const RasRank& rank) { return rank.silent; });
    if (static_cast<std::size_t>(silent) == dead_gpus_)  // NCCL 2.24 does not say of whom their processes are
      for (RasRank& rank : comm.ranks) rank.dead = rank.dead || rank.silent;
    std::vector<RasRank> ranks(static_cast<std::size_t>(comm.size));
    for (RasRank& rank : comm.ranks) ranks[static_cast<std::size_t>(rank.rank)] = std::move(rank);
    for (std::int32_t number = 0; number < comm.size; ++number) {
      RasRank& rank = ranks[static_cast<std::size_t>(number)];
      rank.rank = rank.pid = number;
      if (!rank.missing)
        for (const auto& [kind, value] : others_[comm.number]) rank.counts.try_emplace(kind, value);
    }
    comm.ranks = std::move(ranks);
    report_.comms.push_back(std::move(comm));
  }

  const std::string& file_;
  RasReport report_;
  std::int64_t gpus_ = 0;
  std::map<std::int64_t, std::int64_t> sizes_;  // by group
  std::vector<Told> told_;
  std::size_t current_ = 0, members_ = 0;
  Part part_ = Part::none;
  std::set<std::string, std::less<>> dead_;  // "process 3487984 on node 172.16.64.213"
  std::size_t dead_gpus_ = 0;
  bool asynchronous_ = false, dead_listed_ = false;
  std::int32_t error_ = 0;
  std::string kind_, status_;
  std::vector<Level> levels_;
  std::map<std::uint64_t, std::map<std::string, std::uint64_t>> others_;  // by communicator: of those not named
};

}  // namespace

bool is_ras_text(const TraceFile& file) {
  const std::string_view head(file.head);
  const std::size_t at = head.find("Job summary\n=====");
  return at != std::string_view::npos && head.find("CUDA") < at && head.find("Processes", at) != std::string_view::npos;
}

RasReport read_ras_text(const TraceFile& file) {
  return Reader(file.name).read(read_whole(file, kMostBytes));
}

}  // namespace petri
