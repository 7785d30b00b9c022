// What the searchers for single kinds of failure hand to diagnose(): findings with the canonical form of the failure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/diagnose/diagnose.hpp"
#include "harness/diagnose/mutual_waits.hpp"
#include "harness/model/run.hpp"

namespace petri::diagnosis {

struct Fault {
  std::vector<Finding> findings;       // root cause first; for one failure
  std::string form;                    // canonical, without the verdict; see signature.hpp
  bool by_dead_rank = false;           // others wait for a rank that died: a consequence of its error
  std::vector<EventRef> misused = {};  // of a misuse: the wrong calls, in which a library may give up
  bool no_object = false;              // of a misuse: what the calls name is not there, so nothing can come of them
  MutualWaits waits = {};              // of a deadlock
};

// Arguments that clash and messages that do not fit; in causal order on each communicator.
std::vector<Fault> find_mismatches(const Scenario& scenario, const model::Run& run);

// Equal collectives that some members call in another order than the others: call sites that pair crosswise, once the
// one way and once the other. Sites that meet so again and again, and hardly ever themselves, are the program's way; or
// one of two call sites was left out, and all later calls are shifted: `also_shifted` counts neighbouring calls that
// meet so.
std::vector<Fault> find_swapped_sites(const Scenario& scenario, const model::Run& run, bool also_shifted = false);

// The deadlock of a run with stuck ranks: its components, the primary one first.
std::vector<Fault> find_deadlocks(const Scenario& scenario, const model::Run& run);

// Ranks that erred, aborted, were killed or exited without finalize. `causes` are mismatches and misuses: they explain
// errors inside mismatching or misused calls.
std::optional<Fault> find_rank_error(const Scenario& scenario, const model::Run& run, const std::vector<Fault>& causes);

// Is this a call, or a wait for one, whose arguments clash with those of others, or which is misused?
bool in_faulty_call(const Scenario& scenario, const model::Run& run, EventRef place, const std::vector<Fault>& causes);

// Is a rank still inside a call whose arguments clash, or which is misused? The library gives up there, and the
// launcher ends everybody else.
bool ended_by_faulty_call(const Scenario& scenario, const model::Run& run, const std::vector<Fault>& causes);

// Ranks that went through finalize and then reported a failure by their exit status: their communication was in order.
std::optional<Fault> find_failed_exit(const Scenario& scenario, const model::Run& run);

// Results that must be equal on all members and are not.
std::optional<Fault> find_divergence(const Scenario& scenario, const model::Run& run);

// Wildcard receives where another message could have come, of another tag, count or type. Harmless choices (only the
// source differs) are added to `notes`.
std::optional<Fault> find_race(const Scenario& scenario, const model::Run& run, std::vector<std::string>& notes);

// Calls on objects that are in no state for them (a request that is active already, a window that is freed), and what
// ranks begin and leave open at their end. One fault for each way in which an object is misused.
std::vector<Fault> find_wrong_uses(const Scenario& scenario, const model::Run& run);
// Requests never completed at finalize.
std::optional<Fault> find_misuse(const Scenario& scenario, const model::Run& run);
// Calls of another thread than the main one, where MPI was initialized for that one only.
std::optional<Fault> find_foreign_thread(const Scenario& scenario);
// Calls on a window outside the epochs that they need, by rank.
std::vector<Fault> find_epoch_faults(const Scenario& scenario, const model::Run& run);
// Predefined reduction operations on types that they do not take, with all ranks that ask for the same.
std::vector<Fault> find_invalid_reductions(const Scenario& scenario, const model::Run& run);
// Memory used while a pending operation owns it, by rank.
std::vector<Fault> find_busy_buffers(const Scenario& scenario);
// What ranks leave behind at finalize without freeing it, in words: legal, and often forgotten.
std::vector<std::string> leaks(const Scenario& scenario, const model::Run& run);

// Recorded control decisions (`value` of events between the calls) that differ between ranks: evidence for a deadlock,
// with the events that hold them. Decisions are compared by their ordinal on each rank.
struct Decision {
  std::string text;
  std::vector<EventRef> events;
};
std::optional<Decision> differing_decision(const Scenario& scenario, const model::Run& run);
// NCCL calls that others wait for and that are in a group which their rank has not ended: evidence of the same kind.
std::vector<Decision> unlaunched_groups(const Scenario& scenario, const model::Run& run);

// Ranks that wait for one which is still running, or whose record stops early: skew or ambiguous.
std::optional<Fault> find_unsettled(const Scenario& scenario, const model::Run& run);
// What is missing in a record in which nothing is wrong: it does not decide then.
std::optional<Fault> find_gaps(const Scenario& scenario, const model::Run& run);

}  // namespace petri::diagnosis
