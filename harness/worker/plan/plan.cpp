#include "harness/worker/plan/plan.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>

namespace petri {
namespace {

using enum Op;

constexpr std::array kPerformed{
    send,
    bsend,
    rsend,
    ssend,
    isend,
    ibsend,
    irsend,
    issend,
    recv,
    irecv,
    mrecv,
    imrecv,
    sendrecv,
    sendrecv_replace,
    probe,
    iprobe,
    mprobe,
    improbe,
    wait,
    waitall,
    waitany,
    waitsome,
    test,
    testall,
    testany,
    testsome,
    request_free,
    cancel,
    comm_dup,
    comm_idup,
    comm_split,
    comm_create,
    comm_create_group,
    comm_free,
    comm_disconnect,
    init,
    init_thread,
    finalize,
    abort,
    Op::exit,
    compute,
    sleep,
    wait_external,
    checkpoint,
    rng,
};

constexpr std::array<std::string_view, 17> kCollectives{
    "barrier",  "bcast",     "reduce",    "allreduce",      "gather",
    "gatherv",  "scatter",   "scatterv",  "allgather",      "allgatherv",
    "alltoall", "alltoallv", "alltoallw", "reduce_scatter", "reduce_scatter_block",
    "scan",     "exscan"};

bool needs_peer(OpKind kind, Op op) {
  return kind == OpKind::send || (kind == OpKind::recv && op != mrecv && op != imrecv) || kind == OpKind::probe;
}

std::filesystem::path rest_file(const std::filesystem::path& recording, std::int32_t rank) {
  return recording / ("rest-" + std::to_string(rank));
}

std::optional<std::string> reason_against(const Scenario& scenario, const Event& event) {
  if (!can_perform(event.op)) return "a replay cannot perform this operation yet";
  if (event.comm == kNoComm) return "its communicator is not known";
  if (!scenario.comm_of(event).known && kind_of(event.op) != OpKind::comm_create)
    return "the members of its communicator are not known";
  if (needs_peer(kind_of(event.op), event.op) && event.peer == kUnset) return "its peer is not known";
  if (!event.extras->npy.empty()) return "a payload in a NumPy file cannot be replayed yet";
  if (!event.extras->remote.empty()) return "a replay cannot use intercommunicators yet";
  return std::nullopt;
}

}  // namespace

bool can_perform(Op op) {
  if (std::find(kPerformed.begin(), kPerformed.end(), op) != kPerformed.end()) return true;
  return kind_of(op) == OpKind::collective && form_of(op) != OpForm::persistent &&
         std::find(kCollectives.begin(), kCollectives.end(), info(op).family) != kCollectives.end();
}

std::string reason_against_replay(const Scenario& scenario) {
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank) {
    std::optional<std::int32_t> thread;
    for (const Event& event : scenario.ranks[rank].events) {
      std::optional<std::string> reason = reason_against(scenario, event);
      if (!reason && event.extras->thread) {
        if (thread && *thread != *event.extras->thread)
          reason = "a replay runs one thread a rank, and this rank has several";
        thread = event.extras->thread;
      }
      if (!reason) continue;
      return "rank " + std::to_string(rank) + ", seq " + std::to_string(event.seq) + ", " +
             std::string(name_of(event.op)) + ": " + *reason;
    }
  }
  return {};
}

std::vector<std::int32_t> communicators_made_at_start(const Scenario& scenario) {
  std::vector<bool> created(scenario.comms.size(), false), used(scenario.comms.size(), false);
  for (const RankTrace& rank : scenario.ranks) {
    for (const Event& event : rank.events) {
      if (event.new_comm != kNoComm) created[static_cast<std::size_t>(event.new_comm)] = true;
      if (event.comm != kNoComm) used[static_cast<std::size_t>(event.comm)] = true;
    }
  }
  std::vector<std::int32_t> made;
  for (std::size_t i = 1; i < scenario.comms.size(); ++i) {
    if (used[i] && !created[i] && scenario.comms[i].known) made.push_back(static_cast<std::int32_t>(i));
  }
  return made;
}

bool is_repeated_by_next(const std::vector<Event>& events, std::size_t index) {
  if (index + 1 >= events.size()) return false;
  const Event& event = events[index];
  const Event& next = events[index + 1];
  const bool poll = kind_of(event.op) == OpKind::test ||
                    (kind_of(event.op) == OpKind::probe && form_of(event.op) == OpForm::nonblocking);
  return poll && event.flag == 0 && next.op == event.op && next.request == event.request && next.comm == event.comm &&
         next.peer == event.peer && tag_of(next) == tag_of(event) && next.extras->requests == event.extras->requests;
}

bool is_endless(const RankTrace& rank, std::size_t index) {
  if (index + 1 != rank.events.size() && rank.events[index].state != EventState::started) return false;
  const Event& event = rank.events[index];
  const bool left_behind = rank.end.stated && (rank.end.kind == EndKind::running || rank.end.kind == EndKind::cut);
  if (!left_behind || event.state == EventState::completed) return false;
  const OpKind kind = kind_of(event.op);
  if (kind == OpKind::test || (kind == OpKind::probe && form_of(event.op) == OpForm::nonblocking))
    return event.flag != 1;
  return kind == OpKind::host && event.state == EventState::started;
}

void mark_rest(const std::filesystem::path& recording, std::int32_t rank, Rest rest) {
  std::ofstream(rest_file(recording, rank)).put(static_cast<char>(rest));
}

Rest rest_of(const std::filesystem::path& recording, std::int32_t rank) {
  switch (std::ifstream(rest_file(recording, rank)).get()) {
    case static_cast<int>(Rest::idle): return Rest::idle;
    case static_cast<int>(Rest::finalizes): return Rest::finalizes;
    default: return Rest::none;
  }
}

}  // namespace petri
