// What went wrong in a scenario, which rank began it, and the failure's canonical form.
//
// Rules: README, "How a verdict is found"; rules of MPI cite MPI 4.1 where they are applied.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri {

// One thing that is wrong.
struct Finding {
  Verdict kind = Verdict::completes;
  std::vector<std::int32_t> culprits;  // global ranks, ascending; empty where the evidence names nobody
  std::vector<EventRef> events;        // what it points at, culprits' events first
  // The call to look at: the wrong one or, where a call is missing, the one that it leaves unanswered. Nothing: the
  // first of `events`.
  std::optional<EventRef> call;
  std::string expected;               // what the other ranks did, or what would have been right
  std::string actual;                 // what the culprits did
  std::string text;                   // one sentence for a tired person
  std::vector<std::string> evidence;  // further sentences: the chain to each blocked rank, other readings
  std::string signature;              // of the failure that it belongs to; the first one's is the diagnosis's
};

// What the verdict is worth. Orders are the ways in which wildcards can match and contended locks be granted;
// equivalent ones count once.
enum class Certainty : std::uint8_t {
  proved,     // holds in every order: a failure cannot be avoided, or none can happen
  found,      // a failure of some orders; whether of all was not settled or is not so
  not_found,  // no failure within the orders looked at, and there are more; or in what a ring buffer kept
};

std::string_view name_of(Certainty certainty);  // "proved", "found", "not found"

struct Diagnosis {
  Verdict verdict = Verdict::completes;
  std::string signature;                 // empty when nothing is wrong
  std::vector<std::string> assumptions;  // under which the verdict holds
  std::vector<Finding> findings;         // root cause first
  std::vector<std::string> notes;        // observations that are no failure
  Certainty certainty = Certainty::proved;
  std::uint64_t orders = 1;          // looked at
  std::uint64_t orders_without = 0;  // those of them that do not show the failure of `signature`
  // For each rank the index of the event that it cannot leave, or nothing where it is not blocked. The number of the
  // rank's events stands for the finalize that a record implies without naming it.
  std::vector<std::optional<std::uint32_t>> blocked;
};

struct DiagnoseOptions {
  // Judge sends up to this many bytes as buffered; nothing: the strict assumption.
  std::optional<std::int64_t> buffered;
  // How many orders are explored before the answer is "not found within N": without a number 2,000, fewer where they
  // would play more than 5 million events.
  std::optional<std::uint64_t> max_orders = std::nullopt;
  // Ends at the first finding: what is said of the failure that it belongs to (verdict, signature, certainty, orders)
  // is the same as without this; other failures and notes are left out.
  bool first_only = false;
  // Where it is set meanwhile, no more orders are explored, and the diagnosis is worth nothing.
  std::stop_token stop = {};
};

Diagnosis diagnose(const Scenario& scenario, const DiagnoseOptions& options = {});

// Is there a failure that names somebody? The evidence may leave its kind open (ambiguous) and still say who began it.
bool is_failure(const Diagnosis& diagnosis);

// Is a failure of this signature among the findings, the first or a later one?
bool has_failure(const Diagnosis& diagnosis, std::string_view signature);

// What ring buffers lost, in words; empty where they kept everything.
std::string text_of_lost_events(const Scenario& scenario);

}  // namespace petri
