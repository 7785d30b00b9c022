// Where collectives meet: on one communicator, window or file by position, never by name (MPI 4.1, section 6.1).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/trace/venue.hpp"

namespace petri::model {

inline constexpr std::uint32_t kAbsent = 0xffffffff;  // has not arrived
inline constexpr std::uint32_t kBefore = 0xfffffffe;  // arrived before its record begins: a ring buffer lost the event
inline constexpr std::uint32_t kNoGathering = 0xffffffff;

// One position of one communicator, window or file; one meeting outside the sequence (comm_create_group); one start of
// a persistent collective. Members are known by their index in Gatherings::members, which for a positional gathering on
// an intracommunicator is the group rank.
struct Gathering {
  std::int32_t comm = 0;
  std::int32_t venue = 0;  // where `position` counts: a communicator's number, or a window's or file's after them
  std::int64_t position = 0;
  std::span<std::uint32_t> arrivals;      // by member: index of the event, kAbsent or kBefore; owned by Gatherings
  std::uint32_t named = kNoGathering;     // where Gatherings lists the members; kNoGathering: all of the communicator
  std::uint32_t missing = 0;              // how many are kAbsent
  std::uint32_t first = kAbsent;          // member that arrived first with an event
  std::uint32_t start_of = kNoGathering;  // of a persistent collective: where its inits met
  std::uint32_t across = kNoGathering;    // the other side, once both leaders have said who they are
  bool bridges = false;                   // one side of an intercomm_create, complete only with that other one
  bool conflicted = false;                // operations or forms differ: it can never complete
};

class Gatherings {
 public:
  explicit Gatherings(const Scenario& scenario);

  // Lets an event arrive; returns the number of its gathering. The event's rank must be a member of its communicator.
  std::uint32_t arrive(EventRef ref);
  // The two halves of it, for an operation that takes its place when the host calls it and arrives when its stream gets
  // to it.
  std::uint32_t reserve(EventRef ref, std::uint32_t lane);
  void arrive_at(std::uint32_t number, EventRef ref);
  // The `occurrence`-th start of the persistent collective whose init `ref` arrived at `init`.
  std::uint32_t start(std::uint32_t init, std::uint32_t occurrence, EventRef ref);

  // False where the start of a rank's record is lost, and with it the count of its calls there.
  bool place_known(EventRef ref);

  // All members are there, for one side of an intercomm_create on both sides, and they join.
  bool complete(const Gathering& gathering) const;

  const Gathering& operator[](std::uint32_t number) const { return all_[number]; }
  const std::deque<Gathering>& all() const { return all_; }
  const std::vector<std::int32_t>& members(const Gathering& gathering) const;
  std::int32_t member_index(const Gathering& gathering, std::int32_t global) const;
  // The device stream on which a member's arrival waits: its lane.
  std::optional<std::uint32_t> lane_of_queued(const Gathering& gathering, std::uint32_t member) const;

  // Index of a global rank among the members of a communicator, or -1: its group rank, on an intercommunicator with the
  // second group counted after the first. Members of an undeclared communicator are those that its creation names,
  // otherwise those that use it.
  std::int32_t group_rank(std::int32_t comm, std::int32_t global) const;
  // The same index for a peer as `self` names it: on an intercommunicator by its rank in the other group. -1: none.
  std::int32_t peer_index(std::int32_t comm, std::int32_t self, std::int32_t peer) const;
  // False where neither a declaration nor the creation tells who the members are.
  bool members_known(std::int32_t comm) const { return known_[static_cast<std::size_t>(comm)]; }
  const std::vector<std::int32_t>& ranks_of(std::int32_t comm) const { return *ranks_[static_cast<std::size_t>(comm)]; }
  Venue venue_of(const Gathering& gathering) const;
  // The call with which a rank made a topology, for its neighbours on it; nothing where it is not recorded.
  const Event* topology_of(std::int32_t comm, std::int32_t global) const;

 private:
  // Which gathering is at each position of one venue. Positions follow each other, but where a producer says otherwise.
  struct Positions {
    std::int64_t begin = 0;            // where every record begins
    std::vector<std::uint32_t> first;  // by position, from there on
    std::unordered_map<std::int64_t, std::uint32_t> beyond;
    std::uint32_t& at(std::int64_t position);
  };
  std::uint32_t open(std::int32_t comm, std::int64_t position, std::vector<std::int32_t> members);
  std::span<std::uint32_t> room_for(std::size_t arrivals);
  std::uint32_t place(EventRef ref);
  std::uint32_t at_position(EventRef ref);
  std::uint32_t outside_sequence(EventRef ref);
  std::uint32_t bridge_side(EventRef ref);
  void meet_across(std::uint32_t side, const Event& leader, std::int32_t leader_rank);
  std::vector<std::int32_t> named_members(const Event& event, std::int32_t rank) const;
  std::int32_t venue_number(const Event& event);
  void infer_members();
  void keep_members(const std::vector<std::int32_t>* members);  // of the next communicator
  std::vector<std::int32_t> members_from_creation(std::int32_t comm);
  void note_joined();
  void note_truncated();

  const Scenario& scenario_;
  std::vector<const std::vector<std::int32_t>*> ranks_;  // by communicator; both groups of an intercomm
  std::deque<std::vector<std::int32_t>> own_ranks_;      // those that are no list of the scenario
  std::vector<std::int32_t> first_group_;                // by communicator: its size; 0: intracommunicator
  std::vector<bool> known_;                              // by communicator
  // By communicator, where its ranks do not ascend: global → member.
  std::unordered_map<std::int32_t, std::unordered_map<std::int32_t, std::int32_t>> index_;
  std::map<std::pair<std::int32_t, std::int32_t>, const Event*> topologies_;  // (comm, global)
  std::map<Venue, std::int32_t> venues_;                                      // windows and files
  std::map<std::int32_t, std::map<std::int32_t, std::int64_t>> first_kept_;   // by venue: truncated ranks
  std::vector<std::unordered_map<std::int32_t, std::int64_t>> next_;          // by rank: venue → position
  std::vector<Positions> by_position_;                                        // by venue
  std::map<std::pair<std::string, std::int64_t>, std::uint32_t> outside_;     // (group and tag, occurrence)
  std::vector<std::map<std::string, std::int64_t>> outside_next_;             // by rank
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> starts_;   // (gathering of inits, occurrence)
  std::multimap<std::string, std::uint32_t> waiting_sides_;                   // by leaders and tag
  std::vector<std::vector<std::int32_t>> named_;                              // members, see Gathering::named
  std::unordered_map<const std::uint32_t*, std::uint32_t> queued_;            // by the place of an arrival: the lane
  std::vector<std::unique_ptr<std::uint32_t[]>> arrivals_;                    // chunks, of which the last has …
  std::size_t room_ = 0;                                                      // … so much left at its end
  std::uint32_t* chunk_end_ = nullptr;
  std::deque<Gathering> all_;
};

// Do two operations at one position join? Their family and form must be the same: blocking, nonblocking and persistent
// forms never match each other (MPI 4.1, section 6.12).
bool join(Op one, Op other);

}  // namespace petri::model
