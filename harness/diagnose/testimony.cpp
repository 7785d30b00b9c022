#include "harness/diagnose/testimony.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/diagnose/awaited.hpp"
#include "harness/diagnose/describe.hpp"

namespace petri::diagnosis {

Testimony explained(std::vector<std::int32_t> culprits, std::vector<EventRef> events, std::string text) {
  const EventRef call = events.front();
  return {std::move(culprits), std::move(events), call, "", "", std::move(text), {}};
}

void believe(Testimony told, Finding& finding) {
  finding.culprits = std::move(told.culprits);
  if (told.call) finding.call = told.call;
  std::vector<EventRef> events = std::move(told.events);
  std::copy_if(finding.events.begin(), finding.events.end(), std::back_inserter(events),
               [&](EventRef ref) { return std::find(events.begin(), events.end(), ref) == events.end(); });
  finding.events = std::move(events);
  if (!told.expected.empty()) finding.expected = std::move(told.expected);
  if (!told.actual.empty()) finding.actual = std::move(told.actual);
  if (!told.text.empty()) finding.evidence.push_back(std::exchange(finding.text, std::move(told.text)));
  std::move(told.evidence.begin(), told.evidence.end(), std::back_inserter(finding.evidence));
}

std::string sentence_start(const std::vector<std::int32_t>& ranks) {
  return capitalized(ranks_text(ranks));
}

}  // namespace petri::diagnosis
