// What each fault puts into a job. Each answers who began it.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/jobs/phase.hpp"

namespace petri::jobs::plants {

using Culprits = std::vector<std::int32_t>;

// Collectives.
Culprits guard_shift(Phase& phase);
Culprits guard_shift_at_the_end(Phase& phase);
Culprits order_swap(Phase& phase);
Culprits silent_swap(Phase& phase);
Culprits silent_swap_without_sites(Phase& phase);
Culprits sharded_module_skipped(Phase& phase);
Culprits every_rank_its_own_root(Phase& phase);
Culprits own_root(Phase& phase);
Culprits history_flag(Phase& phase);
Culprits clock_decision(Phase& phase);
Culprits bucket_order(Phase& phase);
Culprits number_becomes_control_flow(Phase& phase);

// Communicators.
Culprits two_communicators(Phase& phase);
Culprits pairwise_communicators(Phase& phase);
Culprits pairwise_communicators_legal(Phase& phase);
Culprits group_creation_lacks_member(Phase& phase);
Culprits private_groups_in_one_call(Phase& phase);
Culprits private_groups_by_group(Phase& phase);

// Messages and windows.
Culprits send_send(Phase& phase);
Culprits send_send_ordered(Phase& phase);
Culprits deferred_receives(Phase& phase);
Culprits probe_race(Phase& phase);
Culprits message_mixing(Phase& phase);
Culprits lock_and_barrier(Phase& phase);
Culprits lock_and_barrier_shared(Phase& phase);

// Ranks that go their own way, and recordings of jobs that were stopped.
Culprits error_path(Phase& phase);
Culprits error_path_unrecorded(Phase& phase);
Culprits slow_rank(Phase& phase);
Culprits signal_exit(Phase& phase);
Culprits signal_finalize(Phase& phase);
Culprits no_ordering_fault(Phase& phase);
Culprits transport_text(Phase& phase);
Culprits barrier_left_early(Phase& phase);

// Misuse.
Culprits communicator_used_after_free(Phase& phase);
Culprits communicator_freed(Phase& phase);
Culprits collective_request_freed(Phase& phase);
Culprits message_request_freed(Phase& phase);
Culprits request_never_completed(Phase& phase);
Culprits started_while_active(Phase& phase);
Culprits memory_in_use(Phase& phase);
Culprits memory_beside(Phase& phase);
Culprits window_used_after_free(Phase& phase);
Culprits access_outside_an_epoch(Phase& phase);
Culprits access_in_an_epoch(Phase& phase);
Culprits reduction_without_meaning(Phase& phase);

// In the job's own calls.
Culprits own_send_left_out(Phase& phase);
Culprits own_receive_left_out(Phase& phase);
Culprits own_message_with_wrong_tag(Phase& phase);
Culprits own_collective_left_out(Phase& phase);
Culprits own_finalize_in_the_middle(Phase& phase);
Culprits own_wait_left_out(Phase& phase);
Culprits own_request_freed(Phase& phase);

}  // namespace petri::jobs::plants
