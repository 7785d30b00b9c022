// How this thread's floating-point unit rounds and what it does to subnormal numbers: part of what decides the bits.
//
// Plain, pairwise and compensated sums compute in whatever environment their caller has set, which is therefore to be
// recorded beside their results; exact and reproducible ones set the default environment for themselves and put the
// caller's back, so that neither directed rounding nor flush-to-zero (as set by -ffast-math, by some libraries when
// they are loaded, or by a training framework) changes them: subnormal numbers count in full.
#pragma once

#include <cstdint>
#include <string>

namespace petri::kernels {

// The default value is the environment that a program starts in (IEEE 754's default).
struct FloatEnvironment {
  enum class Rounding : std::uint8_t { to_nearest, downward, upward, towards_zero };
  Rounding rounding = Rounding::to_nearest;
  bool flush_results = false;   // a subnormal result becomes zero (FTZ)
  bool flush_operands = false;  // a subnormal operand counts as zero (DAZ); set together with results on Arm

  friend bool operator==(const FloatEnvironment&, const FloatEnvironment&) = default;
  static FloatEnvironment current();
};

// As it is recorded: "to-nearest", "upward, flush-results, flush-operands".
std::string to_string(const FloatEnvironment& environment);

// Sets an environment for this thread, traps masked, and puts the former one back.
class ScopedFloatEnvironment {
 public:
  explicit ScopedFloatEnvironment(const FloatEnvironment& environment = {});
  ~ScopedFloatEnvironment();
  ScopedFloatEnvironment(const ScopedFloatEnvironment&) = delete;
  ScopedFloatEnvironment& operator=(const ScopedFloatEnvironment&) = delete;

 private:
  std::uint64_t former_;
  bool changed_;
};

}  // namespace petri::kernels
