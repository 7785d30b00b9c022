// Messages between the ranks that all but one have come to a collective: where each pair exchanged as many, one more or
// one less tells who began it, even in the first round of a job.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/diagnose/testimony.hpp"
#include "harness/model/run.hpp"

namespace petri::diagnosis {

// All members of a collective stand in it but one of `suspects`, which waits for messages with some of them. Did each
// other pair that used such messages (same communicator and tag) exchange as many as the other pairs, and at least two
// pairs do? Then the absentee went on to one too many, by itself or past the collective, where its pair had exchanged
// as many already, and its partner left one out where they lack one. Of a wait for any source the pairs are those with
// each member, if the absentee sends none. Nothing where other messages are on their way, or a tag may be any.
std::optional<Testimony> uneven_channel(const Scenario& scenario, const model::Run& run,
                                        const std::vector<std::int32_t>& suspects);

}  // namespace petri::diagnosis
