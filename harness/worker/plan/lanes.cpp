#include "harness/worker/plan/lanes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

namespace petri {
namespace {

std::int32_t thread_of(const Event& event) {
  return event.extras.thread().value_or(0);
}

// Where the things that the rank's calls work on come from.
class Makers {
 public:
  // Adds to `needed` what the event works on.
  void find(const Event& event, std::vector<std::size_t>& needed) const {
    const auto look = [&](const auto& makers, const auto& key) {
      if (const auto found = makers.find(key); found != makers.end()) needed.push_back(found->second);
    };
    const EventExtras& extras = event.extras;
    if (event.request != kNoRequest) look(requests_, event.request);
    for (const std::uint32_t number : extras.requests()) look(requests_, number);
    if (extras.message()) look(messages_, *extras.message());
    look(comms_, event.comm);
    if (!extras.win().empty()) look(windows_, extras.win());
    if (!extras.file().empty()) look(files_, extras.file());
  }

  void note(const Event& event, std::size_t place) {
    const EventExtras& extras = event.extras;
    const OpKind kind = kind_of(event.op);
    const bool makes_request =
        form_of(event.op) != OpForm::blocking && kind != OpKind::test && kind != OpKind::partition;
    if (event.request != kNoRequest && (makes_request || kind == OpKind::start)) requests_[event.request] = place;
    if (kind == OpKind::start) {
      for (const std::uint32_t number : extras.requests()) requests_[number] = place;
    }
    if (extras.message() && kind == OpKind::probe) messages_[*extras.message()] = place;
    if (event.extras.new_comm() != kNoComm) comms_[event.extras.new_comm()] = place;
    if (!extras.win().empty() && kind == OpKind::window) windows_.try_emplace(extras.win(), place);
    if (!extras.file().empty()) files_.try_emplace(extras.file(), place);
  }

 private:
  std::unordered_map<std::uint32_t, std::size_t> requests_;
  std::unordered_map<std::int64_t, std::size_t> messages_;
  std::unordered_map<std::int32_t, std::size_t> comms_;
  std::unordered_map<std::string, std::size_t> windows_, files_;
};

// The last event of each thread before `end`; where threads may stand in a call, the last that they left.
std::vector<std::size_t> done_before(const RankTrace& rank, const std::vector<Lane>& lanes, std::size_t end,
                                     bool may_stand) {
  std::vector<std::size_t> last;
  for (const Lane& lane : lanes) {
    const auto stays = [&](std::size_t place) { return may_stand && rank.events[place].state == EventState::started; };
    auto after = std::lower_bound(lane.events.begin(), lane.events.end(), end);
    while (after != lane.events.begin() && stays(*std::prev(after))) --after;
    if (after != lane.events.begin()) last.push_back(*std::prev(after));
  }
  return last;
}

}  // namespace

std::vector<Lane> lanes_of(const RankTrace& rank) {
  std::map<std::int32_t, Lane> lanes;
  for (std::size_t place = 0; place < rank.events.size(); ++place) {
    Lane& lane = lanes[thread_of(rank.events[place])];
    lane.thread = thread_of(rank.events[place]);
    lane.events.push_back(place);
  }
  if (lanes.size() > 1) lanes.try_emplace(0);
  std::vector<Lane> in_order;
  for (auto& [thread, lane] : lanes) in_order.push_back(std::move(lane));
  if (in_order.empty()) in_order.emplace_back();
  return in_order;
}

bool uses_threads(const Scenario& scenario) {
  return std::any_of(scenario.ranks.begin(), scenario.ranks.end(), [](const RankTrace& rank) {
    return std::any_of(rank.events.begin(), rank.events.end(),
                       [&](const Event& event) { return thread_of(event) != thread_of(rank.events.front()); });
  });
}

std::vector<std::vector<std::size_t>> prerequisites_of(const RankTrace& rank, const std::vector<Lane>& lanes) {
  std::vector<std::vector<std::size_t>> all(rank.events.size());
  if (lanes.size() < 2) return all;
  Makers makers;
  for (std::size_t place = 0; place < rank.events.size(); ++place) {
    const Event& event = rank.events[place];
    std::vector<std::size_t>& needed = all[place];
    makers.find(event, needed);
    const bool ends = (event.op == Op::exit && thread_of(event) == 0) || event.op == Op::abort;
    if (event.op == Op::finalize || ends) {
      const std::vector<std::size_t> before = done_before(rank, lanes, place, ends);
      needed.insert(needed.end(), before.begin(), before.end());
    }
    // Its own thread's events are done before it anyway.
    std::erase_if(needed, [&](std::size_t other) { return thread_of(rank.events[other]) == thread_of(event); });
    makers.note(event, place);
  }
  return all;
}

std::vector<std::size_t> prerequisites_of_end(const RankTrace& rank, const std::vector<Lane>& lanes) {
  return done_before(rank, lanes, rank.events.size(), true);
}

}  // namespace petri
