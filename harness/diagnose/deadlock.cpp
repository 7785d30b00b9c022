#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "harness/diagnose/arguments.hpp"
#include "harness/diagnose/blame.hpp"
#include "harness/diagnose/chain.hpp"
#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/fault.hpp"
#include "harness/diagnose/habit.hpp"
#include "harness/diagnose/in_progress.hpp"
#include "harness/diagnose/kernel.hpp"
#include "harness/diagnose/minority.hpp"
#include "harness/diagnose/signature.hpp"
#include "harness/diagnose/unanswered.hpp"
#include "harness/diagnose/wait_graph.hpp"
#include "harness/diagnose/window_waits.hpp"
#include "harness/diagnose/witnesses.hpp"
#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {
namespace {

class DeadlockTeller {
 public:
  DeadlockTeller(const Scenario& scenario, const model::Run& run)
      : scenario_(scenario), run_(run), graph_(scenario, run), chain_(scenario, run, graph_) {}

  std::vector<Fault> tell() {
    std::vector<Told> all;
    for (const Component& closed : graph_.components()) {
      const Component& component = kernels_.emplace_back(kernel_of(graph_, closed));
      Fault fault = fault_of(component, closed);
      auto order = std::tuple(rank_of(component), other_waits(component), fault.form);
      all.push_back({std::move(order), std::move(fault), ranks_at(component)});
    }
    std::stable_sort(all.begin(), all.end(), [](const Told& a, const Told& b) { return a.order < b.order; });
    std::vector<Fault> told;
    for (Told& one : all) {
      const auto same =
          std::find_if(told.begin(), told.end(), [&](const Fault& fault) { return fault.form == one.fault.form; });
      if (same == told.end())
        told.push_back(std::move(one.fault));
      else
        same->findings.front().evidence.push_back(
            fmt::format("the same failure once more, by itself, among {}", ranks_text(one.ranks)));
    }
    if (!told.empty()) chain_.add_victims(kernels_, told.front().findings.back());
    return told;
  }

 private:
  struct Told {
    std::tuple<int, std::size_t, std::string> order;
    Fault fault;
    std::vector<std::int32_t> ranks;
  };

  std::vector<std::int32_t> ranks_at(const Component& component) const {
    std::vector<std::int32_t> ranks;
    for (const std::uint32_t node : component.nodes)
      ranks.insert(ranks.end(), graph_.nodes()[node].ranks.begin(), graph_.nodes()[node].ranks.end());
    return ranks;
  }

  // For how many ranks that are stuck themselves does one wait that waits for a rank that is gone? Who waits for that
  // one alone is nearest to the cause.
  std::size_t other_waits(const Component& component) const {
    if (component.terminal == Terminal::none) return 0;
    std::size_t others = 0;
    for (const std::uint32_t node : component.nodes)
      for (const Link& link : graph_.nodes()[node].links)
        others += static_cast<std::size_t>(std::count_if(link.targets.begin(), link.targets.end(), [&](auto rank) {
          return graph_.node_of(link, rank).has_value();
        }));
    return others;
  }

  // Different operations at one position say most, then a cycle, then a rank that has finished too early.
  int rank_of(const Component& component) const {
    if (component.terminal != Terminal::none) return 2;
    return meeting_link(component) != nullptr ? 0 : 1;
  }

  // The first link that passes; of gatherings on its communicator the one at the earliest position, since a rank can
  // wait for several at once, and the first difference explains the later ones.
  template <class Test>
  const Link* find_link(const Component& component, const Test& test) const {
    const Link* found = nullptr;
    for (const std::uint32_t node : component.nodes)
      for (const Link& link : graph_.nodes()[node].links)
        if (test(link) && (found == nullptr || earlier(link, *found))) found = &link;
    return found;
  }
  bool earlier(const Link& one, const Link& other) const {
    if (one.kind != model::Atom::gathering || other.kind != model::Atom::gathering || one.comm != other.comm)
      return false;
    return run_.gatherings[one.gathering].position < run_.gatherings[other.gathering].position;
  }
  const Link* meeting_link(const Component& component) const {
    if (component.terminal != Terminal::none) return nullptr;
    return find_link(component, [](const Link& link) { return link.meets; });
  }
  const Link* gathering_link(const Component& component) const {
    return find_link(component, [](const Link& link) { return link.kind == model::Atom::gathering; });
  }

  // A wait for somebody in the component.
  static bool is_part(const Component& component, const Link& link) {
    if (component.required_only && link.any) return false;
    return std::any_of(link.targets.begin(), link.targets.end(), [&](std::int32_t rank) {
      return std::binary_search(component.ranks.begin(), component.ranks.end(), rank);
    });
  }

  std::set<std::int32_t> comms_of(const Component& component) const {
    std::set<std::int32_t> comms;
    for (const std::uint32_t node : component.nodes)
      for (const Link& link : graph_.nodes()[node].links)
        if (link.kind != model::Atom::stream && is_part(component, link)) comms.insert(link.comm);
    return comms;
  }

  // `closed` is what `component` is the kernel of.
  Fault fault_of(const Component& component, const Component& closed) const {
    Fault fault;
    fault.form = canonical_form(graph_, component);
    fault.waits = mutual_waits(graph_, component);
    fault.by_dead_rank = component.terminal != Terminal::none && component.terminal != Terminal::finalize;
    if (const auto root = earlier_clash(component)) {
      fault.findings.push_back(root->findings.front());
      fault.form += fmt::format(" after {}", root->form);
    }
    Finding finding = finding_of(component, closed);
    finding.kind = Verdict::deadlock;
    if (finding.culprits.size() > 1)
      ask_witnesses(scenario_, run_, precedents_, suspects(component, finding), kUnset, finding);
    chain_.add_near_misses(component, finding);
    chain_.add_places(component, finding);
    fault.findings.push_back(std::move(finding));
    return fault;
  }

  // Arguments that clashed on one of the component's communicators before anybody was blocked: the first divergence.
  std::optional<Fault> earlier_clash(const Component& component) const {
    const std::set<std::int32_t> comms = comms_of(component);
    if (!mismatches_) mismatches_ = find_mismatches(scenario_, run_);
    for (const Fault& fault : *mismatches_) {
      const Event& event = at(scenario_, fault.findings.front().events.front());
      if (comms.count(event.comm) != 0 && is_positional(event.op)) return fault;
    }
    return std::nullopt;
  }

  Finding finding_of(const Component& component, const Component& closed) const {
    if (const Link* link = meeting_link(component)) return from_gathering(component, closed, link->gathering);
    const Link* gathering = gathering_link(component);
    if (component.terminal != Terminal::none && gathering != nullptr)
      return from_gathering(component, closed, gathering->gathering);
    if (component.terminal != Terminal::none) return from_finished_peer(component, closed);
    if (gathering != nullptr && component.nodes.size() == 1)
      return from_gathering(component, closed, gathering->gathering);
    return from_cycle(component, closed);
  }

  // Whom the finding names or somebody in the component waits for. In a cycle those are all who can have begun it: of
  // ranks that wait alike, some may be waited for by nobody.
  std::vector<std::int32_t> suspects(const Component& component, const Finding& finding) const {
    std::vector<std::int32_t> ranks = component.ranks;
    if (component.terminal != Terminal::none) {
      const std::vector<std::int32_t> waiting = ranks_at(component);
      ranks.insert(ranks.end(), waiting.begin(), waiting.end());
    }
    ranks.insert(ranks.end(), finding.culprits.begin(), finding.culprits.end());
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
  }

  // Members of one communicator that do different things at one position.
  Finding from_gathering(const Component& component, const Component& closed, std::uint32_t number) const {
    const model::Gathering& gathering = run_.gatherings[number];
    const Blame who = blame(scenario_, run_, gathering, precedents_);
    Finding finding;
    finding.culprits = who.culprits;
    finding.events = who.events;
    const std::string comm = name_of(scenario_, run_.gatherings.venue_of(gathering));
    const std::string place = fmt::format("the {} collective on {}", ordinal_text(gathering.position), comm);
    if (who.sides.size() < 2) return from_cycle(component, closed);
    const Side& most = who.sides[0];
    const Side& odd = who.sides[1];
    finding.expected = fmt::format("{}: {}", ranks_text(most.ranks), most.text);
    finding.actual = fmt::format("{}: {}", ranks_text(odd.ranks), odd.text);
    const std::string culprits = sentence_start(who.tie ? odd.ranks : who.culprits);
    const std::string meeting = fmt::format("At {}, {}", place, sides_text(who));
    switch (who.reading) {
      case Reading::extra:
        finding.text =
            fmt::format("{} made a call that the others do not make: {}. {}.", culprits, call_text(who), meeting);
        break;
      case Reading::skipped:
        finding.text =
            fmt::format("{} left out a call that the others make: {}. {}.", culprits, call_text(who), meeting);
        break;
      case Reading::swapped:
        finding.text = fmt::format("The ranks make the same calls in another order. {}.", meeting);
        break;
      case Reading::unclear: finding.text = fmt::format("The ranks do different things. {}.", meeting); break;
    }
    if (who.reading == Reading::skipped) finding.call = who.call;
    if (!who.other_reading.empty()) finding.evidence.push_back(who.other_reading);
    if (!who.precedent.empty()) finding.evidence.push_back(who.precedent);
    if (!who.silent.empty())
      finding.evidence.push_back(
          fmt::format("{} not counted: the record does not say where they are", ranks_text(who.silent)));
    if (who.by_majority)
      finding.evidence.push_back(fmt::format("{} named because {} of {} ranks agree on the other call",
                                             ranks_text(who.culprits), most.ranks.size(),
                                             run_.gatherings.members(gathering).size()));
    if (who.tie) ask_witnesses(scenario_, run_, precedents_, suspects(component, finding), kUnset, finding);
    return finding;
  }

  // "ranks 0-4 are in allreduce …, rank 5 is in barrier …", the usual first.
  static std::string sides_text(const Blame& who) {
    std::vector<std::string> parts;
    for (const Side& side : who.sides)
      parts.push_back(fmt::format("{} {} {}{}", ranks_text(side.ranks), side.ranks.size() == 1 ? "is" : "are",
                                  side.event ? "in " : "", side.text));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  std::string call_text(const Blame& who) const {
    return fmt::format("{} ({})", event_text(scenario_, *who.call), place_text(at(scenario_, *who.call)));
  }

  // A message that a finished rank will never send or receive.
  Finding from_finished_peer(const Component& component, const Component& closed) const {
    const Node& node = graph_.nodes()[component.nodes.front()];
    const Link& link = link_to(component, node);
    const auto unanswered = explain_unanswered(scenario_, run_, graph_, node.at.rank, link);
    if (const auto left = gathering_left_alone(run_, graph_, component); left && !unanswered)
      return from_gathering(component, closed, *left);
    Finding finding;
    finding.culprits = component.ranks;
    finding.events = {node.at};
    if (link.posted != node.at) finding.events.push_back(link.posted);
    finding.call = start_of(scenario_, run_, link.posted).value_or(link.posted);
    const std::string peers = ranks_text(component.ranks);
    finding.expected = fmt::format("{} by {}", wanted_text(link), peers);
    const std::string_view end = end_text(component.terminal, component.ranks.size() > 1);
    finding.actual = fmt::format("{}: {}", peers, end);
    finding.text =
        fmt::format("{} {} in {} for {}, which {}.", sentence_start(node.ranks),
                    node.ranks.size() > 1 ? "wait" : "waits", event_text(scenario_, node.at), finding.expected, end);
    if (unanswered)
      tell(*unanswered, finding);
    else if (!add_habit(component, component.ranks, finding))
      if (const auto extra = explain_one_too_many(scenario_, run_, node, component)) tell(*extra, finding);
    return finding;
  }

  // The wait for one of the component's ranks, which will never satisfy it.
  static const Link& link_to(const Component& component, const Node& node) {
    const auto found = std::find_if(node.links.begin(), node.links.end(), [&](const Link& link) {
      return std::any_of(link.targets.begin(), link.targets.end(), [&](std::int32_t rank) {
        return std::binary_search(component.ranks.begin(), component.ranks.end(), rank);
      });
    });
    return found == node.links.end() ? node.links.front() : *found;
  }

  // What explains a wait becomes the finding; that nobody comes is evidence for it.
  static void tell(const Unanswered& unanswered, Finding& finding) {
    finding.culprits = unanswered.culprits;
    finding.call = unanswered.events.front();
    std::vector<EventRef> events = unanswered.events;
    for (const EventRef ref : finding.events)
      if (std::find(events.begin(), events.end(), ref) == events.end()) events.push_back(ref);
    finding.events = std::move(events);
    finding.evidence.push_back(std::exchange(finding.text, unanswered.text));
  }

  // What a link waits for.
  std::string wanted_text(const Link& link) const {
    switch (link.kind) {
      case model::Atom::receiver: return "a receive";
      case model::Atom::leader: return "an intercomm_create";
      case model::Atom::partition: return "a pready";
      case model::Atom::epoch: return link.op == Op::win_post ? "a win_complete" : "a win_post";
      case model::Atom::lock: return "a win_unlock";
      default: return "a message";
    }
  }

  static std::string_view end_text(Terminal terminal, bool several) {
    switch (terminal) {
      case Terminal::finalize:
        return several ? "made all their calls and are in finalize" : "made all its calls and is in finalize";
      case Terminal::exited: return "exited without finalize";
      case Terminal::aborted: return "aborted";
      case Terminal::signal: return several ? "were killed" : "was killed";
      case Terminal::none: break;
    }
    return several ? "wait" : "waits";
  }

  static std::string sentence_start(const std::vector<std::int32_t>& ranks) {
    std::string text = ranks_text(ranks);
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
  }

  // Ranks that wait for each other in different places, or one rank that waits for itself.
  Finding from_cycle(const Component& component, const Component& closed) const {
    Finding finding;
    finding.culprits = component.ranks;
    for (const std::uint32_t number : component.nodes)
      for (const std::int32_t rank : in_cycle(graph_.nodes()[number].ranks, component))
        finding.events.push_back(place_of(number, rank));
    std::sort(finding.events.begin(), finding.events.end());
    finding.expected = "an order in which somebody can go on";
    finding.actual = fmt::format("{}", fmt::join(steps_text(component), "; "));
    if (component.ranks.size() == 1) {
      finding.text = fmt::format("{} waits for itself in {}.", sentence_start(component.ranks),
                                 event_text(scenario_, graph_.nodes()[component.nodes.front()].at));
    } else {
      const std::size_t comms = comms_of(component).size();
      finding.text = fmt::format("{} wait for each other in a cycle{}: {}.", sentence_start(component.ranks),
                                 comms > 1 ? fmt::format(" over {} communicators", comms) : "", finding.actual);
    }
    if (const auto freed = explain_window(scenario_, run_, graph_, component)) {
      tell(*freed, finding);
      return finding;
    }
    if (const auto unanswered = explain_cycle(scenario_, run_, graph_, component, closed)) {
      tell(*unanswered, finding);
      return finding;
    }
    if (const auto habit = broken_habit_at_a_collective(scenario_, run_, graph_, component, precedents_)) {
      tell(*habit, finding);
      return finding;
    }
    add_minority(component, finding);
    add_odd_site(component, finding);
    add_habit(component, waited_for(closed), finding);
    return finding;
  }

  // "rank 0 in recv … for ranks 1-3": one step for all ranks that wait alike, in the order of their first ranks.
  std::vector<std::string> steps_text(const Component& component) const {
    constexpr std::size_t kMost = 8;
    std::vector<std::pair<EventRef, std::uint32_t>> places;
    for (const std::uint32_t number : component.nodes) {
      const std::vector<std::int32_t> ranks = in_cycle(graph_.nodes()[number].ranks, component);
      if (!ranks.empty()) places.emplace_back(place_of(number, ranks.front()), number);
    }
    std::sort(places.begin(), places.end());
    std::vector<std::string> steps;
    for (std::size_t i = 0; i < places.size() && i < kMost; ++i) {
      const auto& [here, number] = places[i];
      const Node& node = graph_.nodes()[number];
      steps.push_back(fmt::format("{} in {} for {}", ranks_text(in_cycle(node.ranks, component)),
                                  event_text(scenario_, here), targets_text(node, component)));
    }
    if (places.size() > kMost) steps.push_back(fmt::format("and {} more places", places.size() - kMost));
    return steps;
  }

  // Where a rank of a node is blocked.
  EventRef place_of(std::uint32_t node, std::int32_t rank) const {
    for (const model::Wait& wait : run_.waits)
      if (wait.rank == rank && graph_.node_of_lane(wait.lane) == node) return {rank, wait.index};
    return graph_.nodes()[node].at;
  }

  static std::vector<std::int32_t> in_cycle(const std::vector<std::int32_t>& ranks, const Component& component) {
    std::vector<std::int32_t> inside;
    std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(inside), [&](std::int32_t rank) {
      return std::binary_search(component.ranks.begin(), component.ranks.end(), rank);
    });
    return inside;
  }

  std::string targets_text(const Node& node, const Component& component) const {
    for (const Link& link : node.links)
      if (link.kind == model::Atom::stream) {
        const model::Lane& lane = run_.lanes[link.lane];
        return lane.is_stream() ? fmt::format("its own stream {}", lane.stream)
                                : fmt::format("its own thread {}", lane.thread);
      }
    std::vector<std::int32_t> targets;
    for (const Link& link : node.links) targets.insert(targets.end(), link.targets.begin(), link.targets.end());
    return ranks_text(in_cycle(targets, component));
  }

  void add_minority(const Component& component, Finding& finding) const {
    const auto minority = minority_of(scenario_, run_, graph_, component, precedents_);
    if (!minority) return;
    finding.culprits = minority->ranks;
    std::stable_partition(finding.events.begin(), finding.events.end(), [&](EventRef ref) {
      return std::binary_search(finding.culprits.begin(), finding.culprits.end(), ref.rank);
    });
    finding.evidence.push_back(minority->reason);
  }

  // A collective that a few ranks of the cycle reach from another call site than all the others: most likely another
  // call.
  void add_odd_site(const Component& component, Finding& finding) const {
    for (const std::uint32_t node : component.nodes) {
      for (const Link& link : graph_.nodes()[node].links) {
        if (link.kind != model::Atom::gathering || link.meets || is_rooted(link.op)) continue;
        const model::Gathering& gathering = run_.gatherings[link.gathering];
        const auto& members = run_.gatherings.members(gathering);
        std::map<std::uint32_t, std::vector<EventRef>> by_site;
        for (std::size_t member = 0; member < members.size(); ++member)
          if (gathering.arrivals[member] < model::kBefore) {
            const EventRef ref{members[member], gathering.arrivals[member]};
            by_site[at(scenario_, ref).site].push_back(ref);
          }
        if (by_site.size() != 2 || by_site.begin()->first == kNoSymbol) continue;
        const auto& one = by_site.begin()->second;
        const auto& other = by_site.rbegin()->second;
        if (one.size() == other.size()) continue;
        const auto& odd = one.size() < other.size() ? one : other;
        const auto& usual = one.size() < other.size() ? other : one;
        finding.culprits.clear();
        for (const EventRef ref : odd) finding.culprits.push_back(ref.rank);
        finding.events.insert(finding.events.begin(), odd.begin(), odd.end());
        finding.expected = fmt::format("{} ranks: {}", usual.size(), event_text(scenario_, usual.front()));
        finding.actual = fmt::format("{}: {}", ranks_text(finding.culprits), event_text(scenario_, odd.front()));
        finding.evidence.push_back(fmt::format("{} came to {} from another call site than the {} others",
                                               ranks_text(finding.culprits), event_text(scenario_, odd.front()),
                                               usual.size()));
        return;
      }
    }
  }

  // Ranks for whose messages or receives somebody waits: one of them may have left one out.
  std::vector<std::int32_t> waited_for(const Component& component) const {
    std::set<std::int32_t> ranks;
    for (const std::uint32_t number : component.nodes)
      for (const Link& link : graph_.nodes()[number].links)
        if (link.kind == model::Atom::message || link.kind == model::Atom::receiver)
          ranks.insert(link.targets.begin(), link.targets.end());
    return {ranks.begin(), ranks.end()};
  }

  bool add_habit(const Component& component, const std::vector<std::int32_t>& ranks, Finding& finding) const {
    const auto habit = broken_habit(scenario_, run_, graph_, component, ranks);
    if (habit) tell(*habit, finding);
    return habit.has_value();
  }

  void tell(const BrokenHabit& habit, Finding& finding) const {
    finding.culprits = habit.ranks;
    std::erase(finding.events, habit.instead);
    finding.events.insert(finding.events.begin(), habit.instead);
    std::string place = "at its beginning";
    if (habit.before) {
      const Event& before = at(scenario_, *habit.before);
      std::erase(finding.events, *habit.before);
      finding.events.insert(finding.events.begin(), *habit.before);
      place = fmt::format("after {} ({})", event_text(scenario_, before), place_text(before));
    }
    const std::string who = sentence_start(habit.ranks), instead = event_text(scenario_, habit.instead);
    finding.expected = fmt::format("{} {}", habit.usual, place);
    finding.actual = fmt::format("{}: {}", ranks_text(habit.ranks), instead);
    std::string text = fmt::format("{} left out {} {}, and went on to {}.", who, habit.usual, place, instead);
    if (habit.waits) text = fmt::format("{} called {} {}, where {} comes.", who, instead, place, habit.usual);
    if (habit.made_next) text = fmt::format("{} called {} before {}, {}.", who, instead, habit.usual, place);
    finding.evidence.push_back(std::exchange(finding.text, std::move(text)));
    finding.evidence.push_back(fmt::format("in all other places of the record {} comes there", habit.usual));
  }

  const Scenario& scenario_;
  const model::Run& run_;
  WaitGraph graph_;
  Precedents precedents_{scenario_};
  mutable std::optional<std::vector<Fault>> mismatches_;  // found once, when the first component asks
  EvidenceChain chain_;
  std::vector<Component> kernels_;  // of the graph's components
};

}  // namespace

std::vector<Fault> find_deadlocks(const Scenario& scenario, const model::Run& run) {
  if (run.stuck.empty()) return {};
  return DeadlockTeller(scenario, run).tell();
}

}  // namespace petri::diagnosis
