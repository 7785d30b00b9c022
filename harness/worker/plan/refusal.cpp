#include "harness/worker/plan/refusal.hpp"

#include <unistd.h>

#include <optional>
#include <set>

#include "harness/trace/record_layout.hpp"
#include "harness/worker/plan/files.hpp"
#include "harness/worker/plan/lanes.hpp"
#include "harness/worker/plan/memory.hpp"
#include "harness/worker/plan/operations.hpp"
#include "harness/worker/plan/topology.hpp"
#include "harness/worker/plan/windows.hpp"

namespace petri {
namespace {

using enum Op;
using Reason = std::optional<std::string>;

bool needs_peer(Op op) {
  const OpKind kind = kind_of(op);
  return kind == OpKind::send || (kind == OpKind::recv && op != mrecv && op != imrecv) || kind == OpKind::probe;
}

// A call on a request. One that makes a request which nobody waits for needs no number.
bool needs_request(Op op) {
  return kind_of(op) == OpKind::request || kind_of(op) == OpKind::partition || op == start;
}

Reason reason_against_creation(const Scenario& scenario, std::int32_t rank, const Event& event) {
  if (makes_topology(event.op)) return reason_against_topology(scenario, event);
  if (event.op == intercomm_create) {
    const bool leader = scenario.comm_of(event).group_rank_of(rank) == (event.root == kUnset ? 0 : event.root);
    const bool knows = scenario.find_comm(event.extras.remote()) != kNoComm && event.peer != kUnset;
    if (leader && !knows) return "where its remote leader is, is not known";
  }
  if (event.op == comm_split_type && event.extras.new_comm() != kNoComm) {
    const Communicator& made = scenario.comms[static_cast<std::size_t>(event.extras.new_comm())];
    if (made.known && made.ranks.size() != scenario.comm_of(event).ranks.size())
      return "it split by hosts or the like, and all ranks of a replay are on one";
  }
  return std::nullopt;
}

// One-sided and file calls name what they work on.
Reason reason_against_names(const Event& event) {
  const OpKind kind = kind_of(event.op);
  if ((kind == OpKind::window || kind == OpKind::rma) && event.extras.win().empty()) return "its window is not known";
  if (kind == OpKind::file && event.extras.file().empty()) return "its file is not known";
  const bool needs_target = kind == OpKind::rma || event.op == win_lock || event.op == win_unlock ||
                            event.op == win_flush || event.op == win_flush_local;
  if (needs_target && !event.extras.target()) return "its target is not known";
  if (kind == OpKind::rma && event.extras.disp().value_or(0) < 0) return "its displacement is below the window";
  return std::nullopt;
}

Reason reason_against_event(const Scenario& scenario, std::int32_t rank, const Event& event) {
  if (!can_perform(event.op)) return std::string(reason_against(event.op));
  if (event.comm == kNoComm) return "its communicator is not known";
  if (!scenario.comm_of(event).known && kind_of(event.op) != OpKind::comm_create)
    return "the members of its communicator are not known";
  if (needs_peer(event.op) && event.peer == kUnset) return "its peer is not known";
  if (needs_request(event.op) && event.request == kNoRequest) return "its request is not known";
  if (auto reason = reason_against_names(event)) return reason;
  if (auto reason = reason_against_creation(scenario, rank, event)) return reason;
  if (!event.extras.npy().empty()) return "a payload in a NumPy file cannot be replayed yet";
  return reason_against_sizes(scenario, event);
}

Refusal told(std::size_t rank, std::size_t index, const Event& event, const std::string& reason) {
  return {"rank " + std::to_string(rank) + ", seq " + std::to_string(event.seq) + ", " +
              std::string(name_of(event.op)) + ": " + reason,
          EventRef{static_cast<std::int32_t>(rank), static_cast<std::uint32_t>(index)}};
}

// The first event of a thread beyond those that the recorder can tell apart.
std::optional<Refusal> refusal_of_threads(const Scenario& scenario, std::size_t rank) {
  const std::vector<Lane> lanes = lanes_of(scenario.ranks[rank]);
  if (lanes.size() <= record::kLastThread) return std::nullopt;
  const std::size_t first = lanes[record::kLastThread].events.front();
  return told(rank, first, scenario.ranks[rank].events[first],
              "its rank has more than " + std::to_string(record::kLastThread) + " threads");
}

}  // namespace

std::optional<Refusal> refusal_of(const Scenario& scenario) {
  const std::set<std::int32_t> topologies = communicators_with_topology(scenario);
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank) {
    if (auto refusal = refusal_of_threads(scenario, rank)) return refusal;
    const std::vector<Event>& events = scenario.ranks[rank].events;
    for (std::size_t i = 0; i < events.size(); ++i) {
      Reason reason = reason_against_event(scenario, static_cast<std::int32_t>(rank), events[i]);
      if (!reason && (info(events[i].op).traits & kNeighbor) != 0 && !topologies.contains(events[i].comm))
        reason = "no event makes the topology of its communicator";
      if (reason) return told(rank, i, events[i], *reason);
    }
  }
  if (auto refusal = reason_against_windows(scenario)) return refusal;
  return reason_against_files(scenario);
}

std::optional<Refusal> missing_for_replay(const Scenario& scenario) {
  std::uint64_t bytes = window_bytes(scenario);
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank) {
    const std::vector<Event>& events = scenario.ranks[rank].events;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (library_lacks(events[i].op))
        return told(rank, i, events[i],
                    "the MPI library that petri was built with has no such call; Open MPI 5.0 has it");
    }
    if (__builtin_add_overflow(bytes, peak_bytes(scenario, static_cast<std::int32_t>(rank)), &bytes)) bytes = ~0ULL;
  }
  const auto memory = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(getpagesize());
  if (bytes <= memory / 2) return std::nullopt;
  return Refusal{"it needs " + std::to_string(bytes >> 20) + " MiB of memory at once, more than half of this machine's",
                 std::nullopt};
}

}  // namespace petri
