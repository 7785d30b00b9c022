#include "harness/diagnose/same_failure.hpp"

#include <algorithm>

namespace petri {
namespace {

using Orders = Failure::Orders;

bool contradict(Orders one, Orders other) {
  return one != other && one != Orders::unsettled && other != Orders::unsettled;
}

std::int32_t original_rank(const Scenario& scenario, std::int32_t rank) {
  const auto& origin = scenario.header.origin;
  return origin && !origin->ranks.empty() ? origin->ranks.at(static_cast<std::size_t>(rank)) : rank;
}

// Does one of them have a part in what was found first?
bool take_part(const Scenario& scenario, const Finding& finding, const std::vector<std::int32_t>& culprits) {
  const auto is_one = [&](std::int32_t rank) {
    return std::binary_search(culprits.begin(), culprits.end(), original_rank(scenario, rank));
  };
  return std::any_of(finding.culprits.begin(), finding.culprits.end(), is_one) ||
         std::any_of(finding.events.begin(), finding.events.end(), [&](EventRef ref) { return is_one(ref.rank); });
}

}  // namespace

Failure failure_of(const Diagnosis& diagnosis) {
  Failure failure{diagnosis.signature};
  if (diagnosis.orders_without > 0)
    failure.orders = Orders::some;
  else if (diagnosis.certainty == Certainty::proved)
    failure.orders = Orders::all;
  return failure;
}

Failure failure_of(const Scenario& scenario, const Diagnosis& diagnosis) {
  Failure failure = failure_of(diagnosis);
  if (diagnosis.findings.empty()) return failure;
  for (const std::int32_t rank : diagnosis.findings.front().culprits)
    failure.culprits.push_back(original_rank(scenario, rank));
  std::sort(failure.culprits.begin(), failure.culprits.end());
  return failure;
}

Likeness likeness(const Scenario& scenario, const Diagnosis& diagnosis, const Failure& failure) {
  if (!is_failure(diagnosis)) return Likeness::none;
  const Failure shown = failure_of(diagnosis);
  const bool same = shown.signature == failure.signature && !contradict(shown.orders, failure.orders);
  if (!same) return Likeness::other;
  const bool here = failure.culprits.empty() || take_part(scenario, diagnosis.findings.front(), failure.culprits);
  return here ? Likeness::same : Likeness::elsewhere;
}

std::string name_beside(const Diagnosis& diagnosis, const Failure& failure) {
  if (diagnosis.signature != failure.signature) return diagnosis.signature;
  return diagnosis.signature +
         (failure_of(diagnosis).orders == Orders::all ? ", in all orders" : ", in some orders only");
}

}  // namespace petri
