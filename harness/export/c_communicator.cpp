// Making and freeing communicators (MPI 4.1, chapter 7).
#include <fmt/format.h>

#include <algorithm>

#include "harness/export/c_rank.hpp"
#include "harness/export/c_text.hpp"

namespace petri::c {
namespace {

const Communicator* made_by(const Scenario& scenario, const Event& event) {
  if (event.new_comm == kNoComm) return nullptr;
  const Communicator& comm = scenario.comms[static_cast<std::size_t>(event.new_comm)];
  return comm.known ? &comm : nullptr;
}

}  // namespace

// Group ranks of the parent: the event's own list, else the members of what it made.
std::vector<std::int64_t> RankWriter::members_named(const Event& event) const {
  const auto& listed = event.extras->ranks;
  if (!listed.empty()) return {listed.begin(), listed.end()};
  std::vector<std::int64_t> members;
  const Communicator& parent = scenario_.comm_of(event);
  if (const Communicator* made = made_by(scenario_, event)) {
    for (const std::int32_t global : made->ranks) {
      const std::int32_t member = parent.known ? parent.group_rank_of(global) : -1;
      if (member < 0) reject("makes a communicator whose members are not known in its parent");
      members.push_back(member);
    }
  }
  return members;
}

// Where the new communicator goes. One that is made at the start, because some rank uses it without creating it, is not
// replaced.
std::string RankWriter::target_of(const Event& event) {
  if (event.new_comm != kNoComm && program_.at_start.count(event.new_comm) == 0)
    return "&" + comm_name(scenario_, event.new_comm);
  return "&unused_comm";
}

void RankWriter::write_creation(const Event& event) {
  const std::string parent = comm_of(event);
  const std::string target = target_of(event);
  const Communicator* made = made_by(scenario_, event);
  switch (event.op) {
    case Op::comm_dup: return put(fmt::format("MPI_Comm_dup({}, {});", parent, target));
    case Op::comm_dup_with_info:
      return put(fmt::format("MPI_Comm_dup_with_info({}, MPI_INFO_NULL, {});", parent, target));
    case Op::comm_idup: return put(fmt::format("MPI_Comm_idup({}, {}, {});", parent, target, request_of(event)));
    case Op::comm_split:
    case Op::comm_split_type: {
      // Without a recorded color, the smallest member of the new communicator is one.
      const std::int32_t derived = made != nullptr ? *std::min_element(made->ranks.begin(), made->ranks.end()) : kNull;
      const std::int32_t color = event.extras->color.value_or(derived);
      const std::int32_t key = event.extras->key.value_or(made != nullptr ? made->group_rank_of(rank_) : 0);
      if (event.op == Op::comm_split_type) note("comm_split_type: split as it came out");
      return put(fmt::format("MPI_Comm_split({}, {}, {}, {});", parent,
                             color == kNull ? "MPI_UNDEFINED" : std::to_string(color), key, target));
    }
    case Op::comm_create:
    case Op::comm_create_group: {
      const std::vector<std::int64_t> members = members_named(event);
      const std::string tag_argument = event.op == Op::comm_create_group ? tag(event.tag) + ", " : "";
      if (members.empty())
        return put(
            fmt::format("{}({}, MPI_GROUP_EMPTY, {}{});", function_name(event.op), parent, tag_argument, target));
      program_.helpers.insert(Helper::subgroup);
      put("{");
      put(fmt::format("  static const int ranks[] = {{{}}};", join(members)));
      put(fmt::format("  {}({}, subgroup({}, {}, ranks), {}{});", function_name(event.op), parent, parent,
                      members.size(), tag_argument, target));
      return put("}");
    }
    default: reject("cannot be written as a C program yet");
  }
}

void RankWriter::write_free(const Event& event) {
  if (event.op != Op::comm_free && event.op != Op::comm_disconnect) reject("cannot be written as a C program yet");
  if (event.comm == 0) reject("frees the world");
  put(fmt::format("{}(&{});", function_name(event.op), comm_of(event)));
}

}  // namespace petri::c
