#include "harness/diagnose/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>

#include "harness/diagnose/transfers.hpp"
#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {
namespace {

using model::Half;

// Which member an arrival takes for the root; -1 where it has no part in it, or did not say.
std::int32_t root_of(const model::Run& run, const model::Gathering& gathering, const Arrival& arrival) {
  if (arrival.event->root == kRootHere) return arrival.member;
  return run.gatherings.peer_index(gathering.comm, arrival.ref.rank, arrival.event->root);
}

std::vector<Arrival> arrivals_of(const Scenario& scenario, const model::Run& run, const model::Gathering& gathering) {
  const auto& members = run.gatherings.members(gathering);
  const Communicator& comm = scenario.comms[static_cast<std::size_t>(gathering.comm)];
  const auto first_group = static_cast<std::int32_t>(comm.is_inter() ? comm.ranks.size() : members.size());
  std::vector<Arrival> arrivals;
  for (std::size_t member = 0; member < members.size(); ++member) {
    const std::uint32_t index = gathering.arrivals[member];
    if (index == model::kAbsent || index == model::kBefore) continue;
    Arrival arrival;
    arrival.ref = {members[member], index};
    arrival.event = &at(scenario, arrival.ref);
    arrival.member = static_cast<std::int32_t>(member);
    arrival.group = arrival.member < first_group ? 0 : 1;
    arrival.group_rank = arrival.member - (arrival.group == 0 ? 0 : first_group);
    arrival.root = root_of(run, gathering, arrival);
    arrival.topology = run.gatherings.topology_of(gathering.comm, arrival.ref.rank);
    arrivals.push_back(arrival);
  }
  return arrivals;
}

// The halves of a collective whose type signatures must be equal on all members (MPI 4.1, sections 6.4 to 6.11): both
// for symmetric ones, at the root or elsewhere only the significant one.
std::vector<Half> significant_halves(const Arrival& arrival) {
  const Event& event = *arrival.event;
  const std::string_view family = info(event.op).family;
  if (event.root == kNull) return {};
  if (family == "gather") return {arrival.is_root() ? model::recv_half(event) : model::send_half(event)};
  if (family == "scatter") return {arrival.is_root() ? model::send_half(event) : model::recv_half(event)};
  if (family == "barrier") return {};
  return {model::send_half(event), model::recv_half(event)};
}

void compare_halves(const std::vector<Arrival>& arrivals, std::vector<Clash>& clashes) {
  Sides counts, types;
  for (const Arrival& arrival : arrivals) {
    for (const Half& half : significant_halves(arrival)) {
      // A zero count carries no type: nothing of its signature is left to compare.
      if (half.dtype != ElementType::unknown && half.count != 0)
        types.add(std::string(name_of(half.dtype)), arrival.ref);
      if (half.count >= 0) counts.add(std::to_string(half.count), arrival.ref);
    }
  }
  counts.report("count", clashes);
  types.report("dtype", clashes);
}

// On an intercommunicator: a member that says it has no part in it, as its whole group does, while the other group
// names it as the root (MPI 4.1, section 6.2.3).
bool is_bystander_named_as_root(const std::vector<Arrival>& arrivals, const Arrival& one) {
  if (!is_rooted(one.event->op) || one.event->root != kNull) return false;
  const auto any = [&](const auto& holds) { return std::any_of(arrivals.begin(), arrivals.end(), holds); };
  return any([&](const Arrival& other) { return other.group != one.group && other.root == one.member; }) &&
         !any([&](const Arrival& other) { return other.group == one.group && other.event->root == kRootHere; });
}

void compare_roots_and_operations(const std::vector<Arrival>& arrivals, std::vector<Clash>& clashes) {
  Sides roots, operations;
  for (const Arrival& arrival : arrivals) {
    const Event& event = *arrival.event;
    if (is_rooted(event.op) && arrival.root >= 0) roots.add(std::to_string(arrival.root), arrival.ref);
    if (is_bystander_named_as_root(arrivals, arrival)) roots.add("null", arrival.ref);
    if (reduces(event.op) && event.reduce != ReduceOp::unknown)
      operations.add(std::string(name_of(event.reduce)), arrival.ref);
  }
  roots.report("root", clashes);
  operations.report("reduce", clashes);
}

void compare_vectors(const std::vector<Arrival>& arrivals, std::vector<Clash>& clashes) {
  Sides counts, types;
  for (const Arrival& arrival : arrivals) {
    const auto& list = arrival.event->extras.counts();
    if (!list.empty()) counts.add(fmt::format("counts {}", fmt::join(list, ",")), arrival.ref);
    if (arrival.event->dtype != ElementType::unknown)
      types.add(std::string(name_of(arrival.event->dtype)), arrival.ref);
  }
  counts.report("counts", clashes);
  types.report("dtype", clashes);
}

// All members of a new group must name the same group (MPI 4.1, section 7.4.2); disjoint groups are legal. Groups are
// compared once each, not once for each of their members: there can be as many of both as ranks.
void compare_groups(const std::vector<Arrival>& arrivals, std::vector<Clash>& clashes) {
  std::map<std::vector<std::int32_t>, std::vector<EventRef>> callers;
  for (const Arrival& arrival : arrivals)
    if (!arrival.event->extras.ranks().empty()) callers[arrival.event->extras.ranks()].push_back(arrival.ref);
  std::map<std::int32_t, std::vector<decltype(callers)::const_iterator>> by_member;
  for (auto group = callers.cbegin(); group != callers.cend(); ++group)
    for (const std::int32_t rank : group->first) by_member[rank].push_back(group);
  for (auto& [member, groups] : by_member) {
    if (groups.size() < 2) continue;
    std::sort(groups.begin(), groups.end(),
              [](const auto& a, const auto& b) { return a->second.front() < b->second.front(); });
    Sides sides;
    for (const auto& group : groups) sides.add(fmt::format("group {}", fmt::join(group->first, ",")), group->second);
    return sides.report("ranks", clashes);
  }
}

// "The values for each argument must be the same on all processes" for what describes the file or the grid as a whole
// (MPI 4.1, sections 8.5.1, 14.2.1, 14.2.5, 14.2.6 and 14.6.1).
void compare_texts(const std::vector<Arrival>& arrivals, const char* argument, std::vector<Clash>& clashes,
                   const std::function<std::string(const Event&)>& text_of) {
  Sides sides;
  for (const Arrival& arrival : arrivals)
    if (const std::string text = text_of(*arrival.event); !text.empty())
      sides.add(fmt::format("{} {}", argument, text), arrival.ref);
  sides.report(argument, clashes);
}

std::string flag_text(int flag) {
  return flag == 0 || flag == 1 ? std::to_string(flag) : "";
}

void compare_files(const std::vector<Arrival>& arrivals, std::vector<Clash>& clashes) {
  const Op op = arrivals.front().event->op;
  if (op == Op::file_open) {
    compare_texts(arrivals, "path", clashes, [](const Event& event) { return event.extras.path(); });
    compare_texts(arrivals, "mode", clashes, [](const Event& event) { return event.extras.mode(); });
  }
  if (op == Op::file_set_atomicity)
    compare_texts(arrivals, "flag", clashes, [](const Event& event) { return flag_text(event.flag); });
  if (op == Op::file_set_size || op == Op::file_preallocate || op == Op::file_seek_shared)
    compare_texts(arrivals, "disp", clashes,
                  [](const Event& event) { return event.extras.disp() ? std::to_string(*event.extras.disp()) : ""; });
}

void compare_creations(std::string_view family, const std::vector<Arrival>& arrivals, std::vector<Clash>& clashes) {
  if (family == "comm_create") compare_groups(arrivals, clashes);
  if (family == "cart_create") {
    const auto list = [](const std::vector<std::int32_t>& numbers) {
      return fmt::format("{}", fmt::join(numbers, ","));
    };
    compare_texts(arrivals, "dims", clashes, [&](const Event& event) { return list(event.extras.dims()); });
    compare_texts(arrivals, "dims", clashes, [&](const Event& event) { return list(event.extras.periods()); });
  }
  if (family == "dist_graph_create_adjacent") compare_neighbours(arrivals, clashes);
}

// Do all members give the same? On an intercommunicator an allgather or alltoall need only fit across.
bool is_symmetric(Op op, bool inter) {
  const std::string_view family = info(op).family;
  if ((info(op).traits & (kVector | kNeighbor)) != 0) return false;
  return !inter || (family != "allgather" && family != "alltoall");
}

}  // namespace

std::vector<Clash> clashes(const Scenario& scenario, const model::Run& run, const model::Gathering& gathering) {
  std::vector<Clash> found;
  if (gathering.conflicted) return found;
  const std::vector<Arrival> arrivals = arrivals_of(scenario, run, gathering);
  if (arrivals.size() < 2) return found;
  const Op op = arrivals.front().event->op;
  const std::string_view family = info(op).family;
  if (kind_of(op) == OpKind::comm_create) compare_creations(family, arrivals, found);
  if (kind_of(op) == OpKind::file) compare_files(arrivals, found);
  if (kind_of(op) != OpKind::collective) return found;
  compare_roots_and_operations(arrivals, found);
  const bool inter = scenario.comms[static_cast<std::size_t>(gathering.comm)].is_inter();
  if (family == "reduce_scatter")
    compare_vectors(arrivals, found);
  else if (is_symmetric(op, inter))
    compare_halves(arrivals, found);
  else
    compare_transfers(transfers_of(arrivals), found);
  return found;
}

std::string message_fault(const Event& send, const Event& recv) {
  const Half out = model::send_half(send);
  const Half in = model::recv_half(recv);
  const bool typed = out.dtype != ElementType::unknown && in.dtype != ElementType::unknown;
  const bool packed = out.dtype == ElementType::packed || in.dtype == ElementType::packed;
  if (out.count < 0 || in.count < 0) return typed && !packed && out.dtype != in.dtype ? "dtype" : "";
  if (!typed) return out.dtype == in.dtype && out.count > in.count ? "truncation" : "";
  const bool too_long = out.dtype == in.dtype ? out.count > in.count : model::bytes_of(out) > model::bytes_of(in);
  if (too_long) return "truncation";
  return out.dtype != in.dtype && !packed && out.count != 0 ? "dtype" : "";
}

}  // namespace petri::diagnosis
