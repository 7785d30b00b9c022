#include <limits>
#include <utility>

#include "reducers/passes.hpp"
#include "reducers/searches.hpp"

namespace petri::reduce {
namespace {

// The program of a rank without what became of it in the recorded run. How a rank failed is no such accident.
void forget(RankTrace& rank) {
  if (rank.end.kind == EndKind::running || rank.end.kind == EndKind::finalized) rank.end = RankEnd{};
  for (Event& event : rank.events) {
    event.state = EventState::unknown;
    event.time = std::numeric_limits<double>::quiet_NaN();
  }
}

Scenario forget_rank(const Scenario& scenario, std::size_t rank) {
  Scenario result = scenario;
  forget(result.ranks[rank]);
  return result;
}

Scenario forget_all(const Scenario& scenario) {
  Scenario result = scenario;
  for (RankTrace& rank : result.ranks) forget(rank);
  return result;
}

class ForgetRun final : public Pass {
 public:
  std::string_view name() const override { return "forget the run"; }
  std::unique_ptr<Search> propose(const ScenarioPtr& current, const PassContext&) const override {
    return try_in_order(current, [](const ScenarioPtr& now) {
      std::vector<Proposal> proposals;
      proposals.push_back([now] { return std::optional(forget_all(*now)); });
      for (std::size_t rank = 0; rank < now->ranks.size(); ++rank) {
        proposals.push_back([now, rank] { return std::optional(forget_rank(*now, rank)); });
      }
      return proposals;
    });
  }
};

}  // namespace

PassPtr forget_run() {
  return std::make_unique<ForgetRun>();
}

}  // namespace petri::reduce
