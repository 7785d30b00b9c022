// Equal rare arguments kept once: in a large job, many ranks and steps name the same streams, requests and counts.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "harness/trace/event.hpp"

namespace petri {

class ExtrasPool {
 public:
  // Lets `extras` share an equal object that was seen before, where there is one. Takes time of the order of its lists.
  void share(ExtrasBox& extras);

 private:
  std::unordered_map<std::uint64_t, ExtrasBox> latest_;  // by a hash of what usually differs: the last one seen
};

}  // namespace petri
