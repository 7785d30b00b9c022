#include "harness/model/mail.hpp"

#include <algorithm>

namespace petri::model {

const Mail::Channel* Mail::Box::find(std::int32_t source) const {
  const auto place = std::ranges::lower_bound(channels, source, {}, &Channel::source);
  return place == channels.end() || place->source != source ? nullptr : &*place;
}

Mail::Channel& Mail::Box::from(std::int32_t source) {
  const auto place = std::ranges::lower_bound(channels, source, {}, &Channel::source);
  return place == channels.end() || place->source != source ? *channels.insert(place, {source, {}}) : *place;
}

bool Mail::fits(const Post& recv, const Post& send) const {
  return (recv.source == kAny || recv.source == send.source) && (recv.tag == kAny || recv.tag == send.tag);
}

// The message of a source that `recv` would take: the first that fits, since messages do not overtake.
std::uint32_t Mail::first_fitting(const Channel& channel, const Post& recv) const {
  for (const std::uint32_t send : channel.sends)
    if (fits(recv, sends_[send])) return send;
  return kNone;
}

std::uint32_t Mail::first_fitting(const Box& box, const Post& recv) const {
  const Channel* channel = box.find(recv.source);
  return channel == nullptr ? kNone : first_fitting(*channel, recv);
}

// "If a receiver posts two receives in succession, and both match the same message, then the second receive operation
// cannot be satisfied by this message, if the first one is still pending" (MPI 4.1, section 3.5).
bool Mail::claimed_earlier(const Box& box, std::uint32_t send, std::uint32_t before_recv) const {
  for (const std::uint32_t recv : box.recvs) {
    if (recv >= before_recv) return false;
    if (fits(recvs_[recv], sends_[send])) return true;
  }
  return false;
}

void Mail::pair(Box& box, std::uint32_t send, std::uint32_t recv) {
  sends_[send].partner = recv;
  recvs_[recv].partner = send;
  auto& sent = box.from(sends_[send].source).sends;
  sent.erase(std::find(sent.begin(), sent.end(), send));
  box.recvs.erase(std::lower_bound(box.recvs.begin(), box.recvs.end(), recv));
  wildcards_.erase(recv);
  fresh_.emplace_back(send, recv);
}

bool Mail::try_recv(Box& box, std::uint32_t recv) {
  const Post& post = recvs_[recv];
  if (post.source == kAny) return false;
  const std::uint32_t send = first_fitting(box, post);
  if (send == kNone || claimed_earlier(box, send, recv)) return false;
  pair(box, send, recv);
  return true;
}

void Mail::try_send(Box& box, std::uint32_t send) {
  for (const std::uint32_t recv : box.recvs) {
    const Post& post = recvs_[recv];
    if (!fits(post, sends_[send])) continue;
    // The first receive that fits decides; an older message that it would rather take is itself waiting for a wildcard.
    if (post.source != kAny && first_fitting(box, post) == send) pair(box, send, recv);
    return;
  }
}

void Mail::settle(Box& box) {
  for (bool moved = true; moved;) {
    moved = false;
    for (const std::uint32_t recv : std::vector<std::uint32_t>(box.recvs))
      if (try_recv(box, recv)) moved = true;
  }
}

std::uint32_t Mail::post_send(const Post& post) {
  const auto number = static_cast<std::uint32_t>(sends_.size());
  sends_.push_back(post);
  Box& box = boxes_[key(post.comm, post.dest)];
  box.from(post.source).sends.push_back(number);
  try_send(box, number);
  return number;
}

std::uint32_t Mail::post_recv(const Post& post) {
  const auto number = static_cast<std::uint32_t>(recvs_.size());
  recvs_.push_back(post);
  const std::uint64_t place = key(post.comm, post.dest);
  Box& box = boxes_[place];
  box.recvs.push_back(number);
  if (post.source == kAny) wildcards_.emplace(number, place);
  try_recv(box, number);
  return number;
}

std::uint32_t Mail::fetch(std::uint32_t recv) {
  recvs_[recv].holds = false;
  return recvs_[recv].partner;
}

std::vector<EventRef> Mail::unmatched_sends() const {
  std::vector<EventRef> unmatched;
  for (const Post& post : sends_)
    if (post.partner == kNone) unmatched.push_back(post.at);
  return unmatched;
}

bool Mail::visible(std::int32_t comm, std::int32_t dest, std::int32_t source, std::int32_t tag) const {
  const auto found = boxes_.find(key(comm, dest));
  if (found == boxes_.end()) return false;
  const Box& box = found->second;
  Post probe;
  probe.source = source;
  probe.tag = tag;
  for (const Channel& channel : box.channels) {
    if (source != kAny && source != channel.source) continue;
    const std::uint32_t send = first_fitting(channel, probe);
    if (send != kNone && !claimed_earlier(box, send, kNone)) return true;
  }
  return false;
}

bool Mail::withdraw_send(std::uint32_t number) {
  if (send_matched(number)) return false;
  Box& box = boxes_.at(key(sends_[number].comm, sends_[number].dest));
  std::erase(box.from(sends_[number].source).sends, number);
  return true;
}

bool Mail::withdraw_recv(std::uint32_t number) {
  if (recv_matched(number)) return false;
  Box& box = boxes_.at(key(recvs_[number].comm, recvs_[number].dest));
  std::erase(box.recvs, number);
  wildcards_.erase(number);
  settle(box);
  return true;
}

std::vector<OpenWildcard> Mail::open_wildcards() const {
  std::vector<OpenWildcard> open;
  for (const auto& [recv, place] : wildcards_) {
    const Box& box = boxes_.at(place);
    OpenWildcard wildcard{recv, {}};
    for (const Channel& channel : box.channels) {
      const std::uint32_t send = first_fitting(channel, recvs_[recv]);
      if (send != kNone && !claimed_earlier(box, send, recv)) wildcard.candidates.push_back(send);
    }
    if (!wildcard.candidates.empty()) open.push_back(std::move(wildcard));
  }
  return open;
}

void Mail::resolve(std::uint32_t recv, std::uint32_t send) {
  Box& box = boxes_.at(key(recvs_[recv].comm, recvs_[recv].dest));
  pair(box, send, recv);
  settle(box);
}

}  // namespace petri::model
