// A scenario: a trace with its world, its communicators and, where known, the observed failure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/trace/event.hpp"

namespace petri {

inline constexpr int kFormatVersion = 1;
inline constexpr int kMaxWorld = 1 << 20;

// The one-word outcome of a scenario.
// clang-format off
enum class Verdict : std::uint8_t {
  completes, deadlock, mismatch, race, divergence, rank_error, skew, misuse, ambiguous,
};
// clang-format on
std::string_view name_of(Verdict verdict);  // "rank-error" for rank_error
std::optional<Verdict> verdict_named(std::string_view name);

// What was observed, or what is expected: either part may be missing. For a regression guard, `absent` says that the
// signature must not come back.
struct Outcome {
  std::optional<Verdict> verdict;
  std::string signature;
  bool absent = false;
  bool operator==(const Outcome&) const = default;
};

// What this scenario was imported or shrunk from.
struct Origin {
  std::string source;               // file name as given, or the recorded command
  std::string digest;               // of the source's bytes: "<algorithm>:<hex>"
  std::vector<std::int32_t> ranks;  // ranks[new rank] is the original rank; empty: unchanged
  bool operator==(const Origin&) const = default;
};

struct Header {
  std::string job;
  std::int32_t world = 0;
  std::string backend;                                           // "mpi", "nccl", or empty when mixed or unknown
  std::vector<std::string> hosts;                                // one per rank, or empty
  std::vector<std::string> devices;                              // one per rank, or empty
  std::vector<std::pair<std::string, std::string>> environment;  // name and value, in the order of the file
  std::optional<Origin> origin;
  std::optional<Outcome> observed, expect;
  std::vector<std::pair<std::string, std::string>> free_keys;  // x_…: key and its JSON text
};

struct Communicator {
  std::string name;
  std::vector<std::int32_t> ranks;  // global ranks by group rank; empty with known == false
  bool known = true;                // false: named by a creation event that may have hung, members unknown
  std::string parent, backend, label;
  std::vector<std::pair<std::string, std::string>> free_keys;
  std::vector<std::int32_t> remote = {};  // an intercommunicator's other group; empty: an intracommunicator

  bool is_inter() const { return !remote.empty(); }
  // Group rank of a global rank in its own group, or -1. Linear in the size; the model keeps its own index.
  std::int32_t group_rank_of(std::int32_t global) const;
  // The group in which peers and roots are named by a member: the other one on an intercommunicator.
  const std::vector<std::int32_t>& peers_of(std::int32_t global) const;
};

// How a rank's record ended.
enum class EndKind : std::uint8_t { finalized, exited, aborted, signal, running, cut, missing };
std::string_view name_of(EndKind end);
std::optional<EndKind> end_kind_named(std::string_view name);

struct RankEnd {
  EndKind kind = EndKind::finalized;
  bool stated = false;        // false: the file said nothing, so the rank reaches finalize after its last event
  std::uint64_t dropped = 0;  // events that a ring buffer lost before the first one kept
  // By communicator: in how many of its positions the rank took part before its first event there; without a name: 0.
  // A record that says so needs no beginning: nothing from before its events is open, neither message nor request.
  std::vector<std::pair<std::int32_t, std::int32_t>> joined;
  std::int32_t signal = 0;                                     // which signal, where known
  std::int32_t status = 0;                                     // exit status, where known
  std::vector<std::pair<std::string, std::string>> free_keys;  // x_…: key and its JSON text
};

struct RankTrace {
  std::vector<Event> events;
  // By event: seconds on the rank's own clock, advisory only. Shorter where the last ones were not recorded, as in most
  // scenarios all are.
  std::vector<double> times;
  RankEnd end;

  double time_of(std::size_t index) const;  // NaN where it was not recorded
  void set_time(std::size_t index, double time);
};

// Texts kept once: call sites. Symbol 0 is the empty text.
class SymbolTable {
 public:
  SymbolTable();
  std::uint32_t intern(std::string_view text);
  const std::string& text(std::uint32_t symbol) const { return texts_.at(symbol); }
  std::size_t size() const { return texts_.size(); }

 private:
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::uint32_t> index_;
};

// Communicator 0 is always the world with the ranks 0 … world-1; `ranks` has `header.world` entries.
struct Scenario {
  Header header;
  std::vector<Communicator> comms;
  std::vector<RankTrace> ranks;
  SymbolTable symbols;
  bool cut = false;  // the file stopped before its end line

  explicit Scenario(std::int32_t world = 1);
  std::int32_t world() const { return header.world; }
  const Communicator& comm_of(const Event& event) const { return comms[static_cast<std::size_t>(event.comm)]; }
  const std::string& site_of(const Event& event) const { return symbols.text(event.site); }
  // Index of the communicator with this name, or kNoComm.
  std::int32_t find_comm(std::string_view name) const;
  std::int32_t add_comm(Communicator comm);  // returns its index; the name must be new
  std::size_t event_count() const;

 private:
  std::unordered_map<std::string, std::int32_t> comm_index_;
};

// Points at one event: global rank and position in that rank's list (not seq).
struct EventRef {
  std::int32_t rank = 0;
  std::uint32_t index = 0;
  auto operator<=>(const EventRef&) const = default;
};

inline const Event& at(const Scenario& scenario, EventRef ref) {
  return scenario.ranks[static_cast<std::size_t>(ref.rank)].events[ref.index];
}

}  // namespace petri
