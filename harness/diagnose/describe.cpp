#include "harness/diagnose/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/trace/describe.hpp"
#include "harness/trace/rank_ranges.hpp"

namespace petri::diagnosis {
std::string ranks_text(std::vector<std::int32_t> ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks_in_words(ranks);
}

std::string event_text(const Scenario& scenario, const Event& event, std::int32_t caller) {
  std::string text = describe(scenario, event, caller);
  if (event.site != kNoSymbol) text += fmt::format(" at {}", scenario.site_of(event));
  return text;
}

std::string place_text(const Event& event) {
  std::string text;
  if (event.step != kUnset) text += fmt::format("step {}, ", event.step);
  if (event.microbatch != kUnset) text += fmt::format("microbatch {}, ", event.microbatch);
  return text + fmt::format("event {}", event.seq);
}

std::string ordinal_text(std::int64_t position) {
  const std::int64_t number = position + 1;
  const std::int64_t tens = number % 100;
  const char* suffix = tens >= 11 && tens <= 13 ? "th"
                       : number % 10 == 1       ? "st"
                       : number % 10 == 2       ? "nd"
                       : number % 10 == 3       ? "rd"
                                                : "th";
  return fmt::format("{}{}", number, suffix);
}

}  // namespace petri::diagnosis
