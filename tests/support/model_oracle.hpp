// The oracle by which `petri shrink` shrinks, for tests that use no command line.
#pragma once

#include "harness/diagnose/same_failure.hpp"
#include "reducers/oracle.hpp"

namespace petri::test {

inline reduce::Oracle fails_as(const Failure& failure) {
  return [failure](const Scenario& scenario) -> reduce::Judgement {
    const Diagnosis diagnosis = diagnose(scenario);
    switch (likeness(scenario, diagnosis, failure)) {
      case Likeness::same: return {reduce::Answer::reproduces, {}};
      case Likeness::other: return {reduce::Answer::passes, name_beside(diagnosis, failure)};
      case Likeness::elsewhere:
      case Likeness::none: break;
    }
    return {reduce::Answer::passes, {}};
  };
}

}  // namespace petri::test
