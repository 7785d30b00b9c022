// Who began a failure where the failure itself does not name one rank for certain: the witnesses, ranked. The first
// that can tell is believed; where it names several, or none can, those that look at each suspect by itself are asked.
//
// Of a wait for a rank that is past all calls:
//   what was sent or taken instead (unanswered) · a habit broken once (habit) · as many messages of each (one_too_many)
// Of a cycle:
//   who frees or locks the window (window_waits) · a wrong tag, peer or communicator (unanswered) · a message in
//   another's place (one_too_many) · a collective left out or called in addition (habit) · a habit broken once (habit)
//   · what the other groups of the kind did (kin) · another call site (odd_site) · the numbers (minority)
// Of each suspect:
//   its own steps before (odd_step) · its own rounds before (rounds) · the ranks that play its part (like_ranks) · of
//   two that parted from each other, the other communicators of the kind (like_ranks) and what follows such calls
//   elsewhere (precedent) · whose turn it was (turns), but not where a member of the communicators concerned left no
//   record · how many messages each pair exchanged (channels)
// Who differs from the others in one collective is told by its sides first: see blame.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/diagnose/deadlock_case.hpp"
#include "harness/diagnose/testimony.hpp"

namespace petri::diagnosis {

// Each makes what the first witness says the finding's.
void ask_about_wait(const DeadlockCase& deadlock, const std::optional<Testimony>& unanswered, Finding& finding);
void ask_about_cycle(const DeadlockCase& deadlock, Finding& finding);
// Suspects are global ranks, ascending; `step` is where they are looked at, or kUnset for where each of them stands.
void ask_about_suspects(const Scenario& scenario, const model::Run& run, const Precedents& precedents,
                        const std::vector<std::int32_t>& suspects, std::int32_t step, Finding& finding);

}  // namespace petri::diagnosis
