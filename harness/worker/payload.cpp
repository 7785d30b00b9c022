#include "harness/worker/payload.hpp"

#include "harness/trace/payload.hpp"
#include "kernels/cpu/payload.hpp"

namespace petri {

Bytes payload_of(const Event& event, std::int32_t rank, ElementType type, std::size_t elements) {
  const std::size_t size = size_of(type) == 0 ? sizeof(std::int32_t) : size_of(type);
  Bytes buffer(elements * size);
  kernels::write_payload(payload_of(event), rank, type, 0, elements, buffer.data());
  return buffer;
}

}  // namespace petri
