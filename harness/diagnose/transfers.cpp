#include "harness/diagnose/transfers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "harness/model/op_rules.hpp"
#include "harness/trace/counted.hpp"

namespace petri::diagnosis {
namespace {

using Counts = PackedNumbers<std::int64_t>;

Counts send_counts(const Event& event) {
  const Counts own = event.extras.sendcounts();
  return own.empty() ? event.extras.counts() : own;
}
Counts recv_counts(const Event& event) {
  const Counts own = event.extras.recvcounts();
  return own.empty() ? event.extras.counts() : own;
}

std::int64_t item(Counts counts, std::size_t index) {
  return index < counts.size() ? counts[index] : -1;
}

std::string_view family_of(const Arrival& arrival) {
  return info(arrival.event->op).family;
}

// How much a member gives or takes: as much for each partner, or as its list says by the partner's number.
struct Amounts {
  bool listed = false;
  Counts counts;
  std::int64_t each = 0;

  std::int64_t of(std::size_t partner) const { return listed ? item(counts, partner) : each; }
};

Amounts given(const Arrival& from) {
  const std::string_view family = family_of(from);
  const bool listed = family.ends_with("alltoallv") || family.ends_with("alltoallw") || family == "scatterv";
  return {listed, send_counts(*from.event), model::send_half(*from.event).count};
}
Amounts taken(const Arrival& to) {
  const bool listed = (info(to.event->op).traits & kVector) != 0 && family_of(to) != "scatterv";
  return {listed, recv_counts(*to.event), model::recv_half(*to.event).count};
}

// Does data go from one to the other?
bool passes(const Arrival& from, const Arrival& to, bool inter) {
  if (inter && from.group == to.group) return false;
  const std::string_view family = family_of(from);
  if (family == "scatterv") return from.is_root() && to.event->root != kNull;
  if (family == "gatherv") return to.is_root() && from.event->root != kNull;
  return true;
}

// Along a topology the k-th block for a neighbour is the k-th that it takes from here; on a grid what goes to one side
// comes from the other side (MPI 4.1, section 8.6).
void add_neighbour_transfers(const std::vector<Arrival>& arrivals, std::vector<Transfer>& transfers) {
  std::map<std::int32_t, const Arrival*> by_member;
  for (const Arrival& arrival : arrivals) by_member[arrival.member] = &arrival;
  for (const Arrival& from : arrivals) {
    if (from.topology == nullptr) continue;
    const auto& destinations = from.topology->extras.destinations();
    std::map<std::int32_t, std::size_t> sent;
    for (std::size_t k = 0; k < destinations.size(); ++k) {
      const auto to = by_member.find(destinations[k]);
      const std::size_t nth = sent[destinations[k]]++;
      if (to == by_member.end() || to->second->topology == nullptr) continue;
      const auto& sources = to->second->topology->extras.sources();
      std::size_t slot = sources.size(), seen = 0;
      for (std::size_t i = 0; i < sources.size() && slot == sources.size(); ++i)
        if (sources[i] == from.member && seen++ == nth) slot = i;
      if (!from.topology->extras.dims().empty()) slot = k ^ 1U;
      if (slot >= sources.size() || sources[slot] != from.member) continue;
      transfers.push_back({&from, to->second, given(from).of(k), taken(*to->second).of(slot)});
    }
  }
}

// What a member of an allgatherv gives to all fits all others: the one that takes another amount has a wrong table.
Clash wrong_table(const Transfer& misfit, const std::vector<Transfer>& transfers) {
  Clash clash{"counts",
              {{fmt::format("gives {} to rank {}", misfit.give, misfit.to->ref.rank), {misfit.from->ref}},
               {fmt::format("takes {} from rank {}", misfit.take, misfit.from->ref.rank), {misfit.to->ref}}}};
  for (const Transfer& other : transfers)
    if (other.from == misfit.from && other.to != misfit.from && other.to != misfit.to)
      clash.sides[0].events.push_back(other.to->ref);
  return clash;
}

// The member with most misfits is one side, those that it does not fit are the other.
void compare_counts(const std::vector<Transfer>& transfers, std::vector<Clash>& clashes) {
  std::vector<Transfer> misfits;
  std::map<std::int32_t, std::size_t> involved;
  for (const Transfer& transfer : transfers) {
    if (transfer.give < 0 || transfer.take < 0 || transfer.give == transfer.take) continue;
    misfits.push_back(transfer);
    ++involved[transfer.from->member];
    ++involved[transfer.to->member];
  }
  if (misfits.empty()) return;
  if (misfits.size() == 1 && transfers.size() > 4 && family_of(*misfits.front().from) == "allgatherv")
    return clashes.push_back(wrong_table(misfits.front(), transfers));
  const auto odd = std::max_element(involved.begin(), involved.end(), [](const auto& a, const auto& b) {
                     return a.second < b.second;
                   })->first;
  Clash clash{"counts", {{}, {}}};
  for (const Transfer& misfit : misfits) {
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

ElementType sent_type(const Event& event) {
  const ElementType own = event.extras.sendtype();
  return own != ElementType::unknown ? own : event.dtype;
}
ElementType received_type(const Event& event) {
  const ElementType own = event.extras.recvtype();
  return own != ElementType::unknown ? own : event.dtype;
}

// Of the w-forms, with a type for each partner, a record keeps one where all are the same.
void compare_types(const std::vector<Transfer>& transfers, std::vector<Clash>& clashes) {
  Sides types;
  std::set<std::pair<ElementType, EventRef>> seen;
  const auto add = [&](ElementType type, EventRef ref) {
    if (seen.emplace(type, ref).second) types.add(std::string(name_of(type)), ref);
  };
  for (const Transfer& transfer : transfers) {
    if (transfer.give <= 0 || transfer.take <= 0) continue;
    const ElementType gives = sent_type(*transfer.from->event);
    const ElementType takes = received_type(*transfer.to->event);
    if (gives == takes || gives == ElementType::unknown || takes == ElementType::unknown) continue;
    add(gives, transfer.from->ref);
    add(takes, transfer.to->ref);
  }
  types.report("dtype", clashes);
}

}  // namespace

std::vector<Transfer> transfers_of(const std::vector<Arrival>& arrivals) {
  std::vector<Transfer> transfers;
  if ((info(arrivals.front().event->op).traits & kNeighbor) != 0) {
    add_neighbour_transfers(arrivals, transfers);
    return transfers;
  }
  const bool inter = arrivals.front().group != arrivals.back().group;
  std::vector<Amounts> takes;
  for (const Arrival& to : arrivals) takes.push_back(taken(to));
  for (const Arrival& from : arrivals) {
    const Amounts gives = given(from);
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      const Arrival& to = arrivals[i];
      if (passes(from, to, inter))
        transfers.push_back({&from, &to, gives.of(static_cast<std::size_t>(to.group_rank)),
                             takes[i].of(static_cast<std::size_t>(from.group_rank))});
    }
  }
  return transfers;
}

void compare_transfers(const std::vector<Transfer>& transfers, std::vector<Clash>& clashes) {
  compare_counts(transfers, clashes);
  compare_types(transfers, clashes);
}

void compare_neighbours(const std::vector<Arrival>& arrivals, std::vector<Clash>& clashes) {
  std::map<std::int32_t, const Arrival*> by_member;
  for (const Arrival& arrival : arrivals) by_member[arrival.member] = &arrival;
  const auto times = [](const std::vector<std::int32_t>& list, std::int32_t member) {
    return static_cast<std::uint64_t>(std::count(list.begin(), list.end(), member));
  };
  for (const Arrival& from : arrivals) {
    for (const auto& [member, to] : by_member) {
      const auto gives = times(from.event->extras.destinations(), member);
      const auto takes = times(to->event->extras.sources(), from.member);
      if (gives == takes) continue;
      clashes.push_back(
          {"neighbours",
           {{fmt::format("names rank {} as a destination {}", to->ref.rank, counted(gives, "time")), {from.ref}},
            {fmt::format("names rank {} as a source {}", from.ref.rank, counted(takes, "time")), {to->ref}}}});
      return;
    }
  }
}

}  // namespace petri::diagnosis
