// The process groups of a job, as the dumps of its ranks name them.
//
// A group is known by its name, its description and its members: names are not unique (split_group), descriptions even
// less. A dump's pg_config keeps one group of a name only, so the members of others are told by other ranks' dumps.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri {

class FlightGroups {
 public:
  // The number of the group; `ranks` in group order, empty where the dump does not say them.
  std::int32_t number_of(const std::string& name, const std::string& description,
                         const std::vector<std::int32_t>& ranks);
  void set_backend(std::int32_t group, const std::string& backend);

  std::size_t size() const { return groups_.size(); }
  const std::vector<std::int32_t>& ranks_of(std::int32_t group) const { return at(group).ranks; }
  const std::string& name_of(std::int32_t group) const { return at(group).name; }

  // The group that `rank` means by one whose members its dump does not say: that of the name of which it is a member,
  // if there is only one. Otherwise the same.
  std::int32_t resolved(std::int32_t group, std::int32_t rank) const;

  // Adds to the groups that `used` tells of those of their kind: of the same description, with as many members. How far
  // these came tells who of the others went another way.
  void add_kin(std::vector<bool>& used) const;

  // Members that no dump says: the default group has all `world` ranks; of others those that made calls in them are all
  // that is known. `users` is by group.
  void infer_members(std::int32_t world, const std::vector<std::vector<std::int32_t>>& users);

  // One communicator for each group that `used` tells of; returns them by group, kNoComm for the others.
  std::vector<std::int32_t> add_to(Scenario& scenario, const std::vector<bool>& used) const;

 private:
  struct Group {
    std::string name, description, backend;
    std::vector<std::int32_t> ranks;
  };
  const Group& at(std::int32_t group) const { return groups_.at(static_cast<std::size_t>(group)); }

  std::vector<Group> groups_;
  std::map<std::pair<std::string, std::string>, std::vector<std::int32_t>> named_;  // by name and description
};

}  // namespace petri
