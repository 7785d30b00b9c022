// Which messages of a job's dumps are left out: those that are over, and whose other side may be lost.
//
// Messages between two ranks pair in their order, so that it matters where the count begins. Where rings lost the
// beginnings of records, it begins behind the last collective that both ranks have completed and both records still
// show: what either enqueued before it is over and left out, what comes after it is kept on both sides, completed or
// not. Ranks without such a collective keep what is not over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "harness/import/flight_groups.hpp"
#include "harness/import/flight_progress.hpp"

namespace petri {

// By record and event: is it left out? Waits for launches of which nothing is kept are.
std::vector<std::vector<bool>> messages_left_out(const std::vector<FlightRecord>& records, const FlightGroups& groups);

// Takes the requests that are `gone`, as the calls that began them are left out, from those of a wait.
void keep_requests(Event& wait, const std::set<std::uint32_t>& gone);

}  // namespace petri
