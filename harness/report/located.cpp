#include "harness/report/located.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "harness/diagnose/describe.hpp"
#include "harness/report/text.hpp"

namespace petri {
namespace {

using namespace compare;
using json = nlohmann::ordered_json;

// "collective call on world"
std::string_view kind_text(const Event& event) {
  return is_positional(event.op) ? "collective call on" : "other call on";
}

std::string call_text(const Scenario& scenario, EventRef ref) {
  const Event& event = at(scenario, ref);
  return fmt::format("{} ({})", diagnosis::event_text(scenario, ref), diagnosis::place_text(event));
}

// "sum 3.5 and 3.25": what was recorded in both and differs.
std::string summaries_text(const std::optional<Summary>& one, const std::optional<Summary>& other) {
  std::string text;
  const auto add = [&](std::string_view name, const auto& a, const auto& b) {
    if (a && b && *a != *b) text += fmt::format("{}{} {} and {}", text.empty() ? "" : ", ", name, *a, *b);
  };
  if (!one || !other) return text;
  add("min", one->min, other->min);
  add("max", one->max, other->max);
  add("sum", one->sum, other->sum);
  add("norm", one->norm, other->norm);
  add("NaNs", one->nan, other->nan);
  add("infinities", one->inf, other->inf);
  return text;
}

std::string inputs_text(const Located& located) {
  switch (located.inputs) {
    case Inputs::differ:
      return fmt::format(
          "Its inputs already differ, on {}: the numbers parted before this call, in what {} computed since "
          "the call before.\n",
          diagnosis::ranks_text(located.input_ranks), located.input_ranks.size() == 1 ? "it" : "they");
    case Inputs::same:
      return fmt::format(
          "Its inputs are the same on all ranks, and its result is not, on {}: it is this call that parts "
          "the numbers, by the order of the reduction or by the library.\n",
          diagnosis::ranks_text(located.result_ranks));
    case Inputs::unknown:
      return fmt::format(
          "Its result differs, on {}. Whether its inputs do is not known: not all ranks recorded a digest of "
          "them in both.\n",
          diagnosis::ranks_text(located.result_ranks));
  }
  return {};
}

// What is first in the call and differs on the first such rank.
struct Sides {
  std::int32_t rank = 0;
  bool input = false;  // else the result
  std::optional<Summary> one, other;
};

Sides sides_of(const Located& located, const Scenario& one, const Scenario& other) {
  Sides sides;
  sides.input = located.inputs == Inputs::differ;
  sides.rank = (sides.input ? located.input_ranks : located.result_ranks).front();
  for (const CallPair& pair : located.calls) {
    if (pair.one.rank != sides.rank) continue;
    const EventExtras &a = at(one, pair.one).extras, &b = at(other, pair.other).extras;
    sides.one = sides.input ? a.in() : a.out();
    sides.other = sides.input ? b.in() : b.out();
  }
  return sides;
}

std::string sides_text(const Sides& sides, const RecordingNames& names) {
  std::string text = fmt::format("  {} of rank {}: {} in {}, and {} in {}\n", sides.input ? "input" : "result",
                                 sides.rank, sides.one->digest, names.one, sides.other->digest, names.other);
  if (const std::string summaries = summaries_text(sides.one, sides.other); !summaries.empty())
    text += fmt::format("  {}\n", summaries);
  return text;
}

std::string other_call_text(const CallPair& calls, const Scenario& one, const Scenario& other,
                            const RecordingNames& names) {
  const bool in_one = event_of(one, calls.one) != nullptr, in_other = event_of(other, calls.other) != nullptr;
  if (in_one && in_other)
    return fmt::format("From there on calls differ: rank {} makes {} in {}, and {} in {}.\n", calls.one.rank,
                       call_text(one, calls.one), names.one, call_text(other, calls.other), names.other);
  const Scenario& longer = in_one ? one : other;
  const EventRef ref = in_one ? calls.one : calls.other;
  const Event& event = at(longer, ref);
  return fmt::format("From there on calls differ: rank {} makes {} in {}, and no further {} {} in {}.\n", ref.rank,
                     call_text(longer, ref), in_one ? names.one : names.other, kind_text(event),
                     longer.comm_of(event).name, in_one ? names.other : names.one);
}

json call_json(const Scenario& scenario, EventRef ref) {
  const Event* event = event_of(scenario, ref);
  if (event == nullptr) return {{"rank", ref.rank}};
  json object{
      {"rank", ref.rank}, {"seq", event->seq}, {"op", name_of(event->op)}, {"comm", scenario.comm_of(*event).name}};
  if (event->step != kUnset) object["step"] = event->step;
  if (event->microbatch != kUnset) object["microbatch"] = event->microbatch;
  if (event->site != kNoSymbol) object["site"] = scenario.site_of(*event);
  if (!event->extras.category().empty()) object["category"] = event->extras.category();
  return object;
}

}  // namespace

Verdict verdict_of(const LocatedDifference& found) {
  if (found.first || found.other_call) return Verdict::divergence;
  return found.compared > 0 ? Verdict::completes : Verdict::ambiguous;
}

std::string render_text(const LocatedDifference& found, const Scenario& one, const Scenario& other,
                        const RecordingNames& names) {
  std::string text;
  if (found.first) {
    const Located& located = *found.first;
    const Event& event = at(one, located.calls.front().one);
    text += fmt::format("divergence: the numbers part in {}\n", call_text(one, located.calls.front().one));
    text += fmt::format("The {} {} {}{}.\n", diagnosis::ordinal_text(static_cast<std::int64_t>(located.position)),
                        kind_text(event), one.comm_of(event).name,
                        event.extras.category().empty() ? "" : ", category " + event.extras.category());
    text += inputs_text(located) + sides_text(sides_of(located, one, other), names);
  } else if (found.other_call) {
    text += fmt::format("divergence: rank {} makes other calls\n", found.other_call->one.rank);
  } else if (found.compared == 0) {
    text += "ambiguous: no call has a digest in both recordings\n";
  } else {
    text += "completes: all digests are the same\n";
  }
  if (found.other_call) text += other_call_text(*found.other_call, one, other, names);
  return text + fmt::format("{} of {} digests differ.\n", found.differing, found.compared);
}

std::string render_json(const LocatedDifference& found, const Scenario& one, const Scenario& other) {
  static constexpr std::string_view kInputs[] = {"same", "differ", "unknown"};
  json out{{"verdict", name_of(verdict_of(found))}, {"compared", found.compared}, {"differing", found.differing}};
  if (found.first) {
    json first = call_json(one, found.first->calls.front().one);
    first["position"] = found.first->position;
    first["inputs"] = kInputs[static_cast<std::size_t>(found.first->inputs)];
    first["input_ranks"] = found.first->input_ranks;
    first["result_ranks"] = found.first->result_ranks;
    const Sides sides = sides_of(*found.first, one, other);
    first["differs"] = {{"rank", sides.rank},
                        {"what", sides.input ? "input" : "result"},
                        {"one", sides.one->digest},
                        {"other", sides.other->digest}};
    out["first"] = std::move(first);
  }
  if (found.other_call)
    out["other_call"] = {{"one", call_json(one, found.other_call->one)},
                         {"other", call_json(other, found.other_call->other)}};
  return out.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace petri
