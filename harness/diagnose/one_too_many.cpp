#include "harness/diagnose/one_too_many.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/part_calls.hpp"
#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {
namespace {

using Counts = std::map<std::int32_t, std::size_t>;  // of messages, by the other rank

enum class Direction { sent, received };
Direction opposite(Direction direction) {
  return direction == Direction::sent ? Direction::received : Direction::sent;
}

// The messages of a rank that were received.
Counts messages_of(const model::Run& run, std::int32_t rank, Direction direction) {
  Counts counts;
  for (const model::Message& message : run.messages) {
    const bool sent = direction == Direction::sent;
    if ((sent ? message.send : message.recv).rank == rank) ++counts[(sent ? message.recv : message.send).rank];
  }
  return counts;
}

bool are_equal(const Counts& counts) {
  return counts.size() > 1 && counts.begin()->second > 0 &&
         std::all_of(counts.begin(), counts.end(), [&](auto& one) { return one.second == counts.begin()->second; });
}

std::vector<std::int32_t> ranks_of(const Counts& counts) {
  std::vector<std::int32_t> ranks;
  for (const auto& [rank, count] : counts) ranks.push_back(rank);
  return ranks;
}

std::string each_text(const Counts& counts) {
  const std::size_t each = counts.begin()->second;
  return each == 1 ? "one each" : fmt::format("{} each", each);
}

// What a rank called before a certain call, and all of it where that is none.
std::vector<std::uint64_t> calls_before(const Scenario& scenario, const model::Run& run, std::int32_t rank,
                                        std::optional<std::uint32_t> until = std::nullopt) {
  std::vector<std::uint64_t> calls;
  PartCalls reader(scenario, run, rank, std::nullopt);
  for (auto call = reader.next(); call && !(until && call->ref.index >= *until); call = reader.next())
    if (kind_of(at(scenario, call->ref).op) != OpKind::world) calls.push_back(call->bare);
  return calls;
}

class Teller {
 public:
  Teller(const Scenario& scenario, const model::Run& run, const WaitGraph& graph, const Node& node)
      : scenario_(scenario), run_(run), graph_(graph), rank_(node.at.rank), link_(node.links.front()) {}

  std::optional<Testimony> of_any(const Component& component) const {
    if (component.ranks.size() < 2) return std::nullopt;
    Counts sent = messages_of(run_, rank_, Direction::received);
    std::erase_if(sent, [&](const auto& one) {
      return !std::binary_search(component.ranks.begin(), component.ranks.end(), one.first);
    });
    for (const std::int32_t rank : component.ranks) sent.try_emplace(rank, 0);
    if (!are_equal(sent)) return std::nullopt;
    return explained({rank_}, {link_.posted},
                     fmt::format("Rank {} waits for one message too many in {}: {} sent it {}, and made all their "
                                 "calls. It is as possible that one of them left a message out.",
                                 rank_, posted_text(), ranks_text(component.ranks), each_text(sent)));
  }

  // Of a wait for one rank, which holds for each other one as well.
  std::optional<Testimony> with_each(const Component& component) const {
    Counts exchanged = messages_of(run_, rank_, direction());
    for (const std::int32_t rank : component.ranks) exchanged.try_emplace(rank, 0);
    if (!are_equal(exchanged) || !are_past(exchanged)) return std::nullopt;
    return explained({rank_}, {link_.posted},
                     fmt::format("Rank {} {} one message too many in {}: {} {} {}, and made all their calls.", rank_,
                                 sends() ? "sends" : "waits for", posted_text(), ranks_text(ranks_of(exchanged)),
                                 sends() ? "received" : "sent it", each_text(exchanged)));
  }

  // As the partner of the rank that it waits for.
  std::optional<Testimony> beside_others() const {
    if (link_.targets.size() != 1) return std::nullopt;
    Counts theirs = messages_of(run_, link_.targets.front(), opposite(direction()));
    theirs.try_emplace(rank_, 0);
    if (!are_equal(theirs)) return std::nullopt;
    const std::size_t each = theirs.extract(rank_).mapped();
    const auto calls = calls_before(scenario_, run_, rank_, link_.posted.index);
    const auto did_the_same = [&](const auto& one) { return calls_before(scenario_, run_, one.first) == calls; };
    if (!are_past(theirs) || !std::all_of(theirs.begin(), theirs.end(), did_the_same)) return std::nullopt;
    return explained(
        {rank_}, {link_.posted},
        fmt::format("Rank {} {} one message too many in {}: {} made the same calls with {} until then, "
                    "with {} message{}{}, and no more.",
                    rank_, sends() ? "sends" : "waits for", posted_text(), ranks_text(ranks_of(theirs)),
                    ranks_text(link_.targets), each, each == 1 ? "" : "s", theirs.size() == 1 ? "" : " each"));
  }

 private:
  bool sends() const { return link_.kind == model::Atom::receiver; }
  Direction direction() const { return sends() ? Direction::sent : Direction::received; }
  std::string posted_text() const { return event_text(scenario_, link_.posted); }
  bool are_past(const Counts& ranks) const {
    return std::all_of(ranks.begin(), ranks.end(),
                       [&](const auto& one) { return graph_.terminal_of(one.first) == Terminal::finalize; });
  }

  const Scenario& scenario_;
  const model::Run& run_;
  const WaitGraph& graph_;
  std::int32_t rank_;
  const Link& link_;
};

}  // namespace

std::optional<Testimony> explain_one_too_many(const Scenario& scenario, const model::Run& run, const WaitGraph& graph,
                                              const Node& node, const Component& component) {
  const model::Atom::Kind kind = node.links.front().kind;
  if (kind != model::Atom::message && kind != model::Atom::receiver) return std::nullopt;
  const bool are_alike = std::all_of(node.links.begin(), node.links.end(),
                                     [&](const Link& link) { return link.kind == kind && !link.any; });
  const Teller teller(scenario, run, graph, node);
  if (node.links.front().any)
    return node.links.size() == 1 && kind == model::Atom::message ? teller.of_any(component) : std::nullopt;
  if (!are_alike || component.terminal != Terminal::finalize || node.ranks.size() != 1) return std::nullopt;
  if (auto told = teller.with_each(component)) return told;
  return teller.beside_others();
}

std::optional<Testimony> explain_taken_place(const Scenario& scenario, const model::Run& run, const WaitGraph& graph,
                                             const Component& component) {
  for (const std::uint32_t number : component.nodes) {
    const Node& node = graph.nodes()[number];
    const Link& link = node.links.front();
    if (node.links.size() != 1 || node.ranks.size() != 1 || link.kind != model::Atom::receiver) continue;
    const std::int32_t taker = link.targets.front();
    if (!messages_of(run, taker, Direction::sent).empty()) continue;
    Counts sent;
    std::map<std::int32_t, EventRef> last;  // message of each
    for (const model::Message& message : run.messages) {
      if (message.recv.rank != taker) continue;
      if (model::recv_half(at(scenario, message.recv)).peer != kAny) continue;
      ++sent[message.send.rank];
      last[message.send.rank] = message.send;
    }
    ++sent[node.at.rank];  // what it waits to send
    const auto most = std::max_element(sent.begin(), sent.end(),
                                       [](const auto& one, const auto& other) { return one.second < other.second; });
    const std::int32_t rank = most->first;
    const std::size_t count = most->second;
    sent.erase(most);
    if (rank == node.at.rank || !are_equal(sent) || sent.begin()->second + 1 != count) continue;
    return explained({rank}, {last.at(rank), link.posted},
                     fmt::format("Rank {} sent one message too many to rank {}, which took it from any source: {} sent "
                                 "{}, and that of rank {} was left.",
                                 rank, taker, ranks_text(ranks_of(sent)), each_text(sent), node.at.rank));
  }
  return std::nullopt;
}

}  // namespace petri::diagnosis
