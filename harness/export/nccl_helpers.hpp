// The fixed parts of a generated NCCL program. Internal to harness/export.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace petri::nccl {

// How a rank is watched and waits, and what its calls use; `parts` names the collectives made of sends and receives.
std::string helper_functions(const std::set<std::string_view>& parts);

// How a program starts its ranks and ends.
std::string_view runner();

}  // namespace petri::nccl
