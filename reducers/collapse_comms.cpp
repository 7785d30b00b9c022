#include <algorithm>
#include <memory>
#include <utility>

#include "reducers/passes.hpp"
#include "reducers/searches.hpp"

namespace petri::reduce {
namespace {

constexpr const char* kWorld = "world";

bool is_made(const Scenario& scenario, std::int32_t comm) {
  for (const RankTrace& rank : scenario.ranks)
    for (const Event& event : rank.events)
      if (event.extras.new_comm() == comm) return true;
  return false;
}

// Leaders find each other over another communicator, the world where none is named.
bool meets_over_world(const Event& event) {
  return event.op == Op::intercomm_create && (event.extras.remote().empty() || event.extras.remote() == kWorld);
}

// Synchronizing with a device or with nobody is on none.
bool is_on_communicator(Op op) {
  return kind_of(op) != OpKind::device && kind_of(op) != OpKind::host;
}

bool world_is_used(const Scenario& scenario) {
  for (const RankTrace& rank : scenario.ranks)
    for (const Event& event : rank.events)
      if ((event.comm == 0 && is_on_communicator(event.op)) || meets_over_world(event)) return true;
  return false;
}

// Of all ranks in their order, so that group ranks are ranks of the world.
bool is_like_world(const Scenario& scenario, const Communicator& comm) {
  if (!comm.known || comm.is_inter() || comm.ranks != scenario.comms[0].ranks) return false;
  return comm.backend.empty() || comm.backend == scenario.header.backend;
}

Scenario with_world_for(const Scenario& base, std::int32_t collapsed) {
  Scenario result(base.world());
  result.header = base.header;
  result.cut = base.cut;
  result.symbols = base.symbols;
  result.ranks = base.ranks;
  std::vector<std::int32_t> now(base.comms.size(), 0);
  const std::string& gone = base.comms[static_cast<std::size_t>(collapsed)].name;
  for (std::size_t i = 1; i < base.comms.size(); ++i) {
    if (static_cast<std::int32_t>(i) == collapsed) continue;
    Communicator comm = base.comms[i];
    if (comm.parent == gone) comm.parent.clear();
    now[i] = result.add_comm(std::move(comm));
  }
  for (RankTrace& rank : result.ranks) {
    for (auto& [comm, position] : rank.end.joined) comm = now[static_cast<std::size_t>(comm)];
    for (Event& event : rank.events) {
      event.comm = now[static_cast<std::size_t>(event.comm)];
      if (event.extras.remote() == gone) event.extras.set_remote(kWorld);
      if (event.extras.new_comm() != kNoComm)
        event.extras.set_new_comm(now[static_cast<std::size_t>(event.extras.new_comm())]);
    }
  }
  return result;
}

// A group of all the ranks that are left is the world by another name, where nobody uses the world itself: two
// communicators never become one.
class CollapseComms final : public Pass {
 public:
  std::string_view name() const override { return "collapse groups"; }
  std::unique_ptr<Search> propose(const ScenarioPtr& current, const PassContext&) const override {
    return try_in_order(current, [](const ScenarioPtr& now) {
      std::vector<Proposal> proposals;
      if (world_is_used(*now)) return proposals;
      for (std::size_t i = 1; i < now->comms.size(); ++i) {
        const auto comm = static_cast<std::int32_t>(i);
        if (!is_like_world(*now, now->comms[i]) || is_made(*now, comm)) continue;
        proposals.push_back([now, comm] { return std::optional(with_world_for(*now, comm)); });
      }
      return proposals;
    });
  }
};

}  // namespace

PassPtr collapse_comms() {
  return std::make_unique<CollapseComms>();
}

}  // namespace petri::reduce
