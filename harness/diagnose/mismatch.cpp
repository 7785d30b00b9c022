#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/diagnose/arguments.hpp"
#include "harness/diagnose/blame.hpp"
#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/fault.hpp"
#include "harness/diagnose/witnesses.hpp"
#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {
namespace {

std::string_view words_for(const std::string& argument) {
  if (argument == "count" || argument == "counts") return "size";
  if (argument == "dtype") return "element type";
  if (argument == "reduce") return "reduction operation";
  if (argument == "ranks") return "members of the new group";
  if (argument == "neighbours") return "topology";
  if (argument == "dims") return "process grid";
  if (argument == "path" || argument == "mode" || argument == "disp" || argument == "flag") return "file argument";
  return "root";
}

// Sizes are kept in the form, since they are the failure; ranks, as roots are, are not.
std::string form_of(const Event& event, const Clash& clash) {
  std::string values;
  if (clash.argument == "count" && clash.sides.size() == 2) {
    std::vector<std::string> sorted{clash.sides[0].value, clash.sides[1].value};
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return std::pair(a.size(), a) < std::pair(b.size(), b); });
    values = fmt::format(" {}|{}", sorted[0], sorted[1]);
  }
  return fmt::format("{}@0 {}{}", name_of(event.op), clash.argument, values);
}

std::string reading_text(const Blame& blame) {
  const std::string who = ranks_text(blame.tie ? blame.sides[1].ranks : blame.culprits);
  switch (blame.reading) {
    case Reading::extra: return fmt::format("{} made a call that the other side did not make", who);
    case Reading::skipped: return fmt::format("{} left out a call that the other side made", who);
    case Reading::swapped: return "both sides make the same calls, in another order";
    case Reading::unclear: break;
  }
  return "";
}

Fault fault_of(const Scenario& scenario, const model::Run& run, const model::Gathering& gathering, const Clash& clash,
               const Precedents& precedents) {
  const Blame who = blame(scenario, run, gathering, clash, precedents);
  Finding finding;
  finding.kind = Verdict::mismatch;
  finding.culprits = who.culprits;
  finding.events = who.events;
  const Side& most = who.sides.front();
  const Side& odd = who.sides.size() > 1 ? who.sides[1] : most;
  finding.expected = fmt::format("{}: {}", ranks_text(most.ranks), most.text);
  finding.actual = fmt::format("{}: {}", ranks_text(odd.ranks), odd.text);
  finding.text = fmt::format("The {} differs in the {} collective on {}: {}, but {}.", words_for(clash.argument),
                             ordinal_text(gathering.position), name_of(scenario, run.gatherings.venue_of(gathering)),
                             finding.actual, finding.expected);
  if (const std::string reading = reading_text(who); !reading.empty()) finding.evidence.push_back(reading);
  if (!who.other_reading.empty()) finding.evidence.push_back(who.other_reading);
  if (!who.precedent.empty()) finding.evidence.push_back(who.precedent);
  if (who.by_majority) finding.evidence.push_back("the culprit is named because the other side is the majority");
  const Event& clashing = at(scenario, clash.sides.front().events.front());
  if (who.tie) {
    std::vector<std::int32_t> suspects = run.gatherings.members(gathering);
    std::sort(suspects.begin(), suspects.end());
    ask_about_suspects(scenario, run, precedents, suspects, clashing.step, finding);
  }
  return {{finding}, form_of(clashing, clash)};
}

Fault fault_of(const Scenario& scenario, const model::Message& message, const std::string& what) {
  const Event& send = at(scenario, message.send);
  const Event& recv = at(scenario, message.recv);
  Finding finding;
  finding.kind = Verdict::mismatch;
  finding.culprits = {std::min(message.send.rank, message.recv.rank), std::max(message.send.rank, message.recv.rank)};
  finding.events = {message.send, message.recv};
  finding.actual = fmt::format("rank {}: {}", message.send.rank, event_text(scenario, send));
  finding.expected = fmt::format("rank {}: {}", message.recv.rank, event_text(scenario, recv));
  finding.text = fmt::format("A message does not fit its receive ({}): {}, but {}.",
                             what == "truncation" ? "longer than the receive" : "other element type", finding.actual,
                             finding.expected);
  return {{finding}, fmt::format("{}>{}@0 {}", name_of(send.op), name_of(recv.op), what)};
}

std::vector<const model::Gathering*> in_order(const model::Run& run) {
  std::vector<const model::Gathering*> order;
  // The starts of a persistent collective have the arguments of its init.
  for (const model::Gathering& gathering : run.gatherings.all())
    if (gathering.start_of == model::kNoGathering) order.push_back(&gathering);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::pair(a->position, a->venue) < std::pair(b->position, b->venue);
  });
  return order;
}

}  // namespace

std::vector<Fault> find_mismatches(const Scenario& scenario, const model::Run& run) {
  std::vector<Fault> faults;
  const Precedents precedents(scenario);
  for (const model::Gathering* gathering : in_order(run)) {
    const std::vector<Clash> found = clashes(scenario, run, *gathering);
    if (!found.empty()) faults.push_back(fault_of(scenario, run, *gathering, found.front(), precedents));
  }
  // A partitioned receive has room for all that its sender's partitions hold, however each side divides it (MPI 4.1,
  // section 4.2.1).
  const auto judge = [&](const model::Message& message) {
    const auto lost = [&](EventRef ref) { return run.truncated[static_cast<std::size_t>(ref.rank)]; };
    if (lost(message.send) || lost(message.recv)) return;  // which messages belong together is unknown
    const std::string what = message_fault(at(scenario, message.send), at(scenario, message.recv));
    if (!what.empty()) faults.push_back(fault_of(scenario, message, what));
  };
  for (const model::Message& message : run.messages) judge(message);
  for (const model::Message& message : run.partitioned) judge(message);
  return faults;
}

}  // namespace petri::diagnosis
