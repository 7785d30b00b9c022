#include "harness/cli/course_meetings.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "harness/model/op_rules.hpp"

namespace petri::cli::course {
namespace {

bool is_persistent(const Event& event) {
  return form_of(event.op) == OpForm::persistent;
}

}  // namespace

Meetings::Meetings(const Scenario& scenario, const model::Run& run) {
  add_collectives(run);
  add_messages(run);
  sort();
  const bool persistent =
      std::any_of(sides_.begin(), sides_.end(), [&](const Side& side) { return is_persistent(at(scenario, side.at)); });
  if (persistent) move_to_starts(scenario);
}

void Meetings::sort() {
  std::sort(sides_.begin(), sides_.end(), [](const Side& a, const Side& b) {
    return std::tie(a.at.rank, a.at.index, a.meeting, a.part) < std::tie(b.at.rank, b.at.index, b.meeting, b.part);
  });
}

std::span<const Side> Meetings::of(EventRef ref) const {
  const auto from = std::lower_bound(sides_.begin(), sides_.end(), ref,
                                     [](const Side& side, const EventRef& wanted) { return side.at < wanted; });
  auto to = from;
  while (to != sides_.end() && to->at == ref) ++to;
  return {from, to};
}

void Meetings::add_collectives(const model::Run& run) {
  for (const model::Gathering& gathering : run.gatherings.all()) {
    if (!run.gatherings.complete(gathering)) continue;
    const std::vector<std::int32_t>& members = run.gatherings.members(gathering);
    std::uint32_t parties = 0;
    for (std::size_t member = 0; member < gathering.arrivals.size(); ++member) {
      if (gathering.arrivals[member] >= model::kBefore) continue;
      sides_.push_back({{members[member], gathering.arrivals[member]}, collectives_, Part::member});
      ++parties;
    }
    parties_.push_back(parties);
    ++collectives_;
  }
}

void Meetings::add_messages(const model::Run& run) {
  const auto add = [&](const auto& messages) {
    for (const model::Message& message : messages) {
      sides_.push_back({message.send, collectives_ + messages_, Part::sender});
      sides_.push_back({message.recv, collectives_ + messages_, Part::receiver});
      parties_.push_back(2);
      ++messages_;
    }
  };
  add(run.messages);
  add(run.partitioned);
}

// The model names a persistent call by its init: its meetings, in their order, are those of its starts. The first
// meeting of a collective is the init's own, in which the members agree on it (MPI 4.1, section 6.13).
void Meetings::move_to_starts(const Scenario& scenario) {
  for (std::size_t number = 0; number < scenario.ranks.size(); ++number) {
    const std::vector<Event>& events = scenario.ranks[number].events;
    const auto rank = static_cast<std::int32_t>(number);
    std::unordered_map<std::uint32_t, std::pair<std::size_t, std::size_t>> left;  // by request: sides of later starts
    std::vector<std::pair<std::size_t, std::uint32_t>> moves;                     // a side, and its start
    for (std::uint32_t index = 0; index < events.size(); ++index) {
      const Event& event = events[index];
      if (is_persistent(event)) {
        const std::span<const Side> own = of({rank, index});
        const auto first = static_cast<std::size_t>(own.data() - sides_.data());
        const std::size_t skipped = kind_of(event.op) == OpKind::collective && !own.empty() ? 1 : 0;
        left[event.request] = {first + skipped, first + own.size()};
      } else if (kind_of(event.op) == OpKind::start) {
        for (const std::uint32_t request : model::requests_of(event))
          if (const auto found = left.find(request); found != left.end() && found->second.first < found->second.second)
            moves.emplace_back(found->second.first++, index);
      }
    }
    for (const auto& [side, start] : moves) sides_[side].at.index = start;
    if (!moves.empty()) sort();
  }
}

}  // namespace petri::cli::course
