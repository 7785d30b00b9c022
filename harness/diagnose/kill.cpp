#include "harness/diagnose/kill.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "harness/diagnose/describe.hpp"
#include "harness/model/op_rules.hpp"
#include "harness/model/run.hpp"

namespace petri::diagnosis {
namespace {

// Signals by which a process goes down by its own fault, by their numbers on Linux: the record may come from elsewhere
// than where it is judged.
bool is_crash(std::int32_t signal) {
  constexpr std::int32_t kIll = 4, kTrap = 5, kAbrt = 6, kBus = 7, kFpe = 8, kSegv = 11, kPipe = 13, kSys = 31;
  for (const std::int32_t crash : {kIll, kTrap, kAbrt, kBus, kFpe, kSegv, kPipe, kSys})
    if (signal == crash) return true;
  return false;
}

bool was_ended(const RankTrace& rank) {
  return rank.end.kind == EndKind::signal || rank.end.kind == EndKind::aborted;
}

// It was ended in a call that says nothing of an error. One that polls makes many such calls: where it dies by itself,
// it dies in one of them.
bool ended_inside(const RankTrace& rank) {
  if (!was_ended(rank) || rank.events.empty()) return false;
  const Event& last = rank.events.back();
  return last.state == EventState::started && last.op != Op::abort && last.op != Op::exit && !model::is_poll(last) &&
         last.extras.error().empty();
}

bool crashed(const RankTrace& rank) {
  return rank.end.kind == EndKind::signal && is_crash(rank.end.signal);
}

}  // namespace

std::optional<Scenario> hung_before_kill(const Scenario& scenario, const model::Assumptions& assumptions) {
  const auto& ranks = scenario.ranks;
  if (std::none_of(ranks.begin(), ranks.end(), ended_inside) || std::any_of(ranks.begin(), ranks.end(), crashed))
    return std::nullopt;
  Scenario hung = scenario;
  for (RankTrace& rank : hung.ranks)
    if (ended_inside(rank)) rank.end.kind = EndKind::running;
  const model::Run run = model::run(hung, assumptions);
  const bool some_died =
      std::find(run.standing.begin(), run.standing.end(), model::Standing::dead) != run.standing.end();
  const bool killed_ones_hung = std::any_of(run.stuck.begin(), run.stuck.end(), [&](std::int32_t rank) {
    return ended_inside(ranks[static_cast<std::size_t>(rank)]);
  });
  if (some_died || !killed_ones_hung) return std::nullopt;
  return hung;
}

std::string kill_text(const Scenario& scenario) {
  std::map<std::string, std::vector<std::int32_t>> ways;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    const RankTrace& trace = scenario.ranks[static_cast<std::size_t>(rank)];
    if (!ended_inside(trace)) continue;
    const bool by_abort = trace.end.kind == EndKind::aborted;
    ways[by_abort                ? "an abort"
         : trace.end.signal == 0 ? "a signal"
                                 : fmt::format("signal {}", trace.end.signal)]
        .push_back(rank);
  }
  std::vector<std::string> texts;
  for (const auto& [way, ranks] : ways) texts.push_back(fmt::format("{} by {}", ranks_text(ranks), way));
  return fmt::format("the job hung until it was ended, which is no cause: {}", fmt::join(texts, ", "));
}

}  // namespace petri::diagnosis
