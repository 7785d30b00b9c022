// What the definitions of an OTF2 archive mean in a scenario: its ranks, communicators, windows and operations.
//
// Sources: the definition records of OTF2 3.0 (otf2/OTF2_Definitions.h, otf2/OTF2_GlobalDefReaderCallbacks.h). The
// ranks of the world are the members of the paradigm's group of communication locations; a location group is a process,
// whose CPU threads are its threads.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/import/foreign.hpp"
#include "harness/import/otf2_record.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

class Otf2Definitions {
 public:
  struct Location {
    std::int32_t rank = -1;                    // -1: of no process of the job
    std::int32_t thread = 0;                   // 0: the one that stands for the process
    std::map<std::string, std::string> facts;  // of archives that Petri wrote: name without "petri.", value
  };
  struct Window {
    std::string name;
    std::uint32_t comm = kOtf2Undefined;
  };

  // `name`: of the anchor file, for messages.
  explicit Otf2Definitions(std::string name) : name_(std::move(name)) {}

  void take(const Otf2Record& record, const std::string& payload);
  // When all were taken. Throws InputError for definitions that make no job.
  Scenario scenario();

  const std::string& name() const { return name_; }
  bool is_own() const { return own_; }  // written by Petri: events carry their arguments as attributes
  // TAU writes a message where it was received, in the wait for it; the receive that was posted for it has no record.
  bool names_no_requests() const { return names_no_requests_; }
  double seconds(std::uint64_t ticks) const;

  const std::string& text(std::uint32_t reference) const;  // empty where it is not defined
  const std::string& attribute(std::uint32_t reference) const;
  // Nothing for a region that is no operation of a scenario.
  std::optional<Op> operation(std::uint32_t region) const;
  const Location* location(std::uint64_t reference) const;
  const Window* window(std::uint32_t reference) const;

  // Index in Scenario::comms, or kNoComm for what is not defined, or not for this rank.
  std::int32_t comm(Scenario& scenario, std::uint32_t reference, std::int32_t rank) const;
  // The same whoever asks; kNoComm for groups of one that each rank has its own of.
  std::int32_t comm_index(std::uint32_t reference) const;
  // The group rank that an event's number means; throws InputError for one that the communicator has not.
  std::int32_t peer(const Scenario& scenario, std::uint32_t reference, std::int32_t comm, std::int32_t rank,
                    std::uint32_t number) const;
  std::vector<std::int32_t> members(std::uint32_t group) const;  // global ranks
  std::int32_t parent(Scenario& scenario, std::uint32_t reference, std::int32_t rank) const;
  // Where an event names no communicator: the one with other ranks of which the rank is a member, if there is but one;
  // else one of its own whose members are unknown.
  std::int32_t unnamed_comm(Scenario& scenario, std::int32_t rank) const;

 private:
  struct Group {
    std::uint32_t type = 0, paradigm = 0;
    bool global = false;  // its communicators' events name ranks of the world
    std::vector<std::uint64_t> members;
  };
  struct Comm {
    std::uint32_t name = 0, group = 0, remote = kOtf2Undefined, parent = kOtf2Undefined;
    std::int32_t index = kNoComm;
  };
  struct LocationDefinition {
    std::uint64_t reference = 0;
    std::uint32_t group = 0;
  };

  void number_ranks();
  std::vector<std::uint64_t> first_threads() const;
  void number_threads();
  void add_comms(Scenario& scenario);
  void add_comm(Scenario& scenario, std::uint32_t reference, Comm& comm);
  bool is_self(const Comm& comm) const;
  bool is_world(const Comm& comm) const;
  bool counts(const Comm& comm) const;
  std::string unique_name(const Scenario& scenario, const std::string& text, const char* kind,
                          std::uint32_t reference) const;

  std::string name_;
  bool own_ = false, names_no_requests_ = false;
  std::uint64_t resolution_ = 1, offset_ = 0;
  std::unordered_map<std::uint32_t, std::string> texts_, attributes_;
  std::unordered_map<std::uint32_t, Op> operations_;
  std::map<std::uint32_t, Group> groups_;
  // Groups of communication locations: EZTrace 2.0 gives one and the world's group the same number.
  std::vector<Group> world_groups_;
  std::map<std::uint32_t, Comm> comms_;
  std::map<std::uint32_t, Window> windows_;
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> window_definitions_;  // name, communicator
  std::vector<LocationDefinition> threads_;                                              // CPU threads, as they come
  std::unordered_map<std::uint64_t, Location> locations_;
  std::vector<std::uint64_t> stand_for_;  // by rank: the location that stands for it
  std::optional<std::uint32_t> paradigm_;
  std::int32_t world_ = 0;
};

}  // namespace petri
