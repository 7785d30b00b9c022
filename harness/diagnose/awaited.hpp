// Who waits, and for whom, at the end of a run in which somebody may still come.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/run.hpp"

namespace petri::diagnosis {

// Ranks that a blocked rank waits for directly.
std::set<std::int32_t> awaited_by(const model::Run& run, const model::Wait& wait);
std::set<std::int32_t> awaited_ranks(const model::Run& run);

// The call in which a rank waits; nothing for a finalize that its record implies.
std::optional<EventRef> call_of(const Scenario& scenario, const model::Wait& wait);
std::string_view op_of(const Scenario& scenario, const model::Wait& wait);

// "ranks 0,2 wait in barrier at solver.c:12".
std::string waiters_text(const Scenario& scenario, const std::vector<model::Wait>& waits);

// A sentence out of a text that begins with "rank 3" or the like.
std::string capitalized(std::string text);

// Of those who wait for some of `late`, the ones who wait for the fewest others besides: what holds them up holds up
// the rest. All in the same operation.
std::vector<model::Wait> nearest_waits(const Scenario& scenario, const model::Run& run,
                                       const std::vector<std::int32_t>& late);

}  // namespace petri::diagnosis
