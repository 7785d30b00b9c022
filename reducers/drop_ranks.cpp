#include <utility>

#include "reducers/passes.hpp"
#include "reducers/searches.hpp"

namespace petri::reduce {
namespace {

class DropRanks final : public Pass {
 public:
  std::string_view name() const override { return "drop ranks"; }
  std::unique_ptr<Search> propose(const ScenarioPtr& current, const PassContext& context) const override {
    Units units;
    for (std::int32_t rank = 0; rank < current->world(); ++rank) units.add({{&rank, 1}, {}, {}});
    return remove_units(current, std::move(units), context);
  }
};

}  // namespace

PassPtr drop_ranks() {
  return std::make_unique<DropRanks>();
}

}  // namespace petri::reduce
