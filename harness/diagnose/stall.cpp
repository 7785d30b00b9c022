#include "harness/diagnose/stall.hpp"

#include <algorithm>

#include "harness/model/run.hpp"

namespace petri {

Stall prove_stall(const Scenario& snapshot) {
  model::Assumptions as_recorded;
  as_recorded.follow_record = true;
  const model::Run run = model::run(snapshot, as_recorded);
  Stall stall;
  stall.ranks = run.stuck;
  for (const model::Wait& wait : run.waits)
    if (wait.polls && std::binary_search(run.stuck.begin(), run.stuck.end(), wait.rank)) stall.assumes_polls = true;
  return stall;
}

}  // namespace petri
