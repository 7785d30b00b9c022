#include "harness/diagnose/same_failure.hpp"

namespace petri {
namespace {

using Orders = Failure::Orders;

bool contradict(Orders one, Orders other) {
  return one != other && one != Orders::unsettled && other != Orders::unsettled;
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

Likeness likeness(const Diagnosis& diagnosis, const Failure& failure) {
  if (diagnosis.verdict == Verdict::completes || diagnosis.verdict == Verdict::ambiguous) return Likeness::none;
  const Failure shown = failure_of(diagnosis);
  const bool same = shown.signature == failure.signature && !contradict(shown.orders, failure.orders);
  return same ? Likeness::same : Likeness::other;
}

std::string name_beside(const Diagnosis& diagnosis, const Failure& failure) {
  if (diagnosis.signature != failure.signature) return diagnosis.signature;
  return diagnosis.signature +
         (failure_of(diagnosis).orders == Orders::all ? ", in all orders" : ", in some orders only");
}

}  // namespace petri
