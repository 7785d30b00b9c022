// The titles that PyTorch gives to communication calls: "nccl:all_reduce", "nccl:send 0->3", "gloo:barrier".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/trace/event.hpp"

namespace petri {

struct FlightTitle {
  std::string_view backend;    // a part of the title; empty where it names none
  std::optional<Op> op;        // nothing for a name that is not known
  bool coalesced = false;      // ends a launch of several calls, and says nothing of them
  bool uneven = false;         // the parts of the members may differ in size: "all_gather_v"
  std::int32_t peer = kUnset;  // group rank, of a send or recv; kAny of one that takes what comes first
};

FlightTitle read_flight_title(std::string_view title);

}  // namespace petri
