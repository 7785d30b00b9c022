#include <utility>

#include "reducers/groups.hpp"
#include "reducers/passes.hpp"
#include "reducers/searches.hpp"

namespace petri::reduce {
namespace {

class DropGroups final : public Pass {
 public:
  std::string_view name() const override { return "drop groups"; }
  std::unique_ptr<Search> propose(const ScenarioPtr& current, const PassContext& context) const override {
    const Groups groups = group_events(*current);
    Units units;
    for (std::uint32_t group = 0; group < groups.size(); ++group) units.add({{}, {}, groups.members(group)});
    return remove_units(current, std::move(units), context);
  }
};

class DropEvents final : public Pass {
 public:
  std::string_view name() const override { return "drop events"; }
  std::unique_ptr<Search> propose(const ScenarioPtr& current, const PassContext& context) const override {
    Units units;
    for (std::int32_t rank = 0; rank < current->world(); ++rank) {
      const auto size = static_cast<std::uint32_t>(current->ranks[static_cast<std::size_t>(rank)].events.size());
      for (EventRef event{rank, 0}; event.index < size; ++event.index) units.add({{}, {}, {&event, 1}});
    }
    return remove_units(current, std::move(units), context);
  }
};

}  // namespace

PassPtr drop_groups() {
  return std::make_unique<DropGroups>();
}

PassPtr drop_events() {
  return std::make_unique<DropEvents>();
}

}  // namespace petri::reduce
