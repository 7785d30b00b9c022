// Arguments that must agree where a collective meets: MPI 4.1, sections 6.4 to 6.11 and 7.4.2. Unknown ones never
// clash.
#include <algorithm>
#include <optional>

#include "tests/model/reference_state.hpp"

namespace petri::test::reference {
namespace {

std::string_view family(const Event& event) {
  return info(event.op).family;
}

// So many elements of one type.
struct Amount {
  std::int64_t count = kUnknownCount;
  ElementType dtype = ElementType::unknown;
};

bool differ(const Amount& given, const Amount& taken) {
  if (given.count >= 0 && taken.count >= 0 && given.count != taken.count) return true;
  const bool typed = given.dtype != ElementType::unknown && taken.dtype != ElementType::unknown;
  return typed && given.dtype != taken.dtype && given.count != 0 && taken.count != 0;
}

Amount single(const Event& event, bool sending) {
  const EventExtras& own = event.extras;
  const std::int64_t count = sending ? own.sendcount() : own.recvcount();
  const ElementType dtype = sending ? own.sendtype() : own.recvtype();
  return {count == kUnknownCount ? event.count : count, dtype == ElementType::unknown ? event.dtype : dtype};
}

Amount of_list(const Event& event, bool sending, std::int32_t member) {
  const EventExtras& own = event.extras;
  const auto& both = own.counts();
  const auto& side = sending ? own.sendcounts() : own.recvcounts();
  const auto& list = side.empty() ? both : side;
  const auto index = static_cast<std::size_t>(member);
  return {index < list.size() ? list[index] : kUnknownCount, single(event, sending).dtype};
}

struct Member {
  const Event& event;
  std::int32_t group_rank;
  bool is_root() const { return event.root == group_rank; }
};

// What one member gives to another, and what that one takes from it; nothing where no data goes that way.
std::optional<std::pair<Amount, Amount>> passed(const Member& from, const Member& to) {
  const std::string_view name = family(from.event);
  const bool listed = (info(from.event.op).traits & kVector) != 0;
  if (name == "bcast" || name == "scatter" || name == "scatterv") {
    if (!from.is_root()) return std::nullopt;
    return std::pair(listed ? of_list(from.event, true, to.group_rank) : single(from.event, true),
                     single(to.event, false));
  }
  if (name == "reduce" || name == "gather" || name == "gatherv") {
    if (!to.is_root()) return std::nullopt;
    return std::pair(single(from.event, true),
                     listed ? of_list(to.event, false, from.group_rank) : single(to.event, false));
  }
  if (name == "allgatherv") return std::pair(single(from.event, true), of_list(to.event, false, from.group_rank));
  if (name == "alltoallv" || name == "alltoallw")
    return std::pair(of_list(from.event, true, to.group_rank), of_list(to.event, false, from.group_rank));
  if (name == "barrier") return std::nullopt;
  return std::pair(single(from.event, true), single(to.event, false));
}

// Does data go from one to the other along the topology? "The amount of data sent must be equal to the amount of data
// received, pairwise between every pair of communicating processes" (section 8.6).
bool sends_along(const Facts& facts, Rank from, Rank to, std::int32_t comm) {
  for (const Event& event : facts.scenario.ranks[static_cast<std::size_t>(to)].events) {
    const auto& sources = event.extras.sources();
    if (event.extras.new_comm() == comm &&
        std::find(sources.begin(), sources.end(), facts.group_rank(comm, from)) != sources.end())
      return true;
  }
  return false;
}

// All members of a new group must name the same group; disjoint groups are legal (section 7.4.2).
bool groups_clash(const Event& one, const Event& other) {
  const auto& mine = one.extras.ranks();
  const auto& theirs = other.extras.ranks();
  const bool share = std::any_of(mine.begin(), mine.end(), [&](std::int32_t rank) {
    return std::find(theirs.begin(), theirs.end(), rank) != theirs.end();
  });
  return share && mine != theirs;
}

// The remote group names the root's rank in its group; in that group the root says so, and the others are bystanders
// (section 6.2.3).
bool inter_roots_clash(const Event& one, std::int32_t rank_one, const Event& other, std::int32_t rank_other,
                       bool same_group) {
  if (same_group) {
    const bool both_inside = one.root < 0 && other.root < 0;
    return both_inside ? one.root == kRootHere && other.root == kRootHere : one.root != other.root;
  }
  if ((one.root < 0) == (other.root < 0)) return true;
  const Event& inside = one.root < 0 ? one : other;
  const std::int32_t named = one.root < 0 ? other.root : one.root, own = one.root < 0 ? rank_one : rank_other;
  return (inside.root == kRootHere) != (named == own);
}

}  // namespace

bool arguments_clash(const Facts& facts, const Seat& one, const Seat& other) {
  const Event& a = facts.event(one.at);
  const Event& b = facts.event(other.at);
  if (family(a) == "comm_create") return groups_clash(a, b);
  if (kind_of(a.op) == OpKind::file) return a.op == Op::file_open && a.extras.mode() != b.extras.mode();
  if (kind_of(a.op) != OpKind::collective) return false;
  if ((info(a.op).traits & kNeighbor) != 0) {
    if ((info(a.op).traits & kVector) != 0) return false;  // not generated
    return (sends_along(facts, one.rank, other.rank, a.comm) && differ(single(a, true), single(b, false))) ||
           (sends_along(facts, other.rank, one.rank, a.comm) && differ(single(b, true), single(a, false)));
  }
  const std::int32_t rank_a = facts.group_rank(a.comm, one.rank), rank_b = facts.group_rank(b.comm, other.rank);
  if (reduces(a.op) && a.reduce != ReduceOp::unknown && b.reduce != ReduceOp::unknown && a.reduce != b.reduce)
    return true;
  const Communicator& comm = facts.scenario.comms[static_cast<std::size_t>(a.comm)];
  if (comm.is_inter()) {
    if (one.rank == other.rank) return false;
    const auto in_first = [&](Rank rank) {
      return std::find(comm.ranks.begin(), comm.ranks.end(), rank) != comm.ranks.end();
    };
    const bool same_group = in_first(one.rank) == in_first(other.rank);
    if (is_rooted(a.op)) {
      const bool passes = !same_group && (a.root == kRootHere || b.root == kRootHere);
      const bool a_gives = (a.root == kRootHere) == (family(a) != "reduce");  // of what is generated
      const bool fits = !passes || !differ(single(a_gives ? a : b, true), single(a_gives ? b : a, false));
      return !fits || inter_roots_clash(a, rank_a, b, rank_b, same_group);
    }
    return !same_group && differ(single(a, true), single(b, false));
  }
  if (is_rooted(a.op) && a.root >= 0 && b.root >= 0 && a.root != b.root) return true;
  if (family(a) == "reduce_scatter")
    return a.extras.counts() != b.extras.counts() || differ(single(a, true), single(b, true));
  for (const auto& [from, to] :
       {std::pair(Member{a, rank_a}, Member{b, rank_b}), {Member{b, rank_b}, Member{a, rank_a}}})
    if (const auto amounts = passed(from, to); amounts && differ(amounts->first, amounts->second)) return true;
  return false;
}

}  // namespace petri::test::reference
