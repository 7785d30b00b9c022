#include "kernels/types/generator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace petri {
namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, 7> kNames{"constant",    "ramp",       "uniform", "normal",
                                                 "log-uniform", "cancelling", "probe"};
static_assert(static_cast<std::size_t>(Generator::probe) + 1 == kNames.size());

// SplitMix64 (Steele, Lea, Flood, 2014): one number from a counter, so that no order of calls matters.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::uint64_t bits_of(std::uint64_t seed, std::int32_t rank, std::uint64_t index) {
  return mixed(mixed(seed + static_cast<std::uint64_t>(rank)) + index);
}

double unit(std::uint64_t bits) {  // in [0, 1), exact
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

double symmetric(std::uint64_t bits) {  // in [-1, 1), exact
  return static_cast<double>(bits >> 11) * 0x1p-52 - 1.0;
}

double normal(std::uint64_t bits) {
  double sum = -6.0;
  for (std::uint64_t i = 0; i < 12; ++i) sum += unit(mixed(bits + i));
  return sum;
}

double log_uniform(std::uint64_t bits) {
  constexpr std::uint64_t kPowers = 40;
  const int power = static_cast<int>(mixed(bits) % kPowers) - 20;
  const double magnitude = std::ldexp(1.0 + unit(bits), power);
  return (bits & 1) != 0 ? -magnitude : magnitude;
}

double cancelling(std::uint64_t seed, std::int32_t rank, std::uint64_t index) {
  const double rest = symmetric(bits_of(seed, rank, index));
  const double large = 0x1p20 * symmetric(bits_of(~seed, rank / 2, index));
  return rank % 2 == 0 ? large + rest : rest - large;
}

double probe(std::int32_t rank, std::uint64_t index) {
  std::array<double, 4> values{1e8, 1.0, -1e8, 1.0};
  // The index-th of the 24 orders (factorial number system).
  std::uint64_t order = index % 24;
  for (std::size_t left = 4; left > 1; order /= left, --left) std::swap(values[left - 1], values[order % left]);
  return values[static_cast<std::size_t>(rank % 4)];
}

}  // namespace

std::string_view name_of(Generator generator) {
  return kNames.at(static_cast<std::size_t>(generator));
}

std::optional<Generator> generator_named(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Generator>(found - kNames.begin());
}

std::span<const std::string_view> generator_names() {
  return kNames;
}

double value_of(Generator generator, std::uint64_t seed, double scale, std::int32_t rank, std::uint64_t index) {
  const std::uint64_t bits = bits_of(seed, rank, index);
  switch (generator) {
    case Generator::constant: return scale;
    case Generator::ramp: return scale * static_cast<double>(index);
    case Generator::uniform: return scale * symmetric(bits);
    case Generator::normal: return scale * normal(bits);
    case Generator::log_uniform: return scale * log_uniform(bits);
    case Generator::cancelling: return scale * cancelling(seed, rank, index);
    case Generator::probe: return scale * probe(rank, index);
  }
  return 0.0;
}

double value_at(const Payload& payload, std::int32_t rank, std::uint64_t index) {
  if (!payload.values.empty()) return payload.values[index % payload.values.size()];
  if (payload.generator) return value_of(*payload.generator, payload.seed, payload.scale, rank, index);
  return static_cast<double>((static_cast<std::uint64_t>(rank) * 7 + index) % 13 + 1);
}

}  // namespace petri
