// What came of checking one reproducer, as every report of `petri check` is told it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace petri {

enum class CheckState : std::uint8_t {
  met,
  missed,       // another outcome than expected, or none within the time limit
  unreadable,   // no scenario, or none with an expectation
  skipped,      // cannot run here
  inconclusive  // it ran, and what came of it does not decide
};
std::string_view name_of(CheckState state);

// A line of a file that a reader should look at.
struct SourceLine {
  std::string file;
  std::size_t line = 0;  // from 1; 0: the file as a whole
};

// All texts may come from an input: a report makes them safe for its own format.
struct CheckCase {
  std::string file;  // the reproducer, as a path within the project where it lies there
  std::string mode;  // how it was looked at: "model", "live", …
  CheckState state = CheckState::skipped;
  std::string text;              // one line: the outcome, or the reason
  std::string expected, actual;  // both sides, where a judgement came about
  std::string detail;            // the whole story where the expectation was missed
  double seconds = 0;
  SourceLine place;  // a file of the project: the user's source where it is known, else the reproducer
};

}  // namespace petri
