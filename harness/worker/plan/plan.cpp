#include "harness/worker/plan/plan.hpp"

#include <algorithm>
#include <fstream>

namespace petri {
namespace {

std::filesystem::path rest_file(const std::filesystem::path& recording, std::int32_t rank) {
  return recording / ("rest-" + std::to_string(rank));
}

bool is_poll(Op op) {
  const bool nonblocking_probe = kind_of(op) == OpKind::probe && form_of(op) == OpForm::nonblocking;
  return kind_of(op) == OpKind::test || nonblocking_probe || op == Op::win_test || op == Op::parrived;
}

}  // namespace

std::vector<std::int32_t> communicators_made_at_start(const Scenario& scenario) {
  std::vector<bool> created(scenario.comms.size(), false), used(scenario.comms.size(), false);
  for (const RankTrace& rank : scenario.ranks) {
    for (const Event& event : rank.events) {
      if (event.extras.new_comm() != kNoComm) created[static_cast<std::size_t>(event.extras.new_comm())] = true;
      if (event.comm != kNoComm) used[static_cast<std::size_t>(event.comm)] = true;
    }
  }
  std::vector<std::int32_t> made;
  for (std::size_t i = 1; i < scenario.comms.size(); ++i) {
    if (used[i] && !created[i] && scenario.comms[i].known) made.push_back(static_cast<std::int32_t>(i));
  }
  return made;
}

bool is_repeated_by(const Event& event, const Event& next) {
  return is_poll(event.op) && event.flag == 0 && next.op == event.op && next.request == event.request &&
         next.comm == event.comm && next.peer == event.peer && tag_of(next) == tag_of(event) &&
         next.extras.requests() == event.extras.requests() && next.extras.index() == event.extras.index() &&
         next.extras.win() == event.extras.win();
}

bool is_endless(const RankTrace& rank, const Event& event, bool last) {
  if (!last && event.state != EventState::started) return false;
  const bool left_behind = rank.end.stated && (rank.end.kind == EndKind::running || rank.end.kind == EndKind::cut);
  if (!left_behind || event.state == EventState::completed) return false;
  if (is_poll(event.op)) return event.flag != 1;
  return kind_of(event.op) == OpKind::host && event.state == EventState::started;
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

void note_refusal(const std::filesystem::path& recording, const WorkerRefusal& refusal) {
  std::ofstream(recording / "refused") << refusal.status << ' ' << refusal.reason;
}

WorkerRefusal refusal_in(const std::filesystem::path& recording) {
  std::ifstream file(recording / "refused");
  WorkerRefusal refusal;
  file >> refusal.status;
  file.get();
  refusal.reason = {std::istreambuf_iterator<char>(file), {}};
  return refusal;
}

}  // namespace petri
