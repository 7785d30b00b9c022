// Generators of payload: numbers made from a seed, a rank and an index, so that no vector has to be stored or sent, and
// any piece of it can be made anywhere. Only operations that IEEE 754 defines to the bit are used: the same numbers on
// every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace petri {

enum class Generator : std::uint8_t {
  constant,     // scale everywhere
  ramp,         // scale · index
  uniform,      // in [-scale, scale)
  normal,       // scale times the sum of twelve uniform numbers: mean 0, variance 1, ends at ±6
  log_uniform,  // either sign, each power of two from 2^-20 to 2^20 alike, evenly spread within one; times scale
  cancelling,   // ranks 2j and 2j+1 have large numbers (to 2^20) of opposite signs and a uniform rest each
  probe,        // 1e8, 1, -1e8, 1 over the ranks, from index to index in another order; times scale
};

std::string_view name_of(Generator generator);  // as in a scenario: "log-uniform"
std::optional<Generator> generator_named(std::string_view name);
std::span<const std::string_view> generator_names();

double value_of(Generator generator, std::uint64_t seed, double scale, std::int32_t rank, std::uint64_t index);

// The numbers that a rank contributes, before they are rounded to a type.
// In order of preference: `values`, repeated when they are too few; a generator; a pattern of small integers that
// differs by rank and index.
struct Payload {
  std::vector<double> values = {};
  std::optional<Generator> generator = {};
  std::uint64_t seed = 0;
  double scale = 1.0;
};

double value_at(const Payload& payload, std::int32_t rank, std::uint64_t index);

}  // namespace petri
