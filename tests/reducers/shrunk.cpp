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
#include "tests/support/model_oracle.hpp"

namespace petri::reduce::testing {
namespace {

std::string text_of(const Scenario& scenario) {
  std::ostringstream out;
  write_scenario(scenario, out);
  return out.str();
}

// One event less and all else as it was: nothing goes along, and what referred to it is left behind. Only the positions
// of later collectives, where they are recorded, move up.
Scenario without_event(const Scenario& scenario, EventRef ref) {
  Scenario less = scenario;
  std::vector<Event>& events = less.ranks[static_cast<std::size_t>(ref.rank)].events;
  const Event gone = events[ref.index];
  events.erase(events.begin() + ref.index);
  for (std::size_t i = ref.index; i < events.size(); ++i)
    if (is_positional(gone.op) && events[i].extras.coll_seq() > 0 && venue_of(events[i]) == venue_of(gone))
      events[i].extras.set_coll_seq(events[i].extras.coll_seq() - 1);
  std::vector<double>& times = less.ranks[static_cast<std::size_t>(ref.rank)].times;
  if (ref.index < times.size()) times.erase(times.begin() + ref.index);
  return less;
}

// A receive without its probe is no legal call (MPI 4.1, section 3.8.3): without both it may still be the same failure,
// but who receives one message twice is not to end as one who receives what was never there.
bool is_received_later(const Scenario& scenario, EventRef ref) {
  const std::vector<Event>& events = scenario.ranks[static_cast<std::size_t>(ref.rank)].events;
  const auto& message = events[ref.index].extras.message();
  return kind_of(events[ref.index].op) == OpKind::probe && message &&
         std::any_of(events.begin() + ref.index + 1, events.end(),
                     [&](const Event& later) { return later.extras.message() == message; });
}

// What can go alone, although the claim says that nothing can: with what repair takes along, and literally alone.
std::vector<std::string> superfluous(const Scenario& scenario, const Failure& failure) {
  std::vector<std::string> found;
  const auto fails_alike = [&](const Scenario& less) {
    return likeness(less, diagnose(less), failure) == Likeness::same;
  };
  const auto without = [&](const std::string& what, const std::function<void(Selection&)>& take_away) {
    Selection keep = Selection::all(scenario);
    take_away(keep);
    const auto less = cut(scenario, keep);
    if (less && size_of(*less) < size_of(scenario) && fails_alike(*less)) found.push_back(what + " can go");
  };
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank) {
    without(fmt::format("rank {}", rank), [rank](Selection& keep) { keep.ranks[rank] = 0; });
    for (std::uint32_t i = 0; i < scenario.ranks[rank].events.size(); ++i) {
      const EventRef event{static_cast<std::int32_t>(rank), i};
      without(fmt::format("event {} of rank {}", i, rank), [event](Selection& keep) { keep.drop(event); });
      if (!is_received_later(scenario, event) && fails_alike(without_event(scenario, event)))
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
  return shrink(input, test::fails_as(failure_of(input, diagnosis)), options);
}

std::vector<std::string> complaints_about(const Scenario& input, const ShrinkResult& result) {
  if (!result.reproduced) return {"the input does not reproduce: " + result.reason};
  std::vector<std::string> complaints;
  const Failure failure = failure_of(input, diagnose(input));
  const Scenario& small = result.scenario;
  if (result.claim != kOneMinimal) complaints.push_back("no claim");
  if (const Diagnosis now = diagnose(small); likeness(small, now, failure) != Likeness::same)
    complaints.push_back("fails as " + name_beside(now, failure) + ", not as " + failure.signature);
  if (const std::string foreign = not_from_original(input, small); !foreign.empty()) complaints.push_back(foreign);
  for (std::string& what : superfluous(small, failure)) complaints.push_back(std::move(what));

  std::istringstream written(text_of(small));
  const Scenario read = read_scenario(written, "small.jsonl");
  if (fingerprint(read) != fingerprint(small)) complaints.push_back("is another scenario when it is read again");
  if (likeness(read, diagnose(read), failure) != Likeness::same)
    complaints.push_back("fails in another way when it is read again");
  const ShrinkResult again = shrink_failure(small);
  if (fingerprint(again.scenario) != fingerprint(small))
    complaints.push_back("shrinks further when it is shrunk again:\n" + text_of(again.scenario));
  if (!complaints.empty()) complaints.push_back("the result:\n" + text_of(small));
  return complaints;
}

}  // namespace petri::reduce::testing
