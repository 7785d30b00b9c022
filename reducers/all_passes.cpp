#include "reducers/passes.hpp"

namespace petri::reduce {

std::vector<PassPtr> all_passes() {
  std::vector<PassPtr> passes;
  for (const auto make : {merge_roles, slice, drop_steps, drop_ranks, move_targets, drop_comms, drop_groups,
                          drop_events, drop_pairs, collapse_comms, forget_run, shrink_payload, drop_elements}) {
    passes.push_back(make());
  }
  return passes;
}

}  // namespace petri::reduce
