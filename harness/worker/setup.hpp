// What a replay makes before the first event, because no event of the scenario makes it.
#pragma once

#include <cstdint>
#include <filesystem>

#include "harness/trace/scenario.hpp"
#include "harness/worker/holdings.hpp"

namespace petri {

// The communicators that no event creates (plan.hpp).
void make_communicators(const Scenario& scenario, std::int32_t rank, Holdings& holdings);

// What is known of all windows; and those that no event creates, as windows of memory that MPI allocates.
void make_windows(const Scenario& scenario, std::int32_t rank, Holdings& holdings);

// The files that no event opens, for reading and writing.
void open_files(const Scenario& scenario, const std::filesystem::path& folder, std::int32_t rank, Holdings& holdings);

}  // namespace petri
