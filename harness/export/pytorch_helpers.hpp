// The fixed parts of a generated script. Internal to harness/export.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace petri::pytorch {

// In the order in which they are written.
enum class Helper : std::uint8_t {
  rooms,
  wait,
  wait_any,
  enqueue,
  events,
  compute,
};

// The functions that the ranks' calls use: those that all scripts have, and those wanted.
std::string helper_functions(const std::set<Helper>& wanted);

// How a script starts its ranks, watches them and ends.
std::string_view runner();

}  // namespace petri::pytorch
