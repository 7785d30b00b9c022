#include "kernels/cpu/float_environment.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#elif !defined(__aarch64__)
#error "the control register of this processor's floating-point unit is not known here"
#endif

namespace petri::kernels {
namespace {

using Rounding = FloatEnvironment::Rounding;

#if defined(__x86_64__)
// MXCSR (Intel 64 and IA-32 manual, volume 1, section 10.2.3).
constexpr std::uint64_t kFlushResults = 1U << 15, kFlushOperands = 1U << 6, kFlags = 0x3F, kMaskTraps = 0x3F << 7;
constexpr int kRoundingShift = 13;
constexpr Rounding kRoundings[] = {Rounding::to_nearest, Rounding::downward, Rounding::upward, Rounding::towards_zero};
std::uint64_t control() {
  return _mm_getcsr();
}
void set_control(std::uint64_t value) {
  _mm_setcsr(static_cast<unsigned>(value));
}
#else
// FPCR (Arm Architecture Reference Manual for A-profile, C5.2.8): FZ flushes operands and results; traps are off at 0.
constexpr std::uint64_t kFlushResults = 1U << 24, kFlushOperands = 1U << 24, kFlags = 0, kMaskTraps = 0;
constexpr int kRoundingShift = 22;
constexpr Rounding kRoundings[] = {Rounding::to_nearest, Rounding::upward, Rounding::downward, Rounding::towards_zero};
std::uint64_t control() {
  return __builtin_aarch64_get_fpcr64();
}
void set_control(std::uint64_t value) {
  __builtin_aarch64_set_fpcr64(value);
}
#endif

std::uint64_t encoded(const FloatEnvironment& environment) {
  std::uint64_t value = kMaskTraps;
  for (std::uint64_t i = 0; i < 4; ++i)
    if (kRoundings[i] == environment.rounding) value |= i << kRoundingShift;
  if (environment.flush_results) value |= kFlushResults;
  if (environment.flush_operands) value |= kFlushOperands;
  return value;
}

}  // namespace

FloatEnvironment FloatEnvironment::current() {
  const std::uint64_t value = control();
  return {kRoundings[(value >> kRoundingShift) & 3], (value & kFlushResults) != 0, (value & kFlushOperands) != 0};
}

std::string to_string(const FloatEnvironment& environment) {
  static constexpr const char* kNames[] = {"to-nearest", "downward", "upward", "towards-zero"};
  std::string text = kNames[static_cast<int>(environment.rounding)];
  if (environment.flush_results) text += ", flush-results";
  if (environment.flush_operands) text += ", flush-operands";
  return text;
}

ScopedFloatEnvironment::ScopedFloatEnvironment(const FloatEnvironment& environment) : former_(control()) {
  const std::uint64_t wanted = encoded(environment);
  changed_ = (former_ & ~kFlags) != wanted;
  if (changed_) set_control(wanted);
}

ScopedFloatEnvironment::~ScopedFloatEnvironment() {
  if (changed_) set_control(former_);
}

}  // namespace petri::kernels
