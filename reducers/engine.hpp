// Shrinking: passes from coarse to fine, again and again, until nothing can be taken away any more.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reducers/journal.hpp"
#include "reducers/measure.hpp"
#include "reducers/oracle.hpp"
#include "reducers/passes.hpp"

namespace petri::reduce {

// The end claims, exactly.
inline constexpr std::string_view kOneMinimal = "1-minimal: no single rank, event or communicator can be removed";
inline constexpr std::string_view kStoppedEarly = "stopped early";

struct Progress {
  std::string_view pass;
  Size size;
  std::uint64_t tests = 0;  // candidates decided so far, see Limits
  double seconds = 0;       // since the start
  double seconds_since_gain = 0;
  double candidates_per_second = 0;  // asked of the oracle
  double wasted = 0;                 // share of those that were judged ahead for nothing, 0 … 1
};

struct Limits {
  // Different candidates decided, in their fixed order, whether the oracle, the journal or both knew the answer: the
  // same number stops at the same result whatever `jobs` is, and in a resumed run. 0: none.
  std::uint64_t tests = 0;
  double seconds = 0;          // 0: none. Where it stops depends on the machine
  std::function<bool()> stop;  // asked before each candidate and, from another thread, while one is judged; true stops
                               // early, a question under way included. May be empty
};

struct ShrinkOptions {
  int jobs = 1;  // threads that call the oracle; the result is the same for any number
  std::uint64_t seed = 0;
  Limits limits;
  bool input_fails = false;       // the caller knows that the input reproduces: the oracle is not asked about it
  std::vector<EventRef> failure;  // events of the input that the failure is made of (for the slice); may be empty
  std::string source, digest;     // of the input's file, for `origin`
  Journal* journal = nullptr;     // receives each verdict
  Verdicts known;                 // from the journal that is resumed
  std::function<void(const Progress&)> progress;  // called after each decision, from the calling thread
};

// A different failure that was met on the way, with the smallest candidate that showed it.
struct AlsoFound {
  std::string signature;
  Scenario scenario;
};

// What one run of a pass gained.
struct Gain {
  std::string_view pass;
  Size before, after;
};

struct ShrinkResult {
  bool reproduced = false;  // the input does; when not, `reason` says what it does instead and the rest is the input
  std::string reason;
  Scenario scenario;       // the smallest that reproduces, with its `origin`
  std::string_view claim;  // kOneMinimal or kStoppedEarly
  std::string stopped_by;  // "tests", "time" or "request" where it stopped early
  std::uint64_t tests = 0;
  // Different candidates for which the oracle had no answer. They were kept out as if they passed: with an answer, the
  // result might be smaller. And those of them that take a single rank, event or communicator from the result: of these
  // the claim knows nothing.
  std::uint64_t undecided = 0, undecided_singles = 0;
  // The same input, oracle, seed and budget of tests end here again: nothing that depends on the machine stopped it.
  bool repeatable() const { return stopped_by.empty() || stopped_by == "tests"; }
  std::uint64_t asked = 0;   // calls of the oracle
  std::uint64_t wasted = 0;  // those that were judged ahead for nothing
  double seconds = 0;
  std::vector<AlsoFound> also_found;  // in the order of their first appearance
  std::vector<Gain> history;
};

// `origin.ranks` of the result maps to the ranks of `input`, or, where `input` is itself a reduction with such a map,
// on to the job that was reduced first; source and digest follow the map. Throws what the oracle or the journal throws.
ShrinkResult shrink(const Scenario& input, const Oracle& oracle, const ShrinkOptions& options = {});
ShrinkResult shrink(const Scenario& input, const Oracle& oracle, const ShrinkOptions& options,
                    const std::vector<PassPtr>& passes);

}  // namespace petri::reduce
