// What came of one check, and putting a diagnosis into it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "harness/diagnose/diagnose.hpp"
#include "harness/report/check_case.hpp"
#include "harness/trace/scenario.hpp"

namespace petri::cli {

// What came of one check.
struct CheckResult {
  using State = CheckState;
  State state = State::skipped;
  std::string text;                        // one line: the outcome, or the reason
  std::string detail = {};                 // the whole story where the expectation was missed
  std::string expected = {}, actual = {};  // both sides, where the expectation was missed
  // The call that a missed expectation points at: its line in the user's source ("train.cpp:52"; empty: unknown) and
  // in the scenario file (from 1; 0: unknown). Of what is unreadable: the line that cannot be read.
  std::string site = {};
  std::size_t line = 0;
  bool lacks = false;        // inconclusive: because something that it needs is missing here
  bool passed_over = false;  // skipped: as the user asked for, not because it cannot be tried here
};

// The call that the diagnosis points at; nothing where nothing is wrong, or where what is wrong is a finalize that the
// record only implies. `judged` is what the diagnosis is of.
std::optional<EventRef> culprit_of(const Diagnosis& diagnosis, const Scenario& judged);
// Its line in the user's source; empty where it is unknown.
std::string site_of_culprit(const Diagnosis& diagnosis, const Scenario& judged);

// Between processes, as one line of JSON.
std::string to_text(const CheckResult& result);
CheckResult check_result_from(const std::string& text);

}  // namespace petri::cli
