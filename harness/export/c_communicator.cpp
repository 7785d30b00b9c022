// Making and freeing communicators (MPI 4.1, chapter 7).
#include <fmt/format.h>

#include <algorithm>

#include "harness/export/c_rank.hpp"
#include "harness/export/c_text.hpp"

namespace petri::c {
namespace {

const Communicator* made_by(const Scenario& scenario, const Event& event) {
  if (event.extras.new_comm() == kNoComm) return nullptr;
  const Communicator& comm = scenario.comms[static_cast<std::size_t>(event.extras.new_comm())];
  return comm.known ? &comm : nullptr;
}

}  // namespace

// Group ranks of the parent: the event's own list, else the members of what it made.
std::vector<std::int64_t> RankWriter::members_named(const Event& event) const {
  const auto& listed = event.extras.ranks();
  if (!listed.empty()) return {listed.begin(), listed.end()};
  std::vector<std::int64_t> members;
  const Communicator& parent = scenario_.comm_of(event);
  if (const Communicator* made = made_by(scenario_, event)) {
    const bool other_side = made->is_inter() && made->group_rank_of(rank_) < 0;
    for (const std::int32_t global : other_side ? made->remote : made->ranks) {
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
  if (event.extras.new_comm() != kNoComm && program_.at_start.count(event.extras.new_comm()) == 0)
    return "&" + comm_name(scenario_, event.extras.new_comm());
  return "&unused_comm";
}

void RankWriter::write_split(const Event& event) {
  const Communicator* made = made_by(scenario_, event);
  // Without a recorded color, the smallest member of the new communicator is one.
  const std::int32_t derived = made != nullptr ? *std::min_element(made->ranks.begin(), made->ranks.end()) : kNull;
  const std::int32_t color = event.extras.color().value_or(derived);
  const std::int32_t key = event.extras.key().value_or(made != nullptr ? made->group_rank_of(rank_) : 0);
  if (event.op == Op::comm_split_type) note("comm_split_type: split as it came out");
  put(fmt::format("MPI_Comm_split({}, {}, {}, {});", comm_of(event),
                  color == kNull ? "MPI_UNDEFINED" : std::to_string(color), key, target_of(event)));
}

// A communicator between two groups (MPI 4.1, section 7.6). Only a leader's word counts on where the remote one is.
void RankWriter::write_intercommunicator(const Event& event) {
  const std::int32_t leader = event.root == kUnset ? 0 : event.root;
  const std::int32_t bridge = scenario_.find_comm(event.extras.remote());
  const bool knows = bridge != kNoComm && event.peer >= 0;
  if (!knows && scenario_.comm_of(event).group_rank_of(rank_) == leader)
    reject("cannot be written: where its remote leader is, is not known");
  put(fmt::format("MPI_Intercomm_create({}, {}, {}, {}, {}, {});", comm_of(event), leader,
                  knows ? comm_name(scenario_, bridge) : "MPI_COMM_NULL", knows ? event.peer : 0, tag(event.tag),
                  target_of(event)));
}

void RankWriter::write_creation(const Event& event) {
  learn_topology(event);
  const std::string parent = comm_of(event), target = target_of(event), function = function_name(event.op);
  switch (event.op) {
    case Op::comm_dup: return put(fmt::format("MPI_Comm_dup({}, {});", parent, target));
    case Op::comm_dup_with_info: return put(fmt::format("{}({}, MPI_INFO_NULL, {});", function, parent, target));
    case Op::comm_idup: return put(fmt::format("MPI_Comm_idup({}, {}, {});", parent, target, request_of(event)));
    case Op::comm_idup_with_info:
      program_.needs_mpi_4 = true;
      return put(fmt::format("{}({}, MPI_INFO_NULL, {}, {});", function, parent, target, request_of(event)));
    case Op::comm_split:
    case Op::comm_split_type: return write_split(event);
    case Op::comm_create:
      return put_with_group(fmt::format("MPI_Comm_create({}, ", parent), parent, members_named(event),
                            fmt::format(", {});", target));
    case Op::comm_create_group:
      return put_with_group(fmt::format("{}({}, ", function, parent), parent, members_named(event),
                            fmt::format(", {}, {});", tag(event.tag), target));
    case Op::comm_create_from_group: {
      // Equal tags find each other; their text stays out of the program.
      program_.needs_mpi_4 = true;
      const auto number = program_.string_tags.try_emplace(event.extras.value(), program_.string_tags.size()).first;
      return put_with_group(
          function + "(", parent, members_named(event),
          fmt::format(", \"tag-{}\", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, {});", number->second, target));
    }
    case Op::intercomm_create: return write_intercommunicator(event);
    case Op::intercomm_merge:
      return put(fmt::format("{}({}, {}, {});", function, parent, event.extras.key().value_or(0), target));
    default: return write_topology(event);
  }
}

void RankWriter::write_free(const Event& event) {
  if (event.comm == 0) reject("frees the world");
  put(fmt::format("{}(&{});", function_name(event.op), comm_of(event)));
}

}  // namespace petri::c
