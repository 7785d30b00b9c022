// Partitioned communication (MPI 4.1, chapter 4): its sides meet once, in the order of their inits, and never meet
// ordinary messages. The n-th start of one side then belongs to the n-th start of the other.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "harness/model/mail.hpp"

namespace petri::model {

class Partitions {
 public:
  // Init calls. `partitions` is how many the sender must mark ready.
  std::uint32_t send_init(const Post& post, std::int32_t partitions);
  std::uint32_t recv_init(const Post& post);

  void start_send(std::uint32_t send);
  void start_recv(std::uint32_t recv);
  void ready(std::uint32_t send, std::int32_t partition);

  const Post& send(std::uint32_t number) const { return senders_[number].post; }
  const Post& recv(std::uint32_t number) const { return receivers_[number].post; }
  // The other side that it has met, or kNone.
  std::uint32_t receiver_of(std::uint32_t send) const { return mail_.receiver_of(send); }
  std::uint32_t sender_of(std::uint32_t recv) const { return mail_.sender_of(recv); }

  // Has each side of the pair that these two are begun? False where one is kNone.
  bool both_started(std::uint32_t send, std::uint32_t recv) const {
    return send != kNone && recv != kNone && senders_[send].started > 0 && receivers_[recv].started > 0;
  }
  bool all_ready(std::uint32_t send) const;
  // The other side has started as often as this one.
  bool receiver_started(std::uint32_t send) const;
  bool arrived(std::uint32_t recv) const;
  bool arrived(std::uint32_t recv, std::int32_t partition) const;

 private:
  struct Sender {
    Post post;
    std::uint32_t started = 0;
    std::int32_t partitions = 0;
    std::set<std::int32_t> ready;  // of the latest start
  };
  struct Receiver {
    Post post;
    std::uint32_t started = 0;
  };
  bool whole(const Sender& sender) const { return static_cast<std::int32_t>(sender.ready.size()) >= sender.partitions; }

  Mail mail_;
  std::vector<Sender> senders_;
  std::vector<Receiver> receivers_;
};

}  // namespace petri::model
