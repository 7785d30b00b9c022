#include "harness/diagnose/unanswered.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/diagnose/describe.hpp"
#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {
namespace {

using model::Half;

class Explainer {
 public:
  Explainer(const Scenario& scenario, const model::Run& run, const WaitGraph& graph)
      : scenario_(scenario), run_(run), graph_(graph) {}

  std::optional<Testimony> explain(std::int32_t rank, const Link& link) const {
    if (link.targets.size() != 1) return std::nullopt;
    if (link.kind == model::Atom::receiver) {
      auto held = held_by_probe(link.posted);
      return held ? held : sent_elsewhere(link.posted);
    }
    if (link.kind != model::Atom::message) return std::nullopt;
    if (auto probed = taken_by_probe(rank, link)) return probed;
    if (auto stolen = taken_by_wildcard(rank, link)) return stolen;
    if (auto other = other_arguments(rank, link)) return other;
    for (const EventRef sent : run_.unmatched_sends)
      if (sent.rank == link.targets.front() && fits(sent, link.posted) && is_past(destination(sent)) && !is_habit(sent))
        return misdirected(sent, rank);
    return std::nullopt;
  }

  // Of a receive that nothing answers: the rank whose wrong peer can be the reason, either the sender's or its own.
  std::vector<std::int32_t> wrong_neighbours(std::int32_t rank, const Link& link) const {
    std::vector<std::int32_t> ranks;
    for (const EventRef sent : run_.unmatched_sends) {
      const bool from_it = sent.rank == link.targets.front(), to_it = destination(sent) == rank;
      if (from_it == to_it || !fits(sent, link.posted) || is_habit(sent) || is_habit(link.posted)) continue;
      if (from_it && still_has_to_send(sent, rank)) continue;
      ranks.push_back(from_it ? sent.rank : rank);
    }
    return ranks;
  }

  // The expected rank did send here, with another tag or on another communicator, and waits for nothing else, or is
  // past all calls.
  std::optional<Testimony> other_arguments(std::int32_t rank, const Link& link) const {
    for (const EventRef sent : run_.unmatched_sends) {
      if (sent.rank != link.targets.front() || destination(sent) != rank || fits(sent, link.posted)) continue;
      if (!is_past(sent.rank) && !waits_to_send(sent)) continue;
      const bool same_comm = at(scenario_, sent).comm == at(scenario_, link.posted).comm;
      return explained({std::min(rank, sent.rank), std::max(rank, sent.rank)}, {link.posted, sent},
                       fmt::format("Rank {} waits in {}, but rank {} sent with another {}: {}.", rank,
                                   event_text(scenario_, link.posted), sent.rank, same_comm ? "tag" : "communicator",
                                   event_text(scenario_, sent)));
    }
    return std::nullopt;
  }

  bool sent_in_vain(std::int32_t rank) const {
    return std::any_of(run_.unmatched_sends.begin(), run_.unmatched_sends.end(),
                       [&](EventRef sent) { return sent.rank == rank; });
  }

 private:
  std::int32_t destination(EventRef sent) const {
    const Event& send = at(scenario_, sent);
    const auto& members = run_.gatherings.ranks_of(send.comm);
    const std::int32_t peer = model::send_half(send).peer;
    return peer >= 0 && static_cast<std::size_t>(peer) < members.size() ? members[static_cast<std::size_t>(peer)] : -1;
  }

  // Would the receive take the message if it came from where it is expected? Communicator and tag decide.
  bool fits(EventRef sent, EventRef posted) const {
    const Event& send = at(scenario_, sent);
    const Event& recv = at(scenario_, posted);
    const std::int32_t tag = model::recv_half(recv).tag;
    return send.comm == recv.comm && (tag == kAny || tag == model::send_half(send).tag);
  }

  // Did the rank make such a call before, with the same partners? Then these are no wrong ones.
  bool is_habit(EventRef call) const {
    const Event& event = at(scenario_, call);
    const auto& events = scenario_.ranks[static_cast<std::size_t>(call.rank)].events;
    return std::any_of(events.begin(), events.begin() + call.index, [&](const Event& before) {
      return before.op == event.op && before.comm == event.comm && before.peer == event.peer &&
             tag_of(before) == tag_of(event) && before.site == event.site &&
             before.extras.sendpeer() == event.extras.sendpeer() && before.extras.recvpeer() == event.extras.recvpeer();
    });
  }

  // Does the sender go on to a like message for `rank` before its next collective?
  bool still_has_to_send(EventRef sent, std::int32_t rank) const {
    const auto& events = scenario_.ranks[static_cast<std::size_t>(sent.rank)].events;
    for (EventRef later{sent.rank, sent.index + 1}; later.index < events.size(); ++later.index) {
      const Event& event = events[later.index];
      if (kind_of(event.op) == OpKind::collective) return false;
      if (event.op == at(scenario_, sent).op && event.comm == at(scenario_, sent).comm && destination(later) == rank)
        return true;
    }
    return false;
  }

  bool is_past(std::int32_t rank) const { return rank >= 0 && graph_.terminal_of(rank) == Terminal::finalize; }

  // Is it this send, and nothing else, that its rank waits for?
  bool waits_to_send(EventRef sent) const {
    return std::any_of(graph_.nodes().begin(), graph_.nodes().end(), [&](const Node& node) {
      return node.links.size() == 1 && node.links.front().kind == model::Atom::receiver &&
             node.links.front().posted == sent;
    });
  }

  // The expected message came, and a matched probe took it away from all ordinary receives (MPI 4.1, section 3.8.2).
  std::optional<Testimony> taken_by_probe(std::int32_t rank, const Link& link) const {
    for (const auto& [sent, taker] : run_.messages) {
      if (taker.rank != rank || sent.rank != link.targets.front() || !fits(sent, link.posted)) continue;
      if (kind_of(at(scenario_, taker).op) != OpKind::probe || received_later(taker)) continue;
      return explained({rank}, {link.posted, taker, sent},
                       fmt::format("Rank {} waits in {} for a message that its {} took, which only a matched receive "
                                   "can have.",
                                   rank, event_text(scenario_, link.posted), event_text(scenario_, taker)));
    }
    return std::nullopt;
  }
  bool received_later(EventRef probe) const {
    const auto message = at(scenario_, probe).extras.message();
    const auto& events = scenario_.ranks[static_cast<std::size_t>(probe.rank)].events;
    return std::any_of(events.begin() + probe.index, events.end(), [&](const Event& event) {
      return kind_of(event.op) == OpKind::recv && message && event.extras.message() == message;
    });
  }

  // The expected message came, and an earlier wildcard took it, though another one could have served that as well.
  std::optional<Testimony> taken_by_wildcard(std::int32_t rank, const Link& link) const {
    for (auto message = run_.messages.rbegin(); message != run_.messages.rend(); ++message) {
      const EventRef sent = message->send, taker = message->recv;
      if (taker.rank != rank || sent.rank != link.targets.front() || taker == link.posted) continue;
      if (model::recv_half(at(scenario_, taker)).peer != kAny || !fits(sent, link.posted)) continue;
      const auto other = std::find_if(run_.unmatched_sends.begin(), run_.unmatched_sends.end(), [&](EventRef waiting) {
        return destination(waiting) == rank && fits(waiting, taker);
      });
      if (other == run_.unmatched_sends.end()) continue;
      return explained(
          {rank}, {taker, link.posted, sent, *other},
          fmt::format("{} of rank {} took the message of rank {} that {} is for, and left that of rank {}.",
                      event_text(scenario_, taker), rank, sent.rank, event_text(scenario_, link.posted), other->rank));
    }
    return std::nullopt;
  }

  // A matched probe took the message, and nobody received it: until then the send may wait (MPI 4.1, section 3.8.2).
  std::optional<Testimony> held_by_probe(EventRef sent) const {
    for (const auto& [send, taker] : run_.messages)
      if (send == sent && kind_of(at(scenario_, taker).op) == OpKind::probe && !received_later(taker))
        return explained({taker.rank}, {taker, sent},
                         fmt::format("Rank {} never receives the message that its {} took from rank {}.", taker.rank,
                                     event_text(scenario_, taker), sent.rank));
    return std::nullopt;
  }

  // A message to a rank that is past all calls, where another rank waits for just such a one.
  std::optional<Testimony> sent_elsewhere(EventRef sent) const {
    if (!is_past(destination(sent)) || is_habit(sent)) return std::nullopt;
    for (const Node& node : graph_.nodes())
      for (const Link& link : node.links)
        if (link.kind == model::Atom::message && link.targets == std::vector{sent.rank} && fits(sent, link.posted))
          return misdirected(sent, node.at.rank);
    return std::nullopt;
  }

  Testimony misdirected(EventRef sent, std::int32_t rank) const {
    return explained({sent.rank}, {sent},
                     fmt::format("Rank {} sent to rank {}, which does not receive it, what rank {} waits for: {}.",
                                 sent.rank, destination(sent), rank, event_text(scenario_, sent)));
  }

  const Scenario& scenario_;
  const model::Run& run_;
  const WaitGraph& graph_;
};

}  // namespace

std::optional<Testimony> explain_unanswered(const Scenario& scenario, const model::Run& run, const WaitGraph& graph,
                                            std::int32_t rank, const Link& link) {
  return Explainer(scenario, run, graph).explain(rank, link);
}

std::optional<Testimony> explain_cycle(const Scenario& scenario, const model::Run& run, const WaitGraph& graph,
                                       const Component& component, const Component& closed) {
  const Explainer explainer(scenario, run, graph);
  if (component.ranks.size() == 2)
    for (const std::uint32_t number : component.nodes)
      for (const Link& link : graph.nodes()[number].links)
        if (link.kind == model::Atom::message && link.targets.size() == 1)
          if (auto other = explainer.other_arguments(graph.nodes()[number].at.rank, link)) return other;
  std::optional<std::vector<std::int32_t>> common;  // ranks that explain every wait so far
  std::size_t waits = 0;
  for (const std::uint32_t number : closed.nodes) {
    const Node& node = graph.nodes()[number];
    for (const Link& link : node.links) {
      if (link.kind != model::Atom::message || link.targets.size() != 1) continue;
      const std::vector<std::int32_t> ranks = explainer.wrong_neighbours(node.at.rank, link);
      if (!common) common = ranks;
      std::erase_if(*common,
                    [&](std::int32_t rank) { return std::find(ranks.begin(), ranks.end(), rank) == ranks.end(); });
      ++waits;
    }
  }
  if (waits < 2 || common->size() != 1 || !explainer.sent_in_vain(common->front())) return std::nullopt;
  const std::int32_t rank = common->front();
  const EventRef call{rank, run.index[static_cast<std::size_t>(rank)]};
  return explained(
      {rank}, {call},
      fmt::format("Rank {} sends where nobody receives from it, and receives where nobody sends to it: {}.", rank,
                  event_text(scenario, call)));
}

std::optional<std::uint32_t> gathering_left_alone(const model::Run& run, const WaitGraph& graph,
                                                  const Component& component) {
  if (component.terminal != Terminal::finalize) return std::nullopt;
  const auto& all = run.gatherings.all();
  const auto arrival = [&](const model::Gathering& gathering, std::int32_t rank) {
    const std::int32_t member = run.gatherings.member_index(gathering, rank);
    return member < 0 ? model::kBefore : gathering.arrivals[static_cast<std::size_t>(member)];
  };
  const std::int32_t waiting = graph.nodes()[component.nodes.front()].at.rank;
  for (std::uint32_t number = 0; number < all.size(); ++number)
    if (arrival(all[number], waiting) == model::kAbsent &&
        std::all_of(component.ranks.begin(), component.ranks.end(),
                    [&](std::int32_t rank) { return arrival(all[number], rank) < model::kBefore; }))
      return number;
  return std::nullopt;
}

}  // namespace petri::diagnosis
