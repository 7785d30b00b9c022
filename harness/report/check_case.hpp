// What came of checking one reproducer, as every report of `petri check` is told it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace petri {

enum class CheckState : std::uint8_t {
  met,
  missed,       // another outcome than expected, or none within the time limit
  unreadable,   // no scenario, or none with an expectation
  skipped,      // cannot run here
  inconclusive  // it ran, and what came of it does not decide
};
std::string_view name_of(CheckState state);

// The case could be judged and is right, or could not be tried here: nobody has to look at it.
bool is_fine(CheckState state);

// A line of a file of the project: a path below its root, with slashes.
struct SourceLine {
  std::string file;
  std::size_t line = 0;  // from 1; 0: the file as a whole
};

// Texts may come from an input: each report makes them safe for its own format.
struct CheckCase {
  SourceLine reproducer;                  // its line is that of the event to look at
  std::optional<SourceLine> source = {};  // the call to look at in the user's source as it is now
  std::string mode;                       // how it was looked at: "model", "live", …
  CheckState state = CheckState::skipped;
  std::string text = {};                   // one line: the outcome, or the reason
  std::string expected = {}, actual = {};  // both sides, where the expectation was missed
  std::string detail = {};                 // the whole story of a failure
  std::string again = {};                  // the command that makes this check alone
  double seconds = 0;
};

// "reproducers/swap/scenario.jsonl (model)": unique among the checks of a run, and the same in every run.
std::string name_of(const CheckCase& check);

// Where a reader should look: the user's source where it is known, else the reproducer. The line is at least 1.
SourceLine place_of(const CheckCase& check);

// What a reader needs who sees this case alone, over several lines: outcome, story, reproducer, how to run it again.
// A story longer than `most_detail` bytes is cut at a line's end, and said to be.
std::string explain(const CheckCase& check, std::size_t most_detail);

std::size_t count(const std::vector<CheckCase>& checks, CheckState state);

}  // namespace petri
