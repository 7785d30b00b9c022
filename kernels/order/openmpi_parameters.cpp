#include "kernels/order/openmpi_parameters.hpp"

#include <algorithm>

namespace petri::order::openmpi {
namespace {

constexpr const char* kAboveAll = "90";  // tuned has priority 30
constexpr std::int32_t kUsualFanout = 4, kUsualOfAdapt = 1;

std::string name_of(Collective collective) {
  return std::string(kCollectiveNames[static_cast<std::size_t>(collective)]);
}

void force_tuned(const Invocation& how, Parameters& parameters) {
  const std::string prefix = "coll_tuned_" + name_of(how.collective) + "_algorithm";
  parameters["coll_tuned_use_dynamic_rules"] = "1";
  parameters[prefix] = std::to_string(how.algorithm);
  if (how.segment_bytes > 0) parameters[prefix + "_segmentsize"] = std::to_string(how.segment_bytes);
  if (how.collective == Collective::reduce && how.fanout != kUsualFanout)
    parameters[prefix + "_chain_fanout"] = std::to_string(how.fanout);
}

}  // namespace

Parameters parameters_of(const Invocation& how) {
  Parameters parameters;
  switch (how.component) {
    case Component::sm: parameters["coll_sm_priority"] = kAboveAll; break;
    case Component::han: parameters["coll_han_priority"] = kAboveAll; break;
    case Component::adapt:
      parameters["coll_adapt_priority"] = kAboveAll;
      parameters["coll_adapt_reduce_algorithm"] = std::to_string(std::max(how.algorithm, kUsualOfAdapt));
      break;
    case Component::usual:
      if (how.algorithm == 0) break;
      if (how.collective == Collective::iallreduce || how.collective == Collective::ireduce)
        parameters["coll_libnbc_" + name_of(how.collective) + "_algorithm"] = std::to_string(how.algorithm);
      else
        force_tuned(how, parameters);
  }
  return parameters;
}

}  // namespace petri::order::openmpi
