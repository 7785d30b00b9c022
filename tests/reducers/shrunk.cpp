#include "tests/reducers/shrunk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "harness/diagnose/failure_events.hpp"
#include "harness/trace/read.hpp"
#include "harness/trace/venue.hpp"
#include "harness/trace/write.hpp"
#include "reducers/repair.hpp"
#include "reducers/subset.hpp"

namespace petri::reduce::testing {
namespace {

std::string text_of(const Scenario& scenario) {
  std::ostringstream out;
  write_scenario(scenario, out);
  return out.str();
}

Oracle fails_as(const std::string& signature) {
  return [signature](const Scenario& candidate) {
    const Diagnosis diagnosis = diagnose(candidate);
    if (diagnosis.verdict == Verdict::ambiguous) return Judgement{Answer::unresolved, {}};
    if (diagnosis.signature == signature) return Judgement{Answer::reproduces, {}};
    return Judgement{Answer::passes, diagnosis.signature};
  };
}

// One event less and all else as it was: nothing goes along, and what referred to it is left behind. Only the positions
// of later collectives, where they are recorded, move up.
Scenario without_event(const Scenario& scenario, EventRef ref) {
  Scenario less = scenario;
  std::vector<Event>& events = less.ranks[static_cast<std::size_t>(ref.rank)].events;
  const Event gone = events[ref.index];
  events.erase(events.begin() + ref.index);
  for (std::size_t i = ref.index; i < events.size(); ++i)
    if (is_positional(gone.op) && events[i].coll_seq > 0 && venue_of(events[i]) == venue_of(gone)) --events[i].coll_seq;
  std::vector<double>& times = less.ranks[static_cast<std::size_t>(ref.rank)].times;
  if (ref.index < times.size()) times.erase(times.begin() + ref.index);
  return less;
}

// A receive without its probe is no legal call (MPI 4.1, section 3.8.3): without both it may still be the same failure,
// but who receives one message twice is not to end as one who receives what was never there.
bool is_received_later(const Scenario& scenario, EventRef ref) {
  const std::vector<Event>& events = scenario.ranks[static_cast<std::size_t>(ref.rank)].events;
  const auto& message = events[ref.index].extras->message;
  return kind_of(events[ref.index].op) == OpKind::probe && message &&
         std::any_of(events.begin() + ref.index + 1, events.end(),
                     [&](const Event& later) { return later.extras->message == message; });
}

// What can go alone, although the claim says that nothing can: with what repair takes along, and literally alone.
std::vector<std::string> superfluous(const Scenario& scenario, const std::string& signature) {
  std::vector<std::string> found;
  const auto without = [&](const std::string& what, const std::function<void(Selection&)>& take_away) {
    Selection keep = Selection::all(scenario);
    take_away(keep);
    const auto less = cut(scenario, keep);
    if (less && size_of(*less) < size_of(scenario) && diagnose(*less).signature == signature)
      found.push_back(what + " can go");
  };
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank) {
    without(fmt::format("rank {}", rank), [rank](Selection& keep) { keep.ranks[rank] = 0; });
    for (std::uint32_t i = 0; i < scenario.ranks[rank].events.size(); ++i) {
      const EventRef event{static_cast<std::int32_t>(rank), i};
      without(fmt::format("event {} of rank {}", i, rank), [event](Selection& keep) { keep.drop(event); });
      if (!is_received_later(scenario, event) && diagnose(without_event(scenario, event)).signature == signature)
        found.push_back(fmt::format("event {} of rank {} can go alone", i, rank));
    }
  }
  for (std::size_t comm = 1; comm < scenario.comms.size(); ++comm)
    without("communicator " + scenario.comms[comm].name, [comm](Selection& keep) { keep.comms[comm] = 0; });
  return found;
}

}  // namespace

ShrinkResult shrink_failure(const Scenario& input) {
  const Diagnosis diagnosis = diagnose(input);
  ShrinkOptions options;
  options.failure = failure_events(input, diagnosis);
  options.source = "input.jsonl";
  return shrink(input, fails_as(diagnosis.signature), options);
}

std::vector<std::string> complaints_about(const Scenario& input, const ShrinkResult& result) {
  if (!result.reproduced) return {"the input does not reproduce: " + result.reason};
  std::vector<std::string> complaints;
  const std::string signature = diagnose(input).signature;
  const Scenario& small = result.scenario;
  if (result.claim != kOneMinimal) complaints.push_back("no claim");
  if (const std::string now = diagnose(small).signature; now != signature)
    complaints.push_back("fails as " + now + ", not as " + signature);
  if (const std::string foreign = not_from_original(input, small); !foreign.empty()) complaints.push_back(foreign);
  for (std::string& what : superfluous(small, signature)) complaints.push_back(std::move(what));

  std::istringstream written(text_of(small));
  const Scenario read = read_scenario(written, "small.jsonl");
  if (fingerprint(read) != fingerprint(small)) complaints.push_back("is another scenario when it is read again");
  if (diagnose(read).signature != signature) complaints.push_back("fails in another way when it is read again");
  const ShrinkResult again = shrink_failure(small);
  if (fingerprint(again.scenario) != fingerprint(small))
    complaints.push_back("shrinks further when it is shrunk again:\n" + text_of(again.scenario));
  if (!complaints.empty()) complaints.push_back("the result:\n" + text_of(small));
  return complaints;
}

}  // namespace petri::reduce::testing
