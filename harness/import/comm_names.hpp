// One name for one communicator on all ranks, from how it was made: "world/0" is the first communicator made from the
// world by all of its members, "world/1:4" the part that begins with rank 4 of the second one, which was split,
// "world/g7:2" one made by group and tag 7 beginning with rank 2, "inter/g3:0-4" the intercommunicator between the
// groups that begin with the ranks 0 and 4, made with tag 3.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "harness/import/process_record.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

class CommNames {
 public:
  explicit CommNames(Scenario& scenario) : scenario_(scenario) {}

  // Starts with the next rank. `facts` must stay until the one after it. Throws InputError (naming `file`) for members
  // outside the world.
  void begin_rank(std::int32_t rank, const ProcessFacts& facts, const std::string& file);

  // Index in Scenario::comms for this rank's local number; added on first use.
  std::int32_t index_of(std::int32_t local, int depth = 0);
  std::int32_t rank() const { return rank_; }  // whose record is being read
  const Communicator& at(std::int32_t index) const { return scenario_.comms[static_cast<std::size_t>(index)]; }

 private:
  // What is equal on all members, and for nothing else: parent, ordinal, tags, groups and repeats.
  using Members = std::vector<std::int32_t>;
  using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::string, Members, Members, int>;

  std::int32_t find_or_add(const CommFactCopy& fact, std::int32_t parent_index, int repeats);
  void check_members(const Communicator& comm) const;
  std::int32_t add_unknown(std::int32_t local);
  std::int32_t add_self();
  int repeats_before(std::int32_t local, const CommFactCopy& fact) const;
  std::int32_t add(Communicator comm);

  Scenario& scenario_;
  std::int32_t rank_ = 0;
  const ProcessFacts* facts_ = nullptr;
  std::string file_;
  std::map<std::int32_t, std::int32_t> known_;  // of this rank: local number to index
  std::map<Key, std::int32_t> made_;            // of all ranks
};

}  // namespace petri
