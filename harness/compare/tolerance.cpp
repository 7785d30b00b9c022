#include "harness/compare/tolerance.hpp"

#include <fmt/format.h>

namespace petri::compare {

std::string text_of(const Tolerance& tolerance) {
  if (tolerance.bitwise()) return "bit by bit";
  std::string text;
  const auto add = [&](const std::string& bound) { text += (text.empty() ? "within " : " or ") + bound; };
  if (tolerance.absolute) add(fmt::format("{} absolute", *tolerance.absolute));
  if (tolerance.relative) add(fmt::format("{} relative", *tolerance.relative));
  if (tolerance.ulps) add(fmt::format("{} {}", *tolerance.ulps, *tolerance.ulps == 1 ? "ULP" : "ULPs"));
  return text;
}

}  // namespace petri::compare
