#include "harness/trace/payload.hpp"

namespace petri {

Payload payload_of(const Event& event) {
  Payload payload{.values = event.extras.values()};
  if (const auto& fill = event.extras.fill()) {
    payload.generator = fill->generator;
    payload.seed = fill->seed;
    payload.scale = fill->scale;
  }
  return payload;
}

}  // namespace petri
