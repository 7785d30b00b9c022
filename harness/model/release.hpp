// Which blocked ranks can still be released: the least fixed point over AND and OR waits.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/model/run.hpp"

namespace petri::model {

// Ranks among run.waits that nothing can release, ascending. Running and unknown ranks are taken to be able to supply
// whatever others need from them; finished and dead ones supply nothing.
std::vector<std::int32_t> stuck_ranks(const Run& run);

}  // namespace petri::model
