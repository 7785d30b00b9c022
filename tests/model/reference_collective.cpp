// Where calls meet by position, and whom each of them needs: MPI 4.1, chapters 6, 7, 8, 12 and 14.
#include <fmt/format.h>

#include <algorithm>

#include "tests/model/reference_state.hpp"

namespace petri::test::reference {
namespace {

std::string_view family(const Event& event) {
  return info(event.op).family;
}
bool is_neighbor(const Event& event) {
  return (info(event.op).traits & kNeighbor) != 0;
}
const Communicator& comm_of(const Facts& facts, const Event& event) {
  return facts.scenario.comms[static_cast<std::size_t>(event.comm)];
}

// Calls that meet by what they name and not by position (section 7.4.2): the group and the tag, or the leaders.
std::string meeting_of(const Facts& facts, EventRef ref) {
  const Event& event = facts.event(ref);
  const EventExtras& own = event.extras;
  if (event.op == Op::comm_create_group || event.op == Op::comm_create_from_group)
    return fmt::format("{} {} {} {} {}", family(event), event.comm, fmt::join(own.ranks(), ","), tag_of(event),
                       own.value());
  if (event.op != Op::intercomm_create) return fmt::format("{} {}", family(event), event.extras.new_comm());
  const Rank local = facts.peer(event.comm, ref.rank, event.root);
  const Rank remote = facts.peer(std::max(facts.scenario.find_comm(own.remote()), 0), ref.rank, event.peer);
  return fmt::format("leaders {} {} {}", std::min(local, remote), std::max(local, remote), tag_of(event));
}

Domain domain_of(const Facts& facts, EventRef ref) {
  const Event& event = facts.event(ref);
  const EventExtras& own = event.extras;
  if ((info(event.op).traits & kOutsideSequence) != 0)
    return {Domain::outside, facts.number_of(meeting_of(facts, ref)), 0};
  if (event.op == Op::win_free || event.op == Op::win_fence)
    return {Domain::window, facts.number_of("window " + own.win()), 0};
  if (kind_of(event.op) == OpKind::file && event.op != Op::file_open)
    return {Domain::file, facts.number_of("file " + own.file()), 0};
  return {Domain::comm, event.comm, 0};
}

// Who takes part.
std::vector<Rank> participants(const Facts& facts, EventRef ref) {
  const Event& event = facts.event(ref);
  if (event.op == Op::comm_create_group || event.op == Op::comm_create_from_group) {
    std::vector<Rank> all;
    for (const std::int32_t group_rank : event.extras.ranks())
      all.push_back(facts.peer(event.comm, ref.rank, group_rank));
    return all;
  }
  const bool named_by_result = (info(event.op).traits & kOutsideSequence) != 0 && event.extras.new_comm() != kNoComm;
  return facts.members(named_by_result ? event.extras.new_comm() : event.comm);
}

// The neighbours that a member receives from: those that its call which made the communicator named (chapter 8). Where
// the schedule does not show that call, or no neighbour at all, they may be all.
std::vector<Rank> sources_of(const Facts& facts, Rank rank, std::int32_t comm) {
  for (const Event& event : facts.scenario.ranks[static_cast<std::size_t>(rank)].events) {
    if (event.extras.new_comm() != comm || (event.extras.sources().empty() && event.extras.destinations().empty()))
      continue;
    std::vector<Rank> sources;
    for (const std::int32_t source : event.extras.sources())
      if (source >= 0) sources.push_back(facts.peer(comm, rank, source));
    return sources;
  }
  return facts.members(comm);
}

// Whom a member of a rooted operation needs: everybody else waits for the root's data, or the root for everybody's.
// On an intercommunicator the root's group does nothing but for the root (section 6.2.3).
std::vector<Rank> needed_by_rooted(const Facts& facts, EventRef ref) {
  const Event& event = facts.event(ref);
  const Communicator& comm = comm_of(facts, event);
  const bool root_gives = family(event) == "bcast" || family(event) == "scatter" || family(event) == "scatterv";
  if (event.root == kNull) return {};
  const bool is_root = comm.is_inter() ? event.root == kRootHere : event.root == facts.group_rank(event.comm, ref.rank);
  if (!is_root) return root_gives ? std::vector{facts.peer(event.comm, ref.rank, event.root)} : std::vector<Rank>{};
  return root_gives ? std::vector<Rank>{} : comm.peers_of(ref.rank);
}

// Whom this call needs in its gathering before it is done.
std::vector<Rank> needed(const Facts& facts, EventRef ref, bool starting) {
  const Event& event = facts.event(ref);
  const std::vector<Rank> all = participants(facts, ref);
  if (facts.strict()) return all;
  // "Initialization calls for MPI persistent collective operations are nonlocal" (section 6.13), and do no more.
  if (form_of(event.op) == OpForm::persistent && !starting) return {};
  if (event.op == Op::win_fence) {
    // "A call to MPI_WIN_FENCE that is known not to end any epoch (in particular, a call with assert equal to
    // MPI_MODE_NOPRECEDE) does not necessarily act as a barrier" (section 12.5.1).
    return event.extras.assertions().find("noprecede") != std::string::npos ? std::vector<Rank>{} : all;
  }
  const auto own = facts.group_rank(event.comm, ref.rank);
  const auto& group = comm_of(facts, event).ranks;
  // An intercommunicator has no lower ranks to wait for: `own` counts in either of its groups.
  const auto below = std::min<std::ptrdiff_t>(std::max(own, 0), std::ssize(group));
  const std::vector<Rank> lower{group.begin(), group.begin() + below};
  if (kind_of(event.op) == OpKind::file) {
    // "The completion of a collective call may depend on the activity of the other processes" (section 14.4.1), it need
    // not; but the ordered ones write behind the lower ranks.
    return event.op == Op::file_read_ordered || event.op == Op::file_write_ordered ? lower : std::vector<Rank>{};
  }
  if (kind_of(event.op) != OpKind::collective) return all;
  if (is_neighbor(event)) return sources_of(facts, ref.rank, event.comm);
  if (is_rooted(event.op)) return needed_by_rooted(facts, ref);
  const Communicator& comm = comm_of(facts, event);
  if (comm.is_inter()) return comm.peers_of(ref.rank);  // each group receives from the other one (section 6.3)
  if (family(event) == "scan" || family(event) == "exscan") return lower;
  return all;
}

// The same operation in the same form: "blocking and nonblocking collective operations do not match" (section 6.12).
bool same_operation(const Event& one, const Event& other) {
  return family(one) == family(other) && form_of(one.op) == form_of(other.op);
}

bool seat_done(const Facts& facts, const State& state, const Seat& seat) {
  const Event& own = facts.event(seat.at);
  for (const Rank rank : needed(facts, seat.at, seat.domain.kind == Domain::starts)) {
    const auto there = std::find_if(state.seats.begin(), state.seats.end(), [&](const Seat& other) {
      return other.taken && other.rank == rank && other.domain == seat.domain && other.position == seat.position &&
             same_operation(own, facts.event(other.at));
    });
    if (there == state.seats.end()) return false;
  }
  return true;
}

void sit(const Facts& facts, State& state, const Seat& seat) {
  // A member gives to itself, too.
  if (arguments_clash(facts, seat, seat)) state.mismatch = true;
  for (const Seat& other : state.seats)
    if (other.domain == seat.domain && other.position == seat.position &&
        same_operation(facts.event(seat.at), facts.event(other.at)) && arguments_clash(facts, seat, other))
      state.mismatch = true;
  add(state.seats, seat);
}

}  // namespace

bool is_collective(const Event& event) {
  const OpKind kind = kind_of(event.op);
  static constexpr Op kWindows[] = {Op::win_create,          Op::win_create_dynamic, Op::win_allocate,
                                    Op::win_allocate_shared, Op::win_free,           Op::win_fence};
  return kind == OpKind::collective || kind == OpKind::comm_create ||
         (kind == OpKind::comm_free && event.op != Op::comm_abort) || kind == OpKind::file ||
         std::find(std::begin(kWindows), std::end(kWindows), event.op) != std::end(kWindows);
}

void take_seat(const Facts& facts, State& state, EventRef ref, Owner owner, bool taken) {
  const Domain domain = domain_of(facts, ref);
  const auto position = std::count_if(state.seats.begin(), state.seats.end(),
                                      [&](const Seat& seat) { return seat.rank == ref.rank && seat.domain == domain; });
  sit(facts, state, {domain, static_cast<std::int32_t>(position), ref.rank, taken, owner, ref});
}

void launch_seat(const Facts&, State& state, EventRef ref, Owner owner) {
  const auto found =
      std::find_if(state.seats.begin(), state.seats.end(), [&](const Seat& seat) { return seat.at == ref; });
  found->taken = true;
  found->owner = owner;
}

// "The n-th starts of one init meet", in whatever order each rank starts its requests (section 6.13).
void start_collective(const Facts& facts, State& state, const Persistent& request, Owner owner) {
  const EventRef init{request.rank, request.init};
  for (const Seat& seat : std::vector<Seat>(state.seats)) {
    if (seat.at != init || seat.domain.kind != Domain::comm) continue;
    sit(facts, state,
        {{Domain::starts, seat.domain.id, seat.position}, request.starts, request.rank, true, owner, init});
  }
}

bool seats_done(const Facts& facts, const State& state, Owner owner) {
  return std::all_of(state.seats.begin(), state.seats.end(), [&](const Seat& seat) {
    return seat.owner != owner || (seat.taken && seat_done(facts, state, seat));
  });
}

}  // namespace petri::test::reference
