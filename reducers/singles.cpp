#include "reducers/singles.hpp"

#include "reducers/repair.hpp"

namespace petri::reduce {

std::vector<Proposal> single_removals(const ScenarioPtr& base) {
  std::vector<Proposal> singles;
  const auto without = [&](auto take_away) {
    singles.push_back([base, take_away] {
      Selection keep = Selection::all(*base);
      take_away(keep);
      return cut(*base, keep);
    });
  };
  for (std::size_t rank = 0; rank < base->ranks.size(); ++rank) {
    without([rank](Selection& keep) { keep.ranks[rank] = 0; });
    for (std::uint32_t i = 0; i < base->ranks[rank].events.size(); ++i) {
      const EventRef event{static_cast<std::int32_t>(rank), i};
      without([event](Selection& keep) { keep.drop(event); });
      if (kind_of(at(*base, event).op) != OpKind::start) continue;
      without([event](Selection& keep) {
        keep.drop(event);
        keep.idle = Idle::stays;
      });
    }
  }
  for (std::size_t comm = 1; comm < base->comms.size(); ++comm)
    without([comm](Selection& keep) { keep.comms[comm] = 0; });
  return singles;
}

}  // namespace petri::reduce
