#include "harness/diagnose/witnesses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/like_ranks.hpp"
#include "harness/diagnose/odd_step.hpp"

namespace petri::diagnosis {
namespace {

// What a witness says.
struct Testimony {
  std::int32_t rank = 0;
  EventRef instead;      // the call with which it began
  std::string expected;  // what should have stood there, and how that is known
  std::string text;      // a sentence
  std::string clears;    // why it is none of the others
};

std::vector<std::int32_t> without(std::vector<std::int32_t> ranks, std::int32_t rank) {
  std::erase(ranks, rank);
  return ranks;
}

std::optional<Testimony> own_steps(const Scenario& scenario, const model::Run& run,
                                   const std::vector<std::int32_t>& suspects, std::int32_t step) {
  const auto odd = find_odd_step(scenario, run, suspects, step);
  if (!odd) return std::nullopt;
  const Event& instead = at(scenario, odd->instead);
  const std::string usual = odd->usual ? event_text(scenario, *odd->usual) : "the end of the step";
  const std::vector<std::int32_t> others = without(suspects, odd->rank);
  return Testimony{
      odd->rank, odd->instead, fmt::format("{}, as in the steps before", usual),
      fmt::format("Rank {} did in step {} what it had done in none of its steps before: {} ({}) came "
                  "where {} was expected.",
                  odd->rank, odd->step, event_text(scenario, odd->instead), place_text(instead), usual),
      fmt::format("{} did what {} had done in a step before", ranks_text(others), others.size() == 1 ? "it" : "they")};
}

std::optional<Testimony> like_ranks(const Scenario& scenario, const model::Run& run, const Precedents& precedents,
                                    const std::vector<std::int32_t>& suspects) {
  const auto parted = find_parted(scenario, run, precedents, suspects);
  if (!parted) return std::nullopt;
  const std::string usual = event_text(scenario, parted->usual), others = ranks_text(parted->others);
  const std::string place =
      fmt::format("{} ({})", event_text(scenario, parted->instead), place_text(at(scenario, parted->instead)));
  Testimony told{parted->rank, parted->instead, fmt::format("{}, as {} did", usual, others),
                 fmt::format("Rank {} did as {} until it came to {}: {} came where {} was expected.", parted->rank,
                             others, place, event_text(scenario, parted->instead), usual),
                 ""};
  told.clears = parted->by_precedent
                    ? fmt::format("{} did what follows such calls elsewhere in the record", others)
                    : fmt::format("{} did, as far as that is, what other ranks like {} did",
                                  ranks_text(without(suspects, parted->rank)), suspects.size() == 2 ? "it" : "them");
  return told;
}

}  // namespace

bool ask_witnesses(const Scenario& scenario, const model::Run& run, const Precedents& precedents,
                   const std::vector<std::int32_t>& suspects, std::int32_t step, Finding& finding) {
  if (suspects.size() < 2) return false;
  auto told = own_steps(scenario, run, suspects, step);
  if (!told) told = like_ranks(scenario, run, precedents, suspects);
  if (!told) return false;
  finding.culprits = {told->rank};
  finding.call = told->instead;
  std::erase(finding.events, told->instead);
  finding.events.insert(finding.events.begin(), told->instead);
  finding.expected = std::move(told->expected);
  finding.actual = fmt::format("rank {}: {}", told->rank, event_text(scenario, told->instead));
  finding.evidence.push_back(std::exchange(finding.text, std::move(told->text)));
  finding.evidence.push_back(std::move(told->clears));
  return true;
}

}  // namespace petri::diagnosis
