// The groups in which one rank makes its NCCL calls, each thread its own, and the host's waits inside them. Internal to
// harness/diagnose.
#pragma once

#include <map>
#include <set>

#include "harness/diagnose/object_uses.hpp"

namespace petri::diagnosis {

class GroupLives {
 public:
  GroupLives(const std::vector<Event>& events, Uses& uses) : events_(events), uses_(uses) {}

  void perform(std::uint32_t index);

  struct Group {
    std::vector<std::uint32_t> starts;  // nested
    std::vector<std::uint32_t> inside;  // what its outermost end launches
  };
  const std::map<std::int32_t, Group>& by_thread() const { return groups_; }

 private:
  void end(Group& group, std::uint32_t index);
  void synchronize(const Group& group, std::uint32_t index);

  const std::vector<Event>& events_;
  Uses& uses_;
  std::map<std::int32_t, Group> groups_;
  std::map<std::string, std::uint32_t> recorded_;  // by event name: its latest record
  std::set<std::string> streams_told_;
  bool no_group_told_ = false;
};

}  // namespace petri::diagnosis
