#include "harness/model/handovers.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "harness/model/op_rules.hpp"

namespace petri::model {
namespace {

struct Use {
  Handovers::Before at;
  std::uint32_t index = 0;
  bool makes = false;     // the handle comes from this call
  bool frees = false;     // and it is invalid after this one
  bool recorded = false;  // the list of events is the order in which they happened
};

// What a handle stands for: the kind of its name, and the name.
using Thing = std::pair<char, std::string>;

// By thing: the calls of a rank that name it, as listed.
class Uses {
 public:
  void add(const Event& event, Use use) {
    use.recorded = event.state != EventState::unknown;
    const OpKind kind = kind_of(event.op);
    const bool on_request = kind == OpKind::start || kind == OpKind::partition || kind == OpKind::wait ||
                            kind == OpKind::test || kind == OpKind::request;
    for (const std::uint32_t request : requests_of(event)) add({'r', std::to_string(request)}, use, !on_request, false);
    const EventExtras& extras = event.extras;
    if (extras.message()) add({'m', std::to_string(*extras.message())}, use, kind == OpKind::probe, false);
    if (!extras.win().empty()) add({'w', extras.win()}, use, creates(event.op), event.op == Op::win_free);
    if (!extras.file().empty()) add({'f', extras.file()}, use, creates(event.op), event.op == Op::file_close);
    if (event.extras.new_comm() != kNoComm) add({'c', std::to_string(event.extras.new_comm())}, use, true, false);
    if (event.comm != 0) add({'c', std::to_string(event.comm)}, use, false, kind == OpKind::comm_free);
  }

  const std::map<Thing, std::vector<Use>>& all() const { return all_; }

 private:
  void add(const Thing& thing, Use use, bool makes, bool frees) {
    use.makes = makes;
    use.frees = frees;
    all_[thing].push_back(use);
  }

  std::map<Thing, std::vector<Use>> all_;
};

Uses uses_of(const std::vector<Event>& events, const std::vector<Lane>& lanes, std::int32_t rank) {
  std::vector<std::pair<std::uint32_t, Handovers::Before>> order;
  for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
    if (lanes[lane].rank != rank || lanes[lane].is_stream()) continue;
    for (std::uint32_t position = 0; position < lanes[lane].events.size(); ++position)
      order.push_back({lanes[lane].events[position], {lane, position}});
  }
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Uses uses;
  for (const auto& [index, at] : order) uses.add(events[index], {at, index, false, false, false});
  return uses;
}

using Place = std::vector<Use>::const_iterator;

// Requests and messages are in one call at a time: who names one comes after the last who did. Others are used side by
// side.
bool is_used_alone(const Thing& thing) {
  return thing.first == 'r' || thing.first == 'm';
}

// The calls that must have returned before this use; of its own thread they have. `maker` made the handle. A list by
// hand says nothing of the threads' order: who frees comes after all others then.
std::vector<Place> calls_before(const Thing& thing, const std::vector<Use>& uses, Place maker, Place use) {
  if (use->makes) return use->recorded && use != uses.begin() ? std::vector{std::prev(use)} : std::vector<Place>();
  if (is_used_alone(thing) && maker < use) return {std::prev(use)};
  std::vector<Place> before;
  if (maker != uses.end()) before.push_back(maker);
  if (!use->frees) return before;
  const Place next_maker = std::find_if(use, uses.end(), [](const Use& one) { return one.makes; });
  for (Place other = maker < use ? maker : uses.begin(); other != (use->recorded ? use : next_maker); ++other)
    if (!other->frees) before.push_back(other);
  return before;
}

}  // namespace

Handovers::Handovers(const Scenario& scenario, const std::vector<Lane>& lanes) : before_(scenario.ranks.size()) {
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank) {
    if (lanes[rank].whole) continue;
    const Uses uses = uses_of(scenario.ranks[rank].events, lanes, static_cast<std::int32_t>(rank));
    for (const auto& [thing, of_thing] : uses.all()) {
      Place maker = std::find_if(of_thing.begin(), of_thing.end(), [](const Use& one) { return one.makes; });
      for (Place use = of_thing.begin(); use != of_thing.end(); ++use) {
        for (const Place before : calls_before(thing, of_thing, maker, use))
          if (before->at.lane != use->at.lane) before_[rank][use->index].push_back(before->at);
        if (use->makes) maker = use;
      }
    }
  }
}

const std::vector<Handovers::Before>& Handovers::before(EventRef call) const {
  static const std::vector<Before> none;
  const auto& of_rank = before_[static_cast<std::size_t>(call.rank)];
  const auto found = of_rank.find(call.index);
  return found == of_rank.end() ? none : found->second;
}

}  // namespace petri::model
