#include "harness/diagnose/like_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/part_calls.hpp"

namespace petri::diagnosis {
namespace {

constexpr std::size_t kMostEdited = 4;  // calls in a row that are left out or made in addition
constexpr std::size_t kMostParted = 2;  // of more suspects that parted from those like them the record names none

// Where one of the suspects left the ranks like it.
struct Parted {
  std::int32_t rank = 0;
  EventRef instead;                  // its first call that none of them made there
  EventRef usual;                    // what stood there in the first of the others
  std::optional<EventRef> expected;  // the same in one whose call was on a communicator of this rank, too
  std::vector<std::int32_t> others;  // ranks that had made the same calls until then, ascending
  std::vector<EventRef> edited;      // the calls that one has and the other has not
  bool by_precedent = false;         // one stands against one: what follows such calls elsewhere decides
};

// The sizes of the communicators that a rank is in, and on which side of them: who could not make a call is no judge of
// who does.
using Memberships = std::set<std::pair<std::size_t, std::size_t>>;

std::vector<Memberships> memberships_of(const Scenario& scenario) {
  std::vector<Memberships> all(scenario.ranks.size());
  for (const Communicator& comm : scenario.comms) {
    for (const std::int32_t rank : comm.ranks)
      all[static_cast<std::size_t>(rank)].emplace(comm.ranks.size(), comm.remote.size());
    for (const std::int32_t rank : comm.remote)
      all[static_cast<std::size_t>(rank)].emplace(comm.remote.size(), comm.ranks.size());
  }
  return all;
}

// Goes through the calls of all ranks in step, and keeps together who has made the same ones so far.
class Parting {
 public:
  Parting(const Scenario& scenario, const model::Run& run, const std::vector<std::int32_t>& suspects,
          std::optional<CommKind> only)
      : scenario_(scenario), gatherings_(run.gatherings), suspects_(suspects) {
    for (std::int32_t rank = 0; rank < scenario.world(); ++rank) readers_.emplace_back(scenario, run, rank, only);
    const Class all = comparable_ranks(scenario, run);
    knows_all_ = std::includes(all.begin(), all.end(), suspects.begin(), suspects.end());
    const std::vector<Memberships> memberships = memberships_of(scenario);
    std::map<Memberships, Class> parts;
    for (const std::int32_t rank : all) parts[memberships[static_cast<std::size_t>(rank)]].push_back(rank);
    for (auto& [part, ranks] : parts) classes_.push_back(std::move(ranks));
  }

  // Can each suspect be held against others?
  bool knows_all() const { return knows_all_; }

  // One entry for each suspect that made a call which none of those with the same calls before made. Of more than
  // kMostParted only the first ones: then nobody is named.
  std::vector<Parted> find() {
    while (!classes_.empty() && parted_.size() <= kMostParted) {
      std::vector<Class> next;
      for (const Class& one : classes_) split(one, next);
      classes_ = std::move(next);
    }
    return std::move(parted_);
  }

 private:
  using Class = std::vector<std::int32_t>;  // ascending
  using Groups = std::map<std::uint64_t, std::vector<std::pair<std::int32_t, EventRef>>>;

  static std::vector<std::int32_t> comparable_ranks(const Scenario& scenario, const model::Run& run) {
    const std::vector<bool> comparable = with_one_known_order(scenario, run);
    std::vector<std::int32_t> ranks;
    for (std::int32_t rank = 0; rank < scenario.world(); ++rank)
      if (comparable[static_cast<std::size_t>(rank)]) ranks.push_back(rank);
    return ranks;
  }

  bool is_suspect(std::int32_t rank) const { return std::binary_search(suspects_.begin(), suspects_.end(), rank); }

  void split(const Class& ranks, std::vector<Class>& next) {
    Groups groups;
    for (const std::int32_t rank : ranks)
      if (const auto call = readers_[static_cast<std::size_t>(rank)].next())
        groups[call->strict].emplace_back(rank, call->ref);
    for (const auto& [call, group] : groups) {
      if (parted_.size() > kMostParted) return;
      if (std::none_of(group.begin(), group.end(), [&](const auto& one) { return is_suspect(one.first); })) continue;
      if (group.size() > 1) {
        Class same;
        for (const auto& [rank, ref] : group) same.push_back(rank);
        next.push_back(std::move(same));
      } else if (groups.size() > 1) {
        part(group.front().second, call, groups);
      }
    }
  }

  void part(EventRef instead, std::uint64_t call, const Groups& groups) {
    const auto* most = &groups.begin()->second;
    for (const auto& [other, group] : groups)
      if (other != call && (most == &groups.at(call) || group.size() > most->size())) most = &group;
    Parted parted{instead.rank, instead, most->front().second, {}, {}, {}, false};
    const auto own = std::find_if(most->begin(), most->end(), [&](const auto& other) {
      return gatherings_.group_rank(at(scenario_, other.second).comm, instead.rank) >= 0;
    });
    if (own != most->end()) parted.expected = own->second;
    for (const auto& [rank, ref] : *most) parted.others.push_back(rank);
    parted_.push_back(std::move(parted));
  }

  const Scenario& scenario_;
  const model::Gatherings& gatherings_;
  const std::vector<std::int32_t>& suspects_;
  std::vector<PartCalls> readers_;
  std::vector<Class> classes_;
  std::vector<Parted> parted_;
  bool knows_all_ = false;
};

// What a rank did after the first `skipped` calls from a certain one on.
std::vector<std::uint64_t> rest_from(const Scenario& scenario, const model::Run& run, EventRef from,
                                     std::size_t skipped, std::optional<CommKind> only) {
  std::vector<std::uint64_t> rest;
  PartCalls reader(scenario, run, from.rank, only);
  reader.go_to(from.index);
  while (skipped-- > 0) reader.next();
  reader.forget_partners();
  while (const auto call = reader.next()) rest.push_back(call->loose);
  return rest;
}

// Do two sequences agree as far as both go, and on something?
bool agree(const std::vector<std::uint64_t>& ones, const std::vector<std::uint64_t>& others) {
  const auto both = static_cast<std::ptrdiff_t>(std::min(ones.size(), others.size()));
  return both > 0 && std::equal(ones.begin(), ones.begin() + both, others.begin());
}

// Which partners of a call are MPI_PROC_NULL: at the edge of a grid a rank plays another part.
std::array<bool, 3> nowhere(const Event& event) {
  return {event.peer == kNull, event.extras.sendpeer() == kNull, event.extras.recvpeer() == kNull};
}

// The first calls of a rank from a certain one on.
std::vector<EventRef> calls_from(const Scenario& scenario, const model::Run& run, EventRef from, std::size_t count,
                                 std::optional<CommKind> only) {
  std::vector<EventRef> calls;
  PartCalls reader(scenario, run, from.rank, only);
  reader.go_to(from.index);
  while (calls.size() < count)
    if (const auto call = reader.next())
      calls.push_back(call->ref);
    else
      break;
  return calls;
}

// The calls that one of the two has and the other has not, where both did the same but for one edit. Nothing where they
// play different parts: these go other ways for good.
std::vector<EventRef> edit_of(const Scenario& scenario, const model::Run& run, const Parted& parted,
                              std::optional<CommKind> only) {
  const Event &instead = at(scenario, parted.instead), &usual = at(scenario, parted.usual);
  if (kind_of(instead.op) == OpKind::world) return {parted.instead, parted.usual};
  if (instead.op == usual.op && nowhere(instead) != nowhere(usual)) return {};
  const auto own = [&](std::size_t skipped) { return rest_from(scenario, run, parted.instead, skipped, only); };
  const auto others = [&](std::size_t skipped) { return rest_from(scenario, run, parted.usual, skipped, only); };
  for (std::size_t calls = 1; calls <= kMostEdited; ++calls) {
    if (agree(own(0), others(calls))) return calls_from(scenario, run, parted.usual, calls, only);
    if (agree(own(calls), others(0))) return calls_from(scenario, run, parted.instead, calls, only);
  }
  if (instead.op != usual.op) return {};
  const auto own_rest = own(1), others_rest = others(1);
  if (own_rest.empty() || others_rest.empty() || agree(own_rest, others_rest)) return {parted.instead, parted.usual};
  return {};
}

bool are_each_others(const Parted& one, const Parted& other) {
  return one.others == std::vector{other.rank} && other.others == std::vector{one.rank} && one.instead == other.usual &&
         one.usual == other.instead;
}

// Those of the suspects that parted from the ranks like them; nothing where one cannot be held against others.
std::vector<Parted> all_parted(const Scenario& scenario, const model::Run& run,
                               const std::vector<std::int32_t>& suspects, std::optional<CommKind> only) {
  Parting parting(scenario, run, suspects, only);
  return parting.knows_all() ? parting.find() : std::vector<Parted>{};
}

CommKind kind_of_comm(const Scenario& scenario, const model::Run& run, EventRef call) {
  PartCalls reader(scenario, run, call.rank, std::nullopt);
  reader.go_to(call.index);
  return reader.comm_kind(at(scenario, call).comm);
}

// What the members of other communicators of the kind do, whatever else they do between.
std::optional<Parted> parted_on_like_communicators(const Scenario& scenario, const model::Run& run, const Parted& one) {
  std::vector<std::int32_t> both{one.rank, one.usual.rank};
  std::sort(both.begin(), both.end());
  for (const EventRef call : {one.instead, one.usual}) {
    const CommKind only = kind_of_comm(scenario, run, call);
    std::vector<Parted> parted = all_parted(scenario, run, both, only);
    if (parted.size() != 1 || parted.front().others.size() < 2) continue;
    parted.front().edited = edit_of(scenario, run, parted.front(), only);
    if (!parted.front().edited.empty()) return std::move(parted.front());
  }
  return std::nullopt;
}

// Did the rank and another suspect come together in a collective after they had parted? What began the failure before
// it would have shown itself there. Where a collective itself is missing, those behind it meet one place early.
bool have_met_since(const Scenario& scenario, const model::Run& run, const Parted& parted,
                    const std::vector<std::int32_t>& suspects) {
  std::set<CommKind> shifted;  // those who went the usual way may have made the calls on their own communicators
  for (const EventRef call : parted.edited)
    if (kind_of(at(scenario, call).op) == OpKind::collective) shifted.insert(kind_of_comm(scenario, run, call));
  PartCalls own_comms(scenario, run, parted.rank, std::nullopt);
  own_comms.go_to(run.index[static_cast<std::size_t>(parted.rank)]);
  const auto& all = run.gatherings.all();
  return std::any_of(all.begin(), all.end(), [&](const model::Gathering& gathering) {
    if (gathering.missing != 0 || gathering.conflicted) return false;
    const std::int32_t own = run.gatherings.member_index(gathering, parted.rank);
    if (own < 0 || shifted.contains(own_comms.comm_kind(gathering.comm))) return false;
    const std::uint32_t arrival = gathering.arrivals[static_cast<std::size_t>(own)];
    if (arrival >= model::kBefore || arrival < parted.instead.index) return false;
    if (form_of(at(scenario, {parted.rank, arrival}).op) != OpForm::blocking) return false;
    return std::any_of(suspects.begin(), suspects.end(), [&](std::int32_t suspect) {
      return suspect != parted.rank && run.gatherings.member_index(gathering, suspect) >= 0;
    });
  });
}

// The same among those that parted, by what the record shows beside them.
std::optional<Parted> settle(const Scenario& scenario, const model::Run& run, const Precedents& precedents,
                             std::vector<Parted> parted) {
  if (parted.size() == 1) {
    parted.front().edited = edit_of(scenario, run, parted.front(), std::nullopt);
    if (!parted.front().edited.empty()) return std::move(parted.front());
  }
  if (parted.size() != kMostParted || !are_each_others(parted.front(), parted.back())) return std::nullopt;
  if (auto found = parted_on_like_communicators(scenario, run, parted.front())) return found;
  for (Parted& one : parted) {
    one.edited = edit_of(scenario, run, one, std::nullopt);
    // What is made nowhere else may be what follows a loop: a loop that ends has no precedent, either.
    if (one.edited.empty() && kind_of(at(scenario, one.instead).op) != OpKind::world &&
        !precedents.was_made_before({one.instead}, {one.usual}))
      continue;
    if (one.edited.empty()) one.edited = {one.instead, one.usual};
    one.by_precedent = precedents.is_less_usual(one.instead, one.usual);
    if (one.by_precedent) return std::move(one);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Testimony> parted_rank(const Scenario& scenario, const model::Run& run, const Precedents& precedents,
                                     const std::vector<std::int32_t>& suspects) {
  const auto parted = settle(scenario, run, precedents, all_parted(scenario, run, suspects, std::nullopt));
  if (!parted || have_met_since(scenario, run, *parted, suspects)) return std::nullopt;
  const std::string instead = event_text(scenario, parted->instead);
  const std::string usual =
      parted->expected ? event_text(scenario, *parted->expected) : "a call like " + event_text(scenario, parted->usual);
  const std::string others = ranks_text(parted->others);
  Testimony told =
      explained({parted->rank}, {parted->instead},
                fmt::format("Rank {} did as {} until it came to {} ({}), where {} was expected.", parted->rank, others,
                            instead, place_text(at(scenario, parted->instead)), usual));
  told.expected = fmt::format("{}, as {} did", usual, others);
  told.actual = fmt::format("rank {}: {}", parted->rank, instead);
  std::vector<std::int32_t> cleared = suspects;
  std::erase(cleared, parted->rank);
  told.evidence = {parted->by_precedent ? fmt::format("{} did what follows such calls elsewhere in the record", others)
                                        : fmt::format("{} did, as far as that is, what other ranks like {} did",
                                                      ranks_text(cleared), cleared.size() == 1 ? "it" : "them")};
  return told;
}

}  // namespace petri::diagnosis
