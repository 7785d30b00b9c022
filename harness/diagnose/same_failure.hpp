// Is this the failure that was met before? The one answer for shrinking and for whoever holds a result against it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/diagnose/diagnose.hpp"

namespace petri {

// A failure, as far as it is compared.
struct Failure {
  std::string signature;
  // In which orders of matches and grants it is there. One that the right order avoids is another failure than one that
  // none does, although their ranks end up waiting alike.
  enum class Orders : std::uint8_t { all, some, unsettled } orders = Orders::unsettled;
  // Who began it, by rank of the job that was reduced first, ascending; empty: anybody.
  std::vector<std::int32_t> culprits = {};
};

// Among whichever ranks it is.
Failure failure_of(const Diagnosis& diagnosis);
// The one that these ranks of the scenario began.
Failure failure_of(const Scenario& scenario, const Diagnosis& diagnosis);

enum class Likeness : std::uint8_t {
  same,
  elsewhere,  // the same, but none of those that began it has a part in it: a job may have several of one kind
  other,      // fails, but differently
  none        // shows no failure: completes, or does not decide
};

// Failures are the same where their signatures are, unless one is known to be there in all orders and the other in
// some, or happen elsewhere. `scenario` is what the diagnosis is of, perhaps reduced from the one that the failure is
// of: who leads a failure there may be another one, but who began it takes part.
Likeness likeness(const Scenario& scenario, const Diagnosis& diagnosis, const Failure& failure);

// What to call the failure of a diagnosis that is another than `failure`: its signature and, where that is the same,
// what tells them apart.
std::string name_beside(const Diagnosis& diagnosis, const Failure& failure);

}  // namespace petri
