#include "harness/record/boundary.hpp"

#include <cmath>
#include <cstring>

#define XXH_INLINE_ALL  // no library, no symbol: the header alone
#include <xxhash.h>

namespace petri::record {
namespace {

struct Tally {
  double min = HUGE_VAL, max = -HUGE_VAL, sum = 0, squares = 0;
  std::uint64_t values = 0, nan = 0, inf = 0;

  void add(double value) {
    if (__builtin_isnan(value)) {
      ++nan;
      return;
    }
    if (__builtin_isinf(value)) ++inf;
    if (value < min) min = value;
    if (value > max) max = value;
    sum += value;
    squares += value * value;
    ++values;
  }
};

template <class Number>
void tally(Tally& tally, const void* data, std::int64_t count) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::int64_t i = 0; i < count; ++i) {
    Number value;
    std::memcpy(&value, bytes + i * static_cast<std::int64_t>(sizeof value), sizeof value);
    tally.add(static_cast<double>(value));
  }
}

// False for a type whose values have no order or no plain C counterpart.
bool tally_by_type(Tally& to, const OutBuffer& buffer) {
  const std::int64_t n = buffer.count * buffer.type.per_element;
  switch (buffer.type.basic) {
    case ElementType::int8: tally<std::int8_t>(to, buffer.data, n); return true;
    case ElementType::uint8: tally<std::uint8_t>(to, buffer.data, n); return true;
    case ElementType::int16: tally<std::int16_t>(to, buffer.data, n); return true;
    case ElementType::uint16: tally<std::uint16_t>(to, buffer.data, n); return true;
    case ElementType::int32: tally<std::int32_t>(to, buffer.data, n); return true;
    case ElementType::uint32: tally<std::uint32_t>(to, buffer.data, n); return true;
    case ElementType::int64: tally<std::int64_t>(to, buffer.data, n); return true;
    case ElementType::uint64: tally<std::uint64_t>(to, buffer.data, n); return true;
    case ElementType::float32: tally<float>(to, buffer.data, n); return true;
    case ElementType::float64: tally<double>(to, buffer.data, n); return true;
    case ElementType::longdouble: tally<long double>(to, buffer.data, n); return true;
    default: return false;
  }
}

std::uint32_t saturated(std::uint64_t n) {
  return n < 0xffffffffu ? static_cast<std::uint32_t>(n) : 0xffffffffu;
}

}  // namespace

void write_boundary(PartSlot& part, const OutBuffer& buffer) {
  Boundary boundary{};
  const auto bytes = static_cast<std::size_t>(buffer.count * buffer.type.bytes);
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(buffer.data, bytes));
  std::memcpy(boundary.digest, canonical.digest, sizeof boundary.digest);

  Tally numbers;
  const bool ordered = tally_by_type(numbers, buffer) && numbers.values > 0;
  boundary.min = ordered ? numbers.min : NAN;
  boundary.max = ordered ? numbers.max : NAN;
  boundary.sum = ordered ? numbers.sum : NAN;
  boundary.norm = ordered ? std::sqrt(numbers.squares) : NAN;
  boundary.nan = saturated(numbers.nan);
  boundary.inf = saturated(numbers.inf);
  std::memcpy(part.payload, &boundary, sizeof boundary);
  // Only now is there something in it; a reader checks `used`.
  std::atomic_thread_fence(std::memory_order_release);
  part.used = sizeof boundary;
}

}  // namespace petri::record
