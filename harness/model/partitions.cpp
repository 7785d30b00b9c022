#include "harness/model/partitions.hpp"

namespace petri::model {

std::uint32_t Partitions::send_init(const Post& post, std::int32_t partitions) {
  senders_.push_back({post, 0, partitions, {}});
  return mail_.post_send(post);
}

std::uint32_t Partitions::recv_init(const Post& post) {
  receivers_.push_back({post, 0});
  return mail_.post_recv(post);
}

void Partitions::start_send(std::uint32_t send) {
  ++senders_[send].started;
  senders_[send].ready.clear();
}

void Partitions::start_recv(std::uint32_t recv) {
  ++receivers_[recv].started;
}

void Partitions::ready(std::uint32_t send, std::int32_t partition) {
  senders_[send].ready.insert(partition);
}

bool Partitions::all_ready(std::uint32_t send) const {
  return senders_[send].started > 0 && whole(senders_[send]);
}

bool Partitions::receiver_started(std::uint32_t send) const {
  const std::uint32_t recv = receiver_of(send);
  return recv != kNone && receivers_[recv].started >= senders_[send].started;
}

bool Partitions::arrived(std::uint32_t recv) const {
  const std::uint32_t send = sender_of(recv);
  if (send == kNone) return false;
  const Sender& sender = senders_[send];
  return sender.started > receivers_[recv].started || (sender.started == receivers_[recv].started && whole(sender));
}

bool Partitions::arrived(std::uint32_t recv, std::int32_t partition) const {
  const std::uint32_t send = sender_of(recv);
  if (send == kNone) return false;
  const Sender& sender = senders_[send];
  return arrived(recv) || (sender.started == receivers_[recv].started && sender.ready.count(partition) != 0);
}

}  // namespace petri::model
