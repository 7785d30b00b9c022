// Calls that the record shows to be over although another member came to their place with another operation.
#pragma once

#include <optional>

#include "harness/model/run.hpp"
#include "harness/trace/scenario.hpp"

namespace petri::diagnosis {

// The scenario as the rules have it, where different operations that meet never join (MPI 4.1, section 6.1; NCCL leaves
// undefined what they do): who made one of them is still in it. Nothing where `run` shows no such call that the record
// lets go on. What a device was seen to get past proves no order among the calls of a rank, but that these met at one
// place of one group needs no order. Of processes, a strict run tells the same, if it comes as far: `also_of_hosts`.
std::optional<Scenario> halted_where_operations_differ(const Scenario& scenario, const model::Run& run,
                                                       bool also_of_hosts);

inline constexpr const char* kWentPast = "this run got past it all the same: by luck, not by the rules";

}  // namespace petri::diagnosis
