#include "harness/model/rivals.hpp"

#include <algorithm>

#include "harness/model/op_rules.hpp"

namespace petri::model {

Rivals::Rivals(const Scenario& scenario, const std::vector<Lane>& lanes)
    : claims_(scenario.ranks.size()), to_come_(scenario.ranks.size()) {
  const bool threads = std::any_of(lanes.begin(), lanes.end(), [](const Lane& lane) { return lane.thread != 0; });
  if (!threads) return;
  for (const RankTrace& rank : scenario.ranks)
    for (const Event& event : rank.events)
      if (takes_message(event) && recv_half(event).tag == kAny) any_tag_.insert(event.comm);
  for (std::uint32_t number = 0; number < lanes.size(); ++number) {
    const Lane& lane = lanes[number];
    if (lane.whole || lane.is_stream()) continue;
    const auto rank = static_cast<std::size_t>(lane.rank);
    const auto& events = scenario.ranks[rank].events;
    std::map<std::uint32_t, std::uint32_t> inits;  // persistent requests of this thread
    for (const std::uint32_t index : lane.events) {
      const Event& event = events[index];
      if (form_of(event.op) == OpForm::persistent) inits[event.request] = index;
      Claims claims;
      note(event, claims);
      if (kind_of(event.op) == OpKind::start)
        for (const std::uint32_t request : requests_of(event))
          if (const auto init = inits.find(request); init != inits.end()) {
            Event call = events[init->second];
            call.op = kind_of(call.op) == OpKind::send   ? Op::isend
                      : kind_of(call.op) == OpKind::recv ? Op::irecv
                                                         : call.op;
            if (form_of(call.op) != OpForm::persistent) note(call, claims);
          }
      if (claims.own.empty()) continue;
      for (const Claim& claim : claims.own) ++to_come_[rank][claim][number];
      claims_[rank].emplace(index, std::move(claims));
    }
  }
}

void Rivals::note(const Event& event, Claims& claims) {
  if (is_positional(event.op)) {
    const auto venue = venues_.try_emplace(venue_of(event), static_cast<std::int32_t>(venues_.size())).first->second;
    claims.own.push_back({Claim::place, venue, 0, 0});
    claims.against.push_back(claims.own.back());
  }
  const OpKind kind = kind_of(event.op);
  if (form_of(event.op) == OpForm::persistent) return;  // competes when it is started
  if (kind == OpKind::send || kind == OpKind::sendrecv) {
    const Half half = send_half(event);
    note_send(event.comm, half.peer, half.tag, claims);
  }
  const bool fails = kind == OpKind::probe && form_of(event.op) == OpForm::nonblocking && event.flag != 1;
  if ((takes_message(event) || kind == OpKind::probe) && !fails) {
    const Half half = recv_half(event);
    note_recv(event.comm, half.peer, half.tag, claims);
  }
}

// Two messages on one channel differ for a receive by their tags; for one that takes any, by their order.
void Rivals::note_send(std::int32_t comm, std::int32_t peer, std::int32_t tag, Claims& claims) const {
  if (peer < 0) return;
  const Claim one{Claim::send, comm, peer, tag}, all{Claim::send_to, comm, peer, 0};
  claims.own.insert(claims.own.end(), {one, all});
  claims.against.push_back(any_tag_.contains(comm) ? all : one);
}

void Rivals::note_recv(std::int32_t comm, std::int32_t peer, std::int32_t tag, Claims& claims) {
  if (peer < 0 && peer != kAny) return;
  const auto of = [&](Claim::Kind kind, std::int32_t from, std::int32_t with) { return Claim{kind, comm, from, with}; };
  claims.own.insert(claims.own.end(), {of(Claim::recv, peer, tag), of(Claim::recv_tag, 0, tag),
                                       of(Claim::recv_from, peer, 0), of(Claim::recv_all, 0, 0)});
  auto& against = claims.against;
  if (peer == kAny && tag == kAny)
    against.push_back(of(Claim::recv_all, 0, 0));
  else if (peer == kAny)
    against.insert(against.end(), {of(Claim::recv_tag, 0, tag), of(Claim::recv_tag, 0, kAny)});
  else if (tag == kAny)
    against.insert(against.end(), {of(Claim::recv_from, peer, 0), of(Claim::recv_from, kAny, 0)});
  else
    against.insert(against.end(), {of(Claim::recv, peer, tag), of(Claim::recv, kAny, tag), of(Claim::recv, peer, kAny),
                                   of(Claim::recv, kAny, kAny)});
}

bool Rivals::contested(std::uint32_t lane, EventRef call) const {
  const auto rank = static_cast<std::size_t>(call.rank);
  const auto found = claims_[rank].find(call.index);
  if (found == claims_[rank].end()) return false;
  return std::any_of(found->second.against.begin(), found->second.against.end(), [&](const Claim& claim) {
    const auto rivals = to_come_[rank].find(claim);
    return rivals != to_come_[rank].end() && std::any_of(rivals->second.begin(), rivals->second.end(), [&](auto rival) {
             return rival.first != lane && rival.second > 0;
           });
  });
}

void Rivals::made(std::uint32_t lane, EventRef call) {
  const auto rank = static_cast<std::size_t>(call.rank);
  const auto found = claims_[rank].find(call.index);
  if (found == claims_[rank].end()) return;
  for (const Claim& claim : found->second.own) --to_come_[rank][claim][lane];
}

}  // namespace petri::model
