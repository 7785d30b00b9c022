// Where collectives meet: on one communicator by position, never by name (MPI 4.1, section 6.1).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::model {

inline constexpr std::uint32_t kAbsent = 0xffffffff;  // has not arrived
inline constexpr std::uint32_t kBefore = 0xfffffffe;  // arrived before its record begins: a ring buffer lost the event

// One position of one communicator, or one meeting outside the sequence (comm_create_group). Members are known by their
// index in `members`, which is the group rank for a positional gathering.
struct Gathering {
  std::int32_t comm = 0;
  std::int64_t position = 0;
  std::vector<std::int32_t> members;    // global ranks; empty means all of the communicator
  std::vector<std::uint32_t> arrivals;  // by member: index of the event, kAbsent or kBefore
  std::uint32_t missing = 0;            // how many are kAbsent
  std::uint32_t first = kAbsent;        // member that arrived first with an event
  bool conflicted = false;              // operations or forms differ: it can never complete
};

class Gatherings {
 public:
  explicit Gatherings(const Scenario& scenario);

  // Lets an event arrive; returns the number of its gathering. The event's rank must be a member of its communicator.
  std::uint32_t arrive(EventRef ref);

  const Gathering& operator[](std::uint32_t number) const { return all_[number]; }
  const std::vector<Gathering>& all() const { return all_; }
  const std::vector<std::int32_t>& members(const Gathering& gathering) const;
  std::int32_t member_index(const Gathering& gathering, std::int32_t global) const;

  // Group rank of a global rank in a communicator, or -1; members of an undeclared communicator are those that
  // its creation names, otherwise those that use it.
  std::int32_t group_rank(std::int32_t comm, std::int32_t global) const;
  // False where neither a declaration nor the creation tells who the members are.
  bool members_known(std::int32_t comm) const { return known_[static_cast<std::size_t>(comm)]; }
  const std::vector<std::int32_t>& ranks_of(std::int32_t comm) const { return ranks_[static_cast<std::size_t>(comm)]; }

 private:
  std::uint32_t open(std::int32_t comm, std::int64_t position, std::vector<std::int32_t> members);
  std::uint32_t outside_sequence(EventRef ref);
  void infer_members();
  std::vector<std::int32_t> members_from_creation(std::int32_t comm) const;
  void note_truncated();

  const Scenario& scenario_;
  std::vector<std::vector<std::int32_t>> ranks_;                              // by communicator
  std::vector<bool> known_;                                                   // by communicator
  std::vector<std::unordered_map<std::int32_t, std::int32_t>> index_;         // by communicator: global → group
  std::vector<std::map<std::int32_t, std::int64_t>> first_kept_;              // by communicator: truncated ranks
  std::vector<std::unordered_map<std::int32_t, std::int64_t>> next_;          // by rank: communicator → position
  std::vector<std::unordered_map<std::int64_t, std::uint32_t>> by_position_;  // by communicator
  std::map<std::pair<std::string, std::int64_t>, std::uint32_t> outside_;     // (group and tag, occurrence)
  std::vector<std::map<std::string, std::int64_t>> outside_next_;             // by rank
  std::vector<Gathering> all_;
};

// Do two operations at one position join? Their family and form must be the same: blocking, nonblocking and persistent
// forms never match each other (MPI 4.1, section 6.12).
bool join(Op one, Op other);

}  // namespace petri::model
