#include <algorithm>
#include <utility>

#include "harness/trace/op_keys.hpp"
#include "reducers/passes.hpp"
#include "reducers/searches.hpp"

namespace petri::reduce {
namespace {

enum class Facts { all, states_and_clocks, clocks };

// The program of a rank without what became of it in the recorded run. How a rank failed is no such accident.
void forget(RankTrace& rank, Facts facts) {
  const bool recorder_ended = rank.end.kind == EndKind::running || rank.end.kind == EndKind::finalized;
  if (facts == Facts::all && recorder_ended) rank.end = RankEnd{};
  rank.times.clear();
  for (Event& event : rank.events) {
    // Only an event that was observed may lack what its operation needs.
    if (facts != Facts::clocks && missing_argument(event) == nullptr) event.state = EventState::unknown;
  }
}

Scenario forget_rank(const Scenario& scenario, std::size_t rank, Facts facts) {
  Scenario result = scenario;
  forget(result.ranks[rank], facts);
  return result;
}

Scenario forget_everywhere(const Scenario& scenario, Facts facts) {
  Scenario result = scenario;
  for (RankTrace& rank : result.ranks) forget(rank, facts);
  return result;
}

bool knows_more_than_the_program(const RankTrace& rank) {
  return rank.end.stated || !rank.times.empty() ||
         std::any_of(rank.events.begin(), rank.events.end(),
                     [](const Event& event) { return event.state != EventState::unknown; });
}

class ForgetRun final : public Pass {
 public:
  std::string_view name() const override { return "forget the run"; }
  std::unique_ptr<Search> propose(const ScenarioPtr& current, const PassContext&) const override {
    return try_in_order(current, [](const ScenarioPtr& now) {
      std::vector<Proposal> proposals;
      std::vector<std::size_t> ranks;
      for (std::size_t rank = 0; rank < now->ranks.size(); ++rank)
        if (knows_more_than_the_program(now->ranks[rank])) ranks.push_back(rank);
      if (ranks.empty()) return proposals;
      for (const Facts facts : {Facts::all, Facts::states_and_clocks, Facts::clocks}) {
        proposals.push_back([now, facts] { return std::optional(forget_everywhere(*now, facts)); });
        for (const std::size_t rank : ranks) {
          proposals.push_back([now, rank, facts] { return std::optional(forget_rank(*now, rank, facts)); });
        }
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
