#include <algorithm>
#include <utility>

#include "reducers/groups.hpp"
#include "reducers/passes.hpp"
#include "reducers/searches.hpp"

namespace petri::reduce {
namespace {

// A communicator goes with all that uses it. The call that made it stays on the parent, without its result, unless
// nothing else comes out of that call: then it goes too.
std::vector<Unit> units_of(const Scenario& scenario) {
  const Groups groups = group_events(scenario);
  std::vector<Unit> units(scenario.comms.size());
  for (std::size_t comm = 1; comm < units.size(); ++comm) units[comm].comms.push_back(static_cast<std::int32_t>(comm));
  for (const auto& members : groups.members) {
    std::int32_t made = kNoComm;
    bool alone = true;
    for (const EventRef ref : members) {
      const std::int32_t here = at(scenario, ref).extras.new_comm();
      if (here == kNoComm) continue;
      alone = alone && (made == kNoComm || made == here);
      made = here;
    }
    if (made == kNoComm || !alone) continue;
    auto& events = units[static_cast<std::size_t>(made)].events;
    events.insert(events.end(), members.begin(), members.end());
  }
  units.erase(units.begin());  // the world stays
  return units;
}

class DropComms final : public Pass {
 public:
  std::string_view name() const override { return "drop communicators"; }
  std::unique_ptr<Search> propose(const ScenarioPtr& current, const PassContext& context) const override {
    return remove_units(current, units_of(*current), context);
  }
};

}  // namespace

PassPtr drop_comms() {
  return std::make_unique<DropComms>();
}

}  // namespace petri::reduce
