#include "harness/diagnose/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {
namespace {

using model::Half;

struct Arrival {
  EventRef ref;
  const Event* event = nullptr;
  std::int32_t member = 0;
};

// Sorts arrivals by a text; a clash when there are at least two.
class Sides {
 public:
  void add(const std::string& value, EventRef ref) {
    const auto found =
        std::find_if(sides_.begin(), sides_.end(), [&](const Clash::Side& side) { return side.value == value; });
    if (found == sides_.end())
      sides_.push_back({value, {ref}});
    else
      found->events.push_back(ref);
  }
  void report(std::string argument, std::vector<Clash>& clashes) {
    if (sides_.size() < 2) return;
    std::stable_sort(sides_.begin(), sides_.end(),
                     [](const Clash::Side& a, const Clash::Side& b) { return a.events.size() > b.events.size(); });
    clashes.push_back({std::move(argument), std::move(sides_)});
  }

 private:
  std::vector<Clash::Side> sides_;
};

std::vector<Arrival> arrivals_of(const Scenario& scenario, const model::Run& run, const model::Gathering& gathering) {
  const auto& members = run.gatherings.members(gathering);
  std::vector<Arrival> arrivals;
  for (std::size_t member = 0; member < members.size(); ++member) {
    const std::uint32_t index = gathering.arrivals[member];
    if (index == model::kAbsent || index == model::kBefore) continue;
    const EventRef ref{members[member], index};
    arrivals.push_back({ref, &at(scenario, ref), static_cast<std::int32_t>(member)});
  }
  return arrivals;
}

// The halves of a collective whose type signatures must be equal on all members (MPI 4.1, sections 6.4 to 6.11): both
// for symmetric ones, at the root or elsewhere only the significant one.
std::vector<Half> significant_halves(const Event& event, std::int32_t member) {
  const std::string_view family = info(event.op).family;
  const bool at_root = event.root == member;
  if (family == "gather") return {at_root ? model::recv_half(event) : model::send_half(event)};
  if (family == "scatter") return {at_root ? model::send_half(event) : model::recv_half(event)};
  if (family == "barrier" || (info(event.op).traits & kVector) != 0) return {};
  return {model::send_half(event), model::recv_half(event)};
}

void compare_halves(const std::vector<Arrival>& arrivals, std::vector<Clash>& clashes) {
  Sides counts, types;
  for (const Arrival& arrival : arrivals) {
    for (const Half& half : significant_halves(*arrival.event, arrival.member)) {
      // A zero count carries no type: nothing of its signature is left to compare.
      if (half.dtype != ElementType::unknown && half.count != 0)
        types.add(std::string(name_of(half.dtype)), arrival.ref);
      if (half.count >= 0) counts.add(std::to_string(half.count), arrival.ref);
    }
  }
  counts.report("count", clashes);
  types.report("dtype", clashes);
}

void compare_roots_and_operations(const std::vector<Arrival>& arrivals, std::vector<Clash>& clashes) {
  Sides roots, operations;
  for (const Arrival& arrival : arrivals) {
    const Event& event = *arrival.event;
    if (is_rooted(event.op) && event.root >= 0) roots.add(std::to_string(event.root), arrival.ref);
    if (reduces(event.op) && event.reduce != ReduceOp::unknown)
      operations.add(std::string(name_of(event.reduce)), arrival.ref);
  }
  roots.report("root", clashes);
  operations.report("reduce", clashes);
}

const std::vector<std::int64_t>& send_counts(const Event& event) {
  return event.extras->sendcounts.empty() ? event.extras->counts : event.extras->sendcounts;
}
const std::vector<std::int64_t>& recv_counts(const Event& event) {
  return event.extras->recvcounts.empty() ? event.extras->counts : event.extras->recvcounts;
}

std::optional<std::int64_t> item(const std::vector<std::int64_t>& counts, std::int32_t member) {
  const auto index = static_cast<std::size_t>(member);
  if (index >= counts.size() || counts[index] < 0) return std::nullopt;
  return counts[index];
}

// How much `from` says it gives to `to`, and how much `to` says it takes; nothing where it is not recorded.
std::optional<std::int64_t> given(std::string_view family, const Arrival& from, const Arrival& to) {
  const Event& event = *from.event;
  if (family == "alltoallv" || family == "alltoallw") return item(send_counts(event), to.member);
  if (family == "scatterv") return from.member == event.root ? item(send_counts(event), to.member) : std::nullopt;
  const std::int64_t count = model::send_half(event).count;
  return count < 0 ? std::nullopt : std::optional(count);
}
std::optional<std::int64_t> taken(std::string_view family, const Arrival& from, const Arrival& to) {
  const Event& event = *to.event;
  if (family == "alltoallv" || family == "alltoallw" || family == "allgatherv")
    return item(recv_counts(event), from.member);
  if (family == "gatherv") return to.member == event.root ? item(recv_counts(event), from.member) : std::nullopt;
  if (family != "scatterv" || from.member != event.root) return std::nullopt;
  const std::int64_t count = model::recv_half(event).count;
  return count < 0 ? std::nullopt : std::optional(count);
}

struct Misfit {
  const Arrival *from, *to;
  std::int64_t give, take;
};

// v-counts must fit pairwise (MPI 4.1, sections 6.5 to 6.8). The member with most misfits is one side, those that it
// does not fit are the other.
void compare_pairwise(std::string_view family, const std::vector<Arrival>& arrivals, std::vector<Clash>& clashes) {
  std::vector<Misfit> misfits;
  std::map<std::int32_t, std::size_t> involved;
  for (const Arrival& from : arrivals) {
    for (const Arrival& to : arrivals) {
      const auto give = given(family, from, to);
      const auto take = taken(family, from, to);
      if (!give || !take || *give == *take) continue;
      misfits.push_back({&from, &to, *give, *take});
      ++involved[from.member];
      ++involved[to.member];
    }
  }
  if (misfits.empty()) return;
  const auto odd = std::max_element(involved.begin(), involved.end(), [](const auto& a, const auto& b) {
                     return a.second < b.second;
                   })->first;
  Clash clash{"counts", {{}, {}}};
  for (const Misfit& misfit : misfits) {
    const bool gives = misfit.from->member == odd;
    if (!gives && misfit.to->member != odd) continue;
    if (clash.sides[1].events.empty()) {
      const std::string give = fmt::format("gives {} to rank {}", misfit.give, misfit.to->ref.rank);
      const std::string take = fmt::format("takes {} from rank {}", misfit.take, misfit.from->ref.rank);
      clash.sides[0].value = gives ? take : give;
      clash.sides[1].value = gives ? give : take;
      clash.sides[1].events.push_back(gives ? misfit.from->ref : misfit.to->ref);
    }
    const EventRef partner = gives ? misfit.to->ref : misfit.from->ref;
    auto& partners = clash.sides[0].events;
    if (std::find(partners.begin(), partners.end(), partner) == partners.end()) partners.push_back(partner);
  }
  clashes.push_back(std::move(clash));
}

// Types must fit where data goes, too. alltoallw has one for each partner, of which a record keeps none.
void compare_types(std::string_view family, const std::vector<Arrival>& arrivals, std::vector<Clash>& clashes) {
  if (family == "alltoallw") return;
  Sides types;
  std::set<std::pair<ElementType, EventRef>> seen;
  const auto add = [&](ElementType type, EventRef ref) {
    if (seen.emplace(type, ref).second) types.add(std::string(name_of(type)), ref);
  };
  for (const Arrival& from : arrivals) {
    for (const Arrival& to : arrivals) {
      const ElementType gives = model::send_half(*from.event).dtype, takes = model::recv_half(*to.event).dtype;
      const bool passes = given(family, from, to).value_or(0) != 0 && taken(family, from, to).value_or(0) != 0;
      if (!passes || gives == takes || gives == ElementType::unknown || takes == ElementType::unknown) continue;
      add(gives, from.ref);
      add(takes, to.ref);
    }
  }
  types.report("dtype", clashes);
}

void compare_vectors(const std::vector<Arrival>& arrivals, std::vector<Clash>& clashes) {
  Sides counts, types;
  for (const Arrival& arrival : arrivals) {
    const auto& list = arrival.event->extras->counts;
    if (!list.empty()) counts.add(fmt::format("counts {}", fmt::join(list, ",")), arrival.ref);
    if (arrival.event->dtype != ElementType::unknown)
      types.add(std::string(name_of(arrival.event->dtype)), arrival.ref);
  }
  counts.report("counts", clashes);
  types.report("dtype", clashes);
}

// All members of a new group must name the same group (MPI 4.1, section 7.4.2); disjoint groups are legal.
void compare_groups(const std::vector<Arrival>& arrivals, std::vector<Clash>& clashes) {
  std::map<std::int32_t, Sides> by_member;
  for (const Arrival& arrival : arrivals) {
    const auto& ranks = arrival.event->extras->ranks;
    for (const std::int32_t rank : ranks)
      by_member[rank].add(fmt::format("group {}", fmt::join(ranks, ",")), arrival.ref);
  }
  for (auto& [member, sides] : by_member) {
    sides.report("ranks", clashes);
    if (!clashes.empty()) return;
  }
}

}  // namespace

std::vector<Clash> clashes(const Scenario& scenario, const model::Run& run, const model::Gathering& gathering) {
  std::vector<Clash> found;
  if (gathering.conflicted) return found;
  const std::vector<Arrival> arrivals = arrivals_of(scenario, run, gathering);
  if (arrivals.size() < 2) return found;
  const Op op = arrivals.front().event->op;
  const std::string_view family = info(op).family;
  if (kind_of(op) == OpKind::comm_create) {
    if (family == "comm_create") compare_groups(arrivals, found);
    return found;
  }
  if (kind_of(op) != OpKind::collective) return found;
  compare_roots_and_operations(arrivals, found);
  compare_halves(arrivals, found);
  if (family == "reduce_scatter")
    compare_vectors(arrivals, found);
  else if ((info(op).traits & kVector) != 0) {
    compare_pairwise(family, arrivals, found);
    compare_types(family, arrivals, found);
  }
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
