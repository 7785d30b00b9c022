#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/diagnose/chain.hpp"
#include "harness/diagnose/deadlock_case.hpp"
#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/fault.hpp"
#include "harness/diagnose/kernel.hpp"
#include "harness/diagnose/signature.hpp"
#include "harness/diagnose/wait_graph.hpp"
#include "harness/diagnose/witnesses.hpp"

namespace petri::diagnosis {
namespace {

class DeadlockTeller {
 public:
  DeadlockTeller(const Scenario& scenario, const model::Run& run)
      : scenario_(scenario), run_(run), graph_(scenario, run), chain_(scenario, run, graph_) {}

  std::vector<Fault> tell() {
    std::vector<Form> all;
    for (const Component& closed : graph_.components()) kernels_.push_back(kernel_of(graph_, closed));
    for (std::size_t number = 0; number < kernels_.size(); ++number) all.push_back(form_of(number));
    std::stable_sort(all.begin(), all.end(), [](const Form& a, const Form& b) { return a.order < b.order; });
    // Much may fail in one way, and finding out who began it takes long.
    std::vector<Fault> told;
    for (const Form& one : all) {
      const auto same =
          std::find_if(told.begin(), told.end(), [&](const Fault& fault) { return fault.form == one.form(); });
      if (same == told.end())
        told.push_back(fault_of(one));
      else
        same->findings.front().evidence.push_back(
            fmt::format("the same failure once more, by itself, among {}", ranks_text(ranks_waiting(case_of(one)))));
    }
    if (!told.empty()) chain_.add_victims(kernels_, told.front().findings.back());
    return told;
  }

 private:
  // What is known of a component before anybody asks who began it.
  struct Form {
    std::size_t number = 0;  // of the component and its kernel
    std::tuple<int, std::size_t, std::string> order;
    const std::string& form() const { return std::get<std::string>(order); }
  };

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

  DeadlockCase case_of(const Form& form) const {
    return {scenario_, run_, graph_, precedents_, kernels_[form.number], graph_.components()[form.number]};
  }

  Form form_of(std::size_t number) const {
    const Component& component = kernels_[number];
    Form form{number, {rank_of(component), other_waits(component), canonical_form(graph_, component)}};
    if (const Fault* root = earlier_clash(case_of(form))) std::get<std::string>(form.order) += " after " + root->form;
    return form;
  }

  Fault fault_of(const Form& form) const {
    const DeadlockCase deadlock = case_of(form);
    const Component& component = deadlock.component;
    Fault fault;
    fault.form = form.form();
    fault.waits = mutual_waits(graph_, component);
    fault.by_dead_rank = component.terminal != Terminal::none && component.terminal != Terminal::finalize;
    if (const Fault* root = earlier_clash(deadlock)) fault.findings.push_back(root->findings.front());
    Finding finding = finding_of(deadlock);
    finding.kind = Verdict::deadlock;
    ask_swapped_sites(deadlock, finding);
    doubt_who_began_it(deadlock, finding);
    chain_.add_near_misses(component, finding);
    chain_.add_places(component, finding);
    fault.findings.push_back(std::move(finding));
    return fault;
  }

  // Of several that are named, one may be it. Who is in finalize while somebody waits for its message need not be it:
  // the other may have made a call too many.
  void doubt_who_began_it(const DeadlockCase& deadlock, Finding& finding) const {
    const bool may_be_one_too_many =
        deadlock.component.terminal == Terminal::finalize && gathering_link(deadlock.component) == nullptr;
    if (finding.culprits.size() < 2 && !may_be_one_too_many) return;
    Finding asked = finding;
    ask_about_suspects(scenario_, run_, precedents_, suspects_of(deadlock, finding), kUnset, asked);
    if (asked.culprits != finding.culprits) finding = std::move(asked);
  }

  // Arguments that clashed on one of the component's communicators before anybody was blocked: the first divergence.
  const Fault* earlier_clash(const DeadlockCase& deadlock) const {
    if (!mismatches_) mismatches_ = find_mismatches(scenario_, run_);
    return first_on(deadlock, *mismatches_);
  }

  const Fault* first_on(const DeadlockCase& deadlock, const std::vector<Fault>& faults) const {
    const std::set<std::int32_t> comms = comms_of(deadlock);
    for (const Fault& fault : faults) {
      const Event& event = at(scenario_, fault.findings.front().events.front());
      if (comms.count(event.comm) != 0 && is_positional(event.op)) return &fault;
    }
    return nullptr;
  }

  // Call sites alone are no failure that a deadlock follows from. But where several may have begun it, one of which
  // came to equal calls in another order before, or one call ahead of the others, it is that one.
  void ask_swapped_sites(const DeadlockCase& deadlock, Finding& finding) const {
    if (finding.culprits.size() < 2) return;
    if (!swaps_) swaps_ = find_swapped_sites(scenario_, run_, true);
    const Fault* swap = first_on(deadlock, *swaps_);
    if (swap == nullptr) return;
    const Finding& told = swap->findings.front();
    const auto is_suspect = [&](std::int32_t rank) {
      return std::find(finding.culprits.begin(), finding.culprits.end(), rank) != finding.culprits.end();
    };
    if (told.culprits.size() >= finding.culprits.size() ||
        !std::all_of(told.culprits.begin(), told.culprits.end(), is_suspect))
      return;
    finding.culprits = told.culprits;
    finding.evidence.push_back("before: " + told.text);
  }

  Finding finding_of(const DeadlockCase& deadlock) const {
    const Component& component = deadlock.component;
    if (const Link* link = meeting_link(component)) return tell_of_gathering(deadlock, link->gathering);
    const Link* gathering = gathering_link(component);
    const bool past_all_calls = component.terminal != Terminal::none;
    if (gathering != nullptr && (past_all_calls || component.nodes.size() == 1))
      return tell_of_gathering(deadlock, gathering->gathering);
    return past_all_calls ? tell_of_finished_peer(deadlock) : tell_of_cycle(deadlock);
  }

  const Scenario& scenario_;
  const model::Run& run_;
  WaitGraph graph_;
  Precedents precedents_{scenario_};
  mutable std::optional<std::vector<Fault>> mismatches_, swaps_;  // found once, when the first component asks
  EvidenceChain chain_;
  std::vector<Component> kernels_;  // of the graph's components
};

}  // namespace

std::vector<Fault> find_deadlocks(const Scenario& scenario, const model::Run& run) {
  if (run.stuck.empty()) return {};
  return DeadlockTeller(scenario, run).tell();
}

}  // namespace petri::diagnosis
