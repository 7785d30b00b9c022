// Which algorithm Open MPI 4.1 takes unless one is forced: by ranks and bytes, as in
// ompi/mca/coll/tuned/coll_tuned_decision_fixed.c of the v4.1 branch.
#pragma once

#include <cstdint>
#include <vector>

namespace petri::order::openmpi {

enum class Decision : std::uint8_t { allreduce, reduce, reduce_scatter, reduce_scatter_block };

// `bytes` of the whole vector; of one rank's block for reduce_scatter_block.
std::int32_t usual_algorithm(Decision decision, std::int32_t ranks, std::uint64_t bytes, bool commutative);

// The bytes from which another algorithm is taken, ascending.
std::vector<std::uint64_t> borders(Decision decision, std::int32_t ranks, bool commutative);

}  // namespace petri::order::openmpi
