// Making and freeing communicators (MPI 4.1, chapter 7).
#include <algorithm>
#include <array>

#include "harness/worker/arguments.hpp"
#include "harness/worker/group.hpp"
#include "harness/worker/perform.hpp"

namespace petri {
namespace {

const Communicator* made_by(const Replayer& replayer, const Event& event) {
  if (event.extras.new_comm() == kNoComm) return nullptr;
  const Communicator& comm = replayer.scenario().comms[static_cast<std::size_t>(event.extras.new_comm())];
  return comm.known ? &comm : nullptr;
}

// The members on this rank's side.
const std::vector<std::int32_t>& own_group(const Replayer& replayer, const Communicator& comm) {
  const bool here = std::find(comm.ranks.begin(), comm.ranks.end(), replayer.rank()) != comm.ranks.end();
  return here || !comm.is_inter() ? comm.ranks : comm.remote;
}

// The members that a creation names, as group ranks of the parent: the event's own list, else those of what it made.
std::vector<int> members_of(const Replayer& replayer, const Event& event) {
  const std::vector<std::int32_t>& listed = event.extras.ranks();
  if (!listed.empty()) return {listed.begin(), listed.end()};
  std::vector<int> members;
  if (const Communicator* made = made_by(replayer, event)) {
    for (const std::int32_t global : own_group(replayer, *made))
      members.push_back(replayer.scenario().comm_of(event).group_rank_of(global));
  }
  return members;
}

void perform_dup(Replayer& replayer, const Event& event) {
  MPI_Comm_dup(replayer.comm_of(event), replayer.new_comm_of(event));
}

void perform_dup_with_info(Replayer& replayer, const Event& event) {
  MPI_Comm_dup_with_info(replayer.comm_of(event), MPI_INFO_NULL, replayer.new_comm_of(event));
}

void perform_idup(Replayer& replayer, const Event& event) {
  MPI_Comm_idup(replayer.comm_of(event), replayer.new_comm_of(event), &replayer.request(event.request));
}

// Without a recorded color, the smallest member of the new communicator is one, and its order the keys: the same for
// all members, different from all others'.
int color_of(const Event& event, const Communicator* made) {
  std::int32_t color = 0;
  if (made != nullptr && !made->ranks.empty()) color = *std::min_element(made->ranks.begin(), made->ranks.end());
  return event.extras.color().value_or(color) == kNull ? MPI_UNDEFINED : event.extras.color().value_or(color);
}

int key_of(const Replayer& replayer, const Event& event, const Communicator* made) {
  return event.extras.key().value_or(made != nullptr ? made->group_rank_of(replayer.rank()) : 0);
}

void perform_split(Replayer& replayer, const Event& event) {
  const Communicator* made = made_by(replayer, event);
  MPI_Comm_split(replayer.comm_of(event), color_of(event, made), key_of(replayer, event, made),
                 replayer.new_comm_of(event));
}

// All ranks of a replay share memory, as those of the communicator that is asked for did (plan/refusal.cpp).
void perform_split_type(Replayer& replayer, const Event& event) {
  const int type = event.extras.color() == kNull ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED;
  MPI_Comm_split_type(replayer.comm_of(event), type, key_of(replayer, event, made_by(replayer, event)), MPI_INFO_NULL,
                      replayer.new_comm_of(event));
}

void perform_create(Replayer& replayer, const Event& event) {
  const Group group(replayer.comm_of(event), members_of(replayer, event));
  MPI_Comm_create(replayer.comm_of(event), group.get(), replayer.new_comm_of(event));
}

void perform_create_group(Replayer& replayer, const Event& event) {
  const Group group(replayer.comm_of(event), members_of(replayer, event));
  MPI_Comm_create_group(replayer.comm_of(event), group.get(), mpi_tag(event.tag), replayer.new_comm_of(event));
}

template <int (*call)(MPI_Comm*)>
void perform_free(Replayer& replayer, const Event& event) {
  MPI_Comm comm = replayer.comm_of(event);
  call(&comm);
}

constexpr std::array kTable{
    PerformerRow{Op::comm_dup, perform_dup},
    PerformerRow{Op::comm_dup_with_info, perform_dup_with_info},
    PerformerRow{Op::comm_idup, perform_idup},
    PerformerRow{Op::comm_split, perform_split},
    PerformerRow{Op::comm_split_type, perform_split_type},
    PerformerRow{Op::comm_create, perform_create},
    PerformerRow{Op::comm_create_group, perform_create_group},
    PerformerRow{Op::comm_free, perform_free<MPI_Comm_free>},
    PerformerRow{Op::comm_disconnect, perform_free<MPI_Comm_disconnect>},
};

}  // namespace

std::span<const PerformerRow> communicator_table() {
  return kTable;
}

}  // namespace petri
