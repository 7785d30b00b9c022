#include "harness/import/flight_remarks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/trace/counted.hpp"
#include "harness/trace/rank_ranges.hpp"

namespace petri {

void FlightRemarks::add(const std::string& file, const FlightDump& dump, const FlightCalls& calls) {
  versions.insert(dump.version);
  libraries.insert(dump.comm_lib_version);
  unknown.insert(calls.unknown.begin(), calls.unknown.end());
  foreign.insert(calls.foreign.begin(), calls.foreign.end());
  if (dump.cut) cut.push_back(file);
  for (const std::string& refused : dump.refused_lists)
    if (refused_lists++ == 0) first_refused = fmt::format("{}: {}", file, refused);
  opaque += calls.opaque;
  stateless += calls.stateless;
  launches_counted = launches_counted || !calls.taken.empty();
  any_lost = any_lost || calls.lost > 0;
  any_gloo = any_gloo || std::find(calls.backends.begin(), calls.backends.end(), "gloo") != calls.backends.end();
}

void FlightRemarks::say(const Scenario& scenario, ImportNotes& notes) const {
  notes.facts.push_back(
      "not recorded: the reduction operation, the root, the stream, tags, how an all-to-all divides its elements");
  notes.facts.push_back("taken for granted: a rank waits in its oldest call that is not over");
  if (partial) notes.facts.push_back("messages that are over are left out: the other side of some is not recorded");
  if (opaque > 0)
    notes.facts.push_back(fmt::format("{} without recorded members {} taken for all-gathers",
                                      counted(opaque, "coalesced launch"), opaque == 1 ? "is" : "are"));
  if (inferred)
    notes.warnings.push_back(
        "not recorded: the members of some groups; those that made calls in them are taken for all, so that nobody "
        "waits "
        "there for one that made none");
  if (!unknown.empty())
    notes.warnings.push_back(fmt::format("left out, as the operation is not known: {}", fmt::join(unknown, ", ")));
  if (!foreign.empty())
    notes.warnings.push_back(fmt::format("collectives that are not known, taken for barriers of their groups: {}",
                                         fmt::join(foreign, ", ")));
  if (stateless > 0)
    notes.warnings.push_back(fmt::format("{} in a state that is not known {} taken for enqueued, and not over",
                                         counted(stateless, "call"), stateless == 1 ? "is" : "are"));
  if (any_gloo)
    notes.warnings.push_back("Gloo's recorder keeps no messages: a rank that is in no recorded call may wait for one");
  say_versions(notes);
  if (launches_counted && any_lost)
    notes.warnings.push_back(
        "this version of PyTorch numbers launches of messages as collectives, and the rings lost the first calls: "
        "collectives of a group whose ranks make such launches may be aligned wrongly "
        "(a larger TORCH_NCCL_TRACE_BUFFER_SIZE would decide)");
  if (strays > 0)
    notes.warnings.push_back(fmt::format("{} on groups of which the rank or its partner is no member {} left out: {}{}",
                                         counted(strays, "call"), strays == 1 ? "is" : "are", first_stray,
                                         strays == 1 ? "" : " and others"));
  if (refused_lists > 0)
    notes.warnings.push_back(
        fmt::format("{}: its list of ranks is left out{}", first_refused,
                    refused_lists == 1 ? "" : fmt::format(", as {} more in the dumps", refused_lists - 1)));
  if (!cut.empty())
    notes.warnings.push_back(fmt::format("broken off, used as far as they go: {}", fmt::join(cut, ", ")));
  say_ranks(scenario, notes);
}

void FlightRemarks::say_versions(ImportNotes& notes) const {
  std::vector<std::string> named;
  for (const std::string& version : versions)
    named.push_back(version.empty() ? "none stated" : fmt::format("{:.20}", version));
  for (const std::string& version : versions)
    if (version.empty())
      notes.warnings.push_back("dumps that do not state a version of the format are read like 2.10");
    else if (!version.starts_with("2."))
      notes.warnings.push_back(fmt::format("version {:.20} of the format is read like 2.10", version));
  if (named.size() > 1)
    notes.warnings.push_back(fmt::format("the dumps are of several versions: {}", fmt::join(named, ", ")));
}

void FlightRemarks::say_ranks(const Scenario& scenario, ImportNotes& notes) const {
  std::vector<std::int32_t> missing;
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank)
    if (scenario.ranks[rank].end.kind == EndKind::missing) missing.push_back(static_cast<std::int32_t>(rank));
  if (!missing.empty()) notes.warnings.push_back(fmt::format("no dump of {}", ranks_in_words(missing)));
  if (!places_lost.empty())
    notes.warnings.push_back(
        fmt::format("the ring of {} lost calls that were not over: a larger one would show them "
                    "(TORCH_NCCL_TRACE_BUFFER_SIZE)",
                    ranks_in_words(places_lost)));
}

}  // namespace petri
