#include "harness/model/mail.hpp"

#include <algorithm>
#include <utility>

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
    if (fits(recv, this->send(send))) return send;
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
    if (fits(this->recv(recv), this->send(send))) return true;
  }
  return false;
}

std::uint32_t Mail::keep(const Post& post) {
  if (free_posts_.empty()) {
    posts_.push_back(post);
    return static_cast<std::uint32_t>(posts_.size() - 1);
  }
  const std::uint32_t place = free_posts_.back();
  free_posts_.pop_back();
  posts_[place] = post;
  return place;
}

void Mail::let_go(Side& side) {
  free_posts_.push_back(std::exchange(side.post, kNone));
}

void Mail::pair(Box& box, std::uint32_t send, std::uint32_t recv) {
  sends_[send].partner = recv;
  recvs_[recv].partner = send;
  box.from(this->send(send).source).sends.erase(send);
  box.recvs.erase(recv);
  wildcards_.erase(recv);
  fresh_.emplace_back(send, recv);
  if (!this->recv(recv).holds) let_go(sends_[send]);
  let_go(recvs_[recv]);
}

bool Mail::try_recv(Box& box, std::uint32_t recv) {
  const Post& post = this->recv(recv);
  if (post.source == kAny) return false;
  const std::uint32_t send = first_fitting(box, post);
  if (send == kNone || claimed_earlier(box, send, recv)) return false;
  pair(box, send, recv);
  return true;
}

void Mail::try_send(Box& box, std::uint32_t send) {
  for (const std::uint32_t recv : box.recvs) {
    const Post& post = this->recv(recv);
    if (!fits(post, this->send(send))) continue;
    // The first receive that fits decides; an older message that it would rather take is itself waiting for a wildcard.
    if (post.source != kAny && first_fitting(box, post) == send) pair(box, send, recv);
    return;
  }
}

void Mail::settle(Box& box) {
  for (bool moved = true; moved;) {
    moved = false;
    for (const std::uint32_t recv : std::vector<std::uint32_t>(box.recvs.begin(), box.recvs.end()))
      if (try_recv(box, recv)) moved = true;
  }
}

std::uint32_t Mail::post_send(const Post& post) {
  const auto number = static_cast<std::uint32_t>(sends_.size());
  sends_.push_back({post.at, kNone, keep(post)});
  Box& box = boxes_[key(post.comm, post.dest)];
  box.from(post.source).sends.push_back(number);
  try_send(box, number);
  return number;
}

std::uint32_t Mail::post_recv(const Post& post) {
  const auto number = static_cast<std::uint32_t>(recvs_.size());
  recvs_.push_back({post.at, kNone, keep(post)});
  const std::uint64_t place = key(post.comm, post.dest);
  Box& box = boxes_[place];
  box.recvs.push_back(number);
  if (post.source == kAny) wildcards_.emplace(number, place);
  try_recv(box, number);
  return number;
}

std::uint32_t Mail::fetch(std::uint32_t recv) {
  const std::uint32_t send = sender_of(recv);
  if (send == kNone)
    posts_[recvs_[recv].post].holds = false;
  else if (sends_[send].post != kNone)
    let_go(sends_[send]);
  return send;
}

std::vector<EventRef> Mail::unmatched_sends() const {
  std::vector<EventRef> unmatched;
  for (const Side& side : sends_)
    if (side.partner == kNone) unmatched.push_back(side.at);
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
  Box& box = boxes_.at(key(send(number).comm, send(number).dest));
  box.from(send(number).source).sends.erase(number);
  return true;
}

bool Mail::withdraw_recv(std::uint32_t number) {
  if (recv_matched(number)) return false;
  Box& box = boxes_.at(key(recv(number).comm, recv(number).dest));
  box.recvs.erase(number);
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
      const std::uint32_t send = first_fitting(channel, this->recv(recv));
      if (send != kNone && !claimed_earlier(box, send, recv)) wildcard.candidates.push_back(send);
    }
    if (!wildcard.candidates.empty()) open.push_back(std::move(wildcard));
  }
  return open;
}

void Mail::resolve(std::uint32_t recv, std::uint32_t send) {
  Box& box = boxes_.at(key(this->recv(recv).comm, this->recv(recv).dest));
  pair(box, send, recv);
  settle(box);
}

}  // namespace petri::model
