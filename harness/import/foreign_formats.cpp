#include "harness/import/flight_recorder.hpp"
#include "harness/import/foreign.hpp"

namespace petri {

const std::vector<ForeignFormat>& foreign_formats() {
  static const std::vector<ForeignFormat> formats{
      {"PyTorch Flight Recorder", is_flight_dump, read_flight_dumps},
  };
  return formats;
}

}  // namespace petri
