// A job's records as the events of its ranks. Internal to harness/import.
#pragma once

#include <vector>

#include "harness/import/flight_groups.hpp"
#include "harness/import/flight_progress.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

// Not all of every rank's calls are there: the other side of a message that is over may be in none of the records, so
// that such messages are left out (flight_messages.hpp).
bool is_partial(const Scenario& scenario, const std::vector<FlightRecord>& records,
                const std::vector<FlightStanding>& standings);

// Adds the groups that are `used` to the scenario, which has its world only, and moves the calls of the records into
// it. Ranks without a record end `missing`. `standings` are those of settle(); times count from the earliest one that
// any record states.
void fill_scenario(Scenario& scenario, const FlightGroups& groups, const std::vector<bool>& used,
                   const std::vector<FlightStanding>& standings, std::vector<FlightRecord>& records);

}  // namespace petri
