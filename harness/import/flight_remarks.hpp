// What is said of the Flight Recorder dumps of a job beside its scenario. Internal to harness/import.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/import/flight_calls.hpp"
#include "harness/import/flight_dump.hpp"
#include "harness/import/foreign.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

// Gathered while the dumps are read and settled, and said at the end.
struct FlightRemarks {
  // What one dump says of itself.
  void add(const std::string& file, const FlightDump& dump, const FlightCalls& calls);

  // All of it, where the scenario is whole.
  void say(const Scenario& scenario, ImportNotes& notes) const;

  std::set<std::string> versions, libraries;  // of the format, and of NCCL; an empty one: not stated
  std::set<std::string> unknown, foreign;     // see FlightCalls
  std::vector<std::string> cut;               // files that break off
  std::size_t refused_lists = 0;              // of members of groups, in all dumps
  std::string first_refused;
  std::size_t strays = 0;  // calls on groups whose members do not make them
  std::string first_stray;
  std::uint64_t opaque = 0, stateless = 0;  // see FlightCalls
  bool launches_counted = false;            // launches of messages have numbers of collectives
  bool any_lost = false;                    // a ring lost the first calls
  bool any_gloo = false;                    // a dump is of Gloo's recorder
  bool inferred = false;                    // members of some groups are not recorded
  bool partial = false;                     // not all of every rank's calls are there
  std::vector<std::int32_t> places_lost;    // ranks of which the ring lost the call in which they wait; ascending

 private:
  void say_versions(ImportNotes& notes) const;
  void say_ranks(const Scenario& scenario, ImportNotes& notes) const;
};

}  // namespace petri
