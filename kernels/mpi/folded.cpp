#include "kernels/mpi/folded.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "kernels/mpi/reproducible.hpp"

namespace petri::mpi {
namespace {

// So many tiles that were sent may wait for their receivers: memory stays bounded where these are slower.
constexpr std::size_t kTilesUnderWay = 8;
constexpr int kTag = 0;  // one is enough: messages of two processes do not overtake each other (MPI 4.1, section 3.5)

void check(int code) {
  if (code != MPI_SUCCESS) throw MpiError(code);
}

// A communicator for these messages alone.
class OwnCommunicator {
 public:
  explicit OwnCommunicator(MPI_Comm user) { check(MPI_Comm_dup(user, &comm_)); }
  ~OwnCommunicator() { MPI_Comm_free(&comm_); }
  OwnCommunicator(const OwnCommunicator&) = delete;
  OwnCommunicator& operator=(const OwnCommunicator&) = delete;
  MPI_Comm comm() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

struct Message {
  std::vector<std::byte> bytes;
  MPI_Request request = MPI_REQUEST_NULL;
};

class MpiLink : public order::Link {
 public:
  explicit MpiLink(MPI_Comm comm) : comm_(comm) {}

  void send(std::int32_t process, std::vector<std::byte> bytes) override {
    if (sent_.size() == kTilesUnderWay) {
      check(MPI_Wait(&sent_.front().request, MPI_STATUS_IGNORE));
      sent_.pop_front();
    }
    Message& message = sent_.emplace_back(Message{std::move(bytes)});
    check(MPI_Isend(message.bytes.data(), static_cast<int>(message.bytes.size()), MPI_BYTE, process, kTag, comm_,
                    &message.request));
  }

  std::size_t expect(std::int32_t process, std::size_t bytes) override {
    Message& message = expected_.emplace(next_, Message{std::vector<std::byte>(bytes)}).first->second;
    check(MPI_Irecv(message.bytes.data(), static_cast<int>(bytes), MPI_BYTE, process, kTag, comm_, &message.request));
    return next_++;
  }

  std::vector<std::byte> take(std::size_t number) override {
    auto message = expected_.extract(number);
    check(MPI_Wait(&message.mapped().request, MPI_STATUS_IGNORE));
    return std::move(message.mapped().bytes);
  }

  void finish() {
    for (Message& message : sent_) check(MPI_Wait(&message.request, MPI_STATUS_IGNORE));
    sent_.clear();
  }

 private:
  MPI_Comm comm_;
  std::deque<Message> sent_;
  std::map<std::size_t, Message> expected_;
  std::size_t next_ = 0;
};

}  // namespace

void evaluate_folded(const order::Order& order, const kernels::Arithmetic& arithmetic, MPI_Comm comm,
                     const order::Contribution& contribution, const order::Consumer& consume, std::int32_t view) {
  const OwnCommunicator own(comm);
  int rank = 0, size = 0;
  check(MPI_Comm_rank(own.comm(), &rank));
  check(MPI_Comm_size(own.comm(), &size));
  MpiLink link(own.comm());
  order::evaluate_folded(order, arithmetic, size, rank, contribution, link, consume, view);
  link.finish();
}

}  // namespace petri::mpi
