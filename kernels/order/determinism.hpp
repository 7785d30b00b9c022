// How far the bits of a reduction are the same, named by scope as CUB names it (CCCL, cuda::execution::determinism),
// and one scope beyond.
#pragma once

#include <cstdint>
#include <string_view>

namespace petri::order {

enum class Determinism : std::uint8_t {
  not_guaranteed,   // may change from call to call, or is not defined by any source that Petri knows
  run_to_run,       // the same order in each run of the same shape on the same machine
  gpu_to_gpu,       // and on every machine
  order_invariant,  // the same bits for any order, topology, number of ranks and width of vectors
};

std::string_view name_of(Determinism determinism);  // "not_guaranteed" …

}  // namespace petri::order
