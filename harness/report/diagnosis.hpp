// A diagnosis for people and for programs.
#pragma once

#include <string>

#include "harness/diagnose/diagnose.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

// Several lines of text, ending in a newline: first the verdict and who began it, then the root cause with both sides,
// where each rank is blocked (ranks in equal states together), assumptions and notes. Scenario text is made printable.
// Ranks are global; where the scenario was shrunk or imported, culprits carry their original rank.
std::string render_text(const Diagnosis& diagnosis, const Scenario& scenario);

// One JSON object on one line, ending in a newline: `verdict`, `signature`, `assumptions`, `findings` (each with
// `kind`, `culprits`, `events` as rank and seq, `expected`, `actual`, `text`, `evidence`), `notes`, and `blocked` (the
// event that each blocked rank cannot leave). The first finding is the root cause.
std::string render_json(const Diagnosis& diagnosis, const Scenario& scenario);

}  // namespace petri
