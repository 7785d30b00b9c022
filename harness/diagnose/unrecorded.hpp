// What ranks without a record may be doing, by what the other groups of a kind did (kin.hpp): a program makes the same
// calls on all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/diagnose/kin.hpp"
#include "harness/model/run.hpp"

namespace petri::diagnosis {

// A rank without a record that may wait for `by`, which has not come to a call that another group of the kind made:
// there `like` stands for the call of the first such group. Or one in whose place there a rank waits for a message.
struct HeldUp {
  std::int32_t rank = 0, by = 0;
  EventRef like;
};

// Which of `unknown` may wait for one of `stopped`, or for one that is held up itself, blocked or without a record.
// Both ascend, as what is returned.
std::vector<HeldUp> held_up(const Scenario& scenario, const model::Run& run, const Kin& kin,
                            const std::vector<std::int32_t>& unknown, const std::vector<std::int32_t>& stopped);

// A rank that came to a collective without a call on a group, while all others there had made it on theirs of the kind;
// where they met before, all had made as many, or nothing is recorded of that and several groups made just one more.
// Who is without a record may wait for it there.
struct LeftOut {
  std::int32_t rank = 0, unknown = 0;
  EventRef came;           // its call at the collective
  std::int32_t comm = 0;   // its group
  std::int64_t first = 0;  // position of the first call there that it left out
  std::vector<std::int32_t> others;
  bool met_before = true;
};
std::optional<LeftOut> left_out_before_a_collective(const Scenario& scenario, const model::Run& run,
                                                    const std::vector<std::int32_t>& unknown);

}  // namespace petri::diagnosis
