// Any bytes at all as a dump of the Flight Recorder in JSON: refused with a reason, or a dump that holds together.
#include <cstdint>
#include <string_view>

#include "harness/import/flight_json.hpp"
#include "tests/fuzz/flight_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace petri;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static FlightReader reader;
  fuzz::hold_dump(bytes, [&] { return reader.json("input", bytes); });
  fuzz::touch(closed_json(bytes));
  fuzz::touch(looks_like_flight_json(bytes) ? "dump" : "");
  return 0;
}
