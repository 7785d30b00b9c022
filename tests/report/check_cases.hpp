// Checks as the tests of all reports tell them.
#pragma once

#include <vector>

#include "harness/report/check_case.hpp"

namespace petri::testing {

// One of each state; the missed one is in the user's source.
inline std::vector<CheckCase> one_of_each() {
  CheckCase met{{"cases/a/scenario.jsonl"}, {}, "model", CheckState::met, "deadlock"};
  met.seconds = 1.25;
  CheckCase missed{{"cases/b/scenario.jsonl"}, SourceLine{"src/train.cpp", 52}, "live", CheckState::missed};
  missed.text = "expected completes, got deadlock: A";
  missed.expected = "completes";
  missed.actual = "deadlock: A";
  missed.detail = "Rank 0 waits.\n  for rank 1\n";
  missed.again = "petri check --live-only cases/b/scenario.jsonl";
  missed.seconds = 0.5;
  CheckCase unreadable{{"cases/c.jsonl", 7}, {}, "model", CheckState::unreadable, "cases/c.jsonl:7:1: no object"};
  CheckCase skipped{{"d.jsonl"}, {}, "live", CheckState::skipped, "no mpirun"};
  CheckCase inconclusive{{"e.jsonl"}, {}, "live", CheckState::inconclusive, "3 of 5 runs"};
  return {met, missed, unreadable, skipped, inconclusive};
}

// Texts as an enemy would write them: terminal escapes, invalid UTF-8, what ends a CDATA section or begins a command.
inline CheckCase hostile() {
  CheckCase check{{"a,b:c%d\n::error::x/\xff.jsonl", 3}, {}, "model", CheckState::missed};
  check.text = "]]> <b>&amp; \"q\" # TODO \\ \x1b[31m | `x` \xef\xbf\xbf\n::set-output name=a::b";
  check.expected = "100%\r\n";
  check.actual = "\xc3\x28";
  check.detail = "</pre>\nok 2\n  ...\nBail out!\n\x01]]>\n\xe2\x80\xae";
  return check;
}

}  // namespace petri::testing
