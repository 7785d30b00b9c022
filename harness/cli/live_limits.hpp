// Which scenarios `shrink` and `check` replay live, and why not the others.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/trace/scenario.hpp"

namespace petri::cli {

// Why none shows a divergence.
inline constexpr std::string_view kNumbersAreItsOwn =
    "a replay reduces numbers of its own, in the one order that its library chooses";

inline constexpr std::int32_t kMaxLiveWorld = 16;  // ranks are processes of this machine

// Does a scenario need NCCL itself? Its collectives and messages are MPI's too, and block as MPI's do when they are
// replayed; streams and groups are its own.
bool needs_nccl(const Scenario& scenario);

// Empty when a live replay makes sense; otherwise the reason why it does not. A scenario says so itself by the header
// key "x_live":"no: <reason>", e.g. where only some orders of arrival fail.
std::string why_not_live(const Scenario& scenario);

}  // namespace petri::cli
