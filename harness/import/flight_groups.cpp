#include "harness/import/flight_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace petri {

std::int32_t FlightGroups::number_of(const std::string& name, const std::string& description,
                                     const std::vector<std::int32_t>& ranks) {
  std::vector<std::int32_t>& named = named_[{name, description}];
  for (const std::int32_t group : named)
    if (at(group).ranks == ranks) return group;
  named.push_back(static_cast<std::int32_t>(groups_.size()));
  groups_.push_back({name, description, {}, ranks});
  return named.back();
}

void FlightGroups::set_backend(std::int32_t group, const std::string& backend) {
  std::string& known = groups_.at(static_cast<std::size_t>(group)).backend;
  if (known.empty()) known = backend;
}

std::int32_t FlightGroups::resolved(std::int32_t group, std::int32_t rank) const {
  if (!at(group).ranks.empty()) return group;
  std::int32_t found = group;
  for (const std::int32_t other : named_.at({at(group).name, at(group).description})) {
    const auto& ranks = at(other).ranks;
    if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) continue;
    if (found != group) return group;
    found = other;
  }
  return found;
}

void FlightGroups::add_kin(std::vector<bool>& used) const {
  std::set<std::pair<std::string, std::size_t>> kinds;
  for (std::size_t number = 0; number < groups_.size(); ++number)
    if (used[number] && !groups_[number].description.empty())
      kinds.emplace(groups_[number].description, groups_[number].ranks.size());
  for (std::size_t number = 0; number < groups_.size(); ++number)
    if (kinds.contains({groups_[number].description, groups_[number].ranks.size()})) used[number] = true;
}

void FlightGroups::infer_members(std::int32_t world, const std::vector<std::vector<std::int32_t>>& users) {
  for (std::size_t number = 0; number < groups_.size(); ++number) {
    Group& group = groups_[number];
    if (!group.ranks.empty() || users[number].empty()) continue;
    if (group.description != "default_pg") {
      group.ranks = users[number];
      std::sort(group.ranks.begin(), group.ranks.end());
      continue;
    }
    group.ranks.resize(static_cast<std::size_t>(world));
    std::iota(group.ranks.begin(), group.ranks.end(), 0);
  }
}

std::vector<std::int32_t> FlightGroups::add_to(Scenario& scenario, const std::vector<bool>& used) const {
  std::vector<std::int32_t> comms(groups_.size(), kNoComm);
  for (std::size_t number = 0; number < groups_.size(); ++number) {
    if (!used[number]) continue;
    const Group& group = groups_[number];
    const bool described = !group.description.empty() && group.description != "undefined";
    const std::string name = described            ? fmt::format("{}:{}", group.description, group.name)
                             : group.name.empty() ? std::string("unnamed")
                                                  : group.name;
    std::string unique = name == "world" ? "group:world" : name;
    for (int more = 2; scenario.find_comm(unique) != kNoComm; ++more) unique = fmt::format("{}#{}", name, more);
    Communicator comm;
    comm.name = unique;
    comm.ranks = group.ranks;
    comm.known = !group.ranks.empty();
    comm.backend = group.backend;
    if (described) comm.label = group.description;
    comms[number] = scenario.add_comm(std::move(comm));
  }
  return comms;
}

}  // namespace petri
