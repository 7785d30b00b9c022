// What a collective sends and receives, in bytes, as OTF2's records have it. Internal to harness/export.
#pragma once

#include <cstdint>

#include "harness/trace/scenario.hpp"

namespace petri {

struct CollectiveSizes {
  std::uint64_t sent = 0, received = 0;
};

// As Score-P reckons them for buffers that are not in place (Score-P 9, src/adapters/mpi/scorep_mpi_coll.inc.c): what a
// rank exchanges with each member, itself with them, summed up. 0 where the counts or the type are unknown.
CollectiveSizes collective_sizes(const Scenario& scenario, std::int32_t rank, const Event& event);

}  // namespace petri
