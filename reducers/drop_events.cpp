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
    Groups groups = group_events(*current);
    std::vector<Unit> units;
    for (auto& members : groups.members) units.push_back({{}, {}, std::move(members)});
    return remove_units(current, std::move(units), context);
  }
};

class DropEvents final : public Pass {
 public:
  std::string_view name() const override { return "drop events"; }
  std::unique_ptr<Search> propose(const ScenarioPtr& current, const PassContext& context) const override {
    std::vector<Unit> units;
    for (std::int32_t rank = 0; rank < current->world(); ++rank) {
      const auto size = static_cast<std::uint32_t>(current->ranks[static_cast<std::size_t>(rank)].events.size());
      for (std::uint32_t i = 0; i < size; ++i) units.push_back({{}, {}, {{rank, i}}});
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
