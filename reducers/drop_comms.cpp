#include <algorithm>
#include <utility>

#include "reducers/groups.hpp"
#include "reducers/passes.hpp"
#include "reducers/searches.hpp"

namespace petri::reduce {
namespace {

// A communicator goes with all that uses it. The call that made it stays on the parent, without its result, unless
// nothing else comes out of that call: then it goes too.
Units units_of(const Scenario& scenario) {
  const Groups groups = group_events(scenario);
  std::vector<std::vector<EventRef>> makers(scenario.comms.size());
  for (std::uint32_t group = 0; group < groups.size(); ++group) {
    const auto members = groups.members(group);
    std::int32_t made = kNoComm;
    bool alone = true;
    for (const EventRef ref : members) {
      const std::int32_t here = at(scenario, ref).extras.new_comm();
      if (here == kNoComm) continue;
      alone = alone && (made == kNoComm || made == here);
      made = here;
    }
    if (made == kNoComm || !alone) continue;
    auto& events = makers[static_cast<std::size_t>(made)];
    events.insert(events.end(), members.begin(), members.end());
  }
  Units units;
  for (std::int32_t comm = 1; static_cast<std::size_t>(comm) < makers.size(); ++comm) {  // the world stays
    units.add({{}, {&comm, 1}, makers[static_cast<std::size_t>(comm)]});
  }
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
