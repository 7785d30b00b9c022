// The passes, each in a file of its own name.
#pragma once

#include <memory>
#include <vector>

#include "reducers/pass.hpp"

namespace petri::reduce {

using PassPtr = std::unique_ptr<const Pass>;

// Ranks that behave alike are kept in few copies; peers that go are dropped, or rewired to the next kept member.
PassPtr merge_roles();
// Only what the failure is made of and needs, from its events backwards.
PassPtr slice();
// Whole steps and microbatches: as recorded, else what lies between repeated calls.
PassPtr drop_steps();
PassPtr drop_ranks();
// A rank whose window others lock or use goes, and another rank is their target instead.
PassPtr move_targets();
PassPtr drop_comms();
// Events that belong together (groups.hpp), then single ones.
PassPtr drop_groups();
PassPtr drop_events();
// Groups by two, where neither can go alone: a receive of any source and the send that it got.
PassPtr drop_pairs();
// A communicator of all that are left becomes the world, if nobody uses that.
PassPtr collapse_comms();
// States, ends and clocks of the recorded run, where the program alone fails in the same way.
PassPtr forget_run();
// Counts become as small as their order allows.
PassPtr shrink_payload();
// Elements of reductions that are evaluated in several orders, on all ranks at once; the numbers are written out for
// it.
PassPtr drop_elements();

// All of them, from coarse to fine.
std::vector<PassPtr> all_passes();

}  // namespace petri::reduce
