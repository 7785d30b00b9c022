// Is this the failure that was met before? The one answer for shrinking and for whoever holds a result against it.
#pragma once

#include <cstdint>
#include <string>

#include "harness/diagnose/diagnose.hpp"

namespace petri {

// A failure, as far as it is compared.
struct Failure {
  std::string signature;
  // In which orders of matches and grants it is there. One that the right order avoids is another failure than one that
  // none does, although their ranks end up waiting alike.
  enum class Orders : std::uint8_t { all, some, unsettled } orders = Orders::unsettled;
};

Failure failure_of(const Diagnosis& diagnosis);

enum class Likeness : std::uint8_t {
  same,
  other,  // fails, but differently
  none    // shows no failure: completes, or does not decide
};

// Failures are the same where their signatures are, unless one is known to be there in all orders and the other in
// some.
Likeness likeness(const Diagnosis& diagnosis, const Failure& failure);

// What to call the failure of a diagnosis that is another than `failure`: its signature and, where that is the same,
// what tells them apart.
std::string name_beside(const Diagnosis& diagnosis, const Failure& failure);

}  // namespace petri
