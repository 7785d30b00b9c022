#include "kernels/cpu/simd.hpp"

#include <stdexcept>

#include "kernels/cpu/simd_targets.hpp"
// This comes after the choice of targets.
#include <hwy/targets.h>

namespace petri::kernels {
namespace {

void choose(std::int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace

std::vector<std::string> simd_names() {
  std::vector<std::string> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) names.emplace_back(hwy::TargetName(target));
  return names;
}

ForcedSimd::ForcedSimd(const std::string& name) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets())
    if (name == hwy::TargetName(target)) {
      choose(target);
      return;
    }
  throw std::invalid_argument("no vector instructions " + name + " here");
}

ForcedSimd::~ForcedSimd() {
  choose(0);
}

}  // namespace petri::kernels
