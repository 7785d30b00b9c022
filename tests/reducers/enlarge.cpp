#include "tests/reducers/enlarge.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/reducers/build.hpp"

namespace petri::reduce::testing {
namespace {

constexpr std::uint32_t kFirstRequest = 1U << 20;  // beyond those of the small scenario

class Enlarger {
 public:
  Enlarger(const Scenario& small, const Surroundings& around)
      : small_(small), around_(around), big_(small.world() + around.bystanders) {
    big_.header.backend = small.header.backend;
    big_.symbols = small.symbols;
    for (std::int32_t rank = 0; rank < small.world(); ++rank) place_.push_back(place_of(rank));
    for (std::int32_t rank = 0; rank < big_.world(); ++rank) everybody_.push_back(rank);
  }

  Scenario run() {
    const std::int32_t all = add_group("everybody", everybody_);
    for (std::int32_t step = 0; step < around_.steps; ++step) perform_step(all, step);
    copy_comms();
    for (std::int32_t rank = 0; rank < small_.world(); ++rank) copy_rank(rank);
    let_bystanders_go_on();
    return std::move(big_);
  }

 private:
  // Spread: after each rank of the failure a bystander, as long as there are any.
  std::int32_t place_of(std::int32_t rank) const { return rank + std::min(rank + 1, around_.bystanders); }

  std::int32_t add_group(const std::string& name, std::vector<std::int32_t> ranks) {
    Communicator comm;
    comm.name = name;
    comm.ranks = std::move(ranks);
    if (big_.header.backend == "nccl") comm.backend = "mpi";
    return big_.add_comm(std::move(comm));
  }

  void perform_step(std::int32_t all, std::int32_t step) {
    const std::int32_t world = big_.world();
    for (std::int32_t rank = 0; rank < world; ++rank) {
      const auto call = [&](Event made) {
        if (made.count != kUnknownCount) made.dtype = ElementType::float32;
        add(big_, rank, in_step(std::move(made), step));
      };
      Event sum = collective(Op::allreduce, all, 1000);
      sum.reduce = ReduceOp::sum;
      call(sum);
      Event receive = on(message(Op::irecv, (rank + world - 1) % world, step, request_), all);
      Event send = on(message(Op::isend, (rank + 1) % world, step, request_ + 1), all);
      receive.count = send.count = 64;
      call(receive);
      call(send);
      call(wait_for_all({request_, request_ + 1}));
      call(collective(Op::allgather, pair_of(rank), 16));
    }
    request_ += 2;
  }

  // Neighbours in twos; the last of an odd number is alone.
  std::int32_t pair_of(std::int32_t rank) {
    const std::string name = "pair" + std::to_string(rank / 2);
    const std::int32_t known = big_.find_comm(name);
    if (known != kNoComm) return known;
    std::vector<std::int32_t> ranks{rank};
    if (rank + 1 < big_.world()) ranks.push_back(rank + 1);
    return add_group(name, ranks);
  }

  void copy_comms() {
    for (Communicator comm : small_.comms) {
      for (auto* ranks : {&comm.ranks, &comm.remote})
        for (std::int32_t& rank : *ranks) rank = place_[static_cast<std::size_t>(rank)];
      if (comm.name == "world") comm.name = kJob;
      if (comm.parent == "world") comm.parent = kJob;
      comm_.push_back(big_.add_comm(std::move(comm)));
    }
  }

  void copy_rank(std::int32_t from) {
    RankTrace& to = big_.ranks[static_cast<std::size_t>(place_[static_cast<std::size_t>(from)])];
    const RankTrace& trace = small_.ranks[static_cast<std::size_t>(from)];
    const std::uint32_t before = to.events.empty() ? 0 : to.events.back().seq + 1;
    for (Event event : trace.events) {
      event.seq += before;
      event.comm = comm_[static_cast<std::size_t>(event.comm)];
      if (event.extras.new_comm() != kNoComm)
        event.extras.set_new_comm(comm_[static_cast<std::size_t>(event.extras.new_comm())]);
      const std::string& bridge = event.extras.remote();
      if (event.op == Op::intercomm_create && (bridge.empty() || bridge == "world")) event.extras.set_remote(kJob);
      if (event.step != kUnset) event.step += around_.steps;
      to.events.push_back(std::move(event));
    }
    to.end = trace.end;
  }

  void let_bystanders_go_on() {
    std::vector<std::int32_t> rest;
    for (const std::int32_t rank : everybody_)
      if (std::find(place_.begin(), place_.end(), rank) == place_.end()) rest.push_back(rank);
    if (rest.empty()) return;
    const std::int32_t comm = add_group("rest", rest);
    for (const std::int32_t rank : rest) add(big_, rank, collective(Op::barrier, comm));
  }

  static constexpr const char* kJob = "job";
  const Scenario& small_;
  const Surroundings& around_;
  Scenario big_;
  std::vector<std::int32_t> place_, everybody_;
  std::vector<std::int32_t> comm_;  // of the large job, by that of the small one
  std::uint32_t request_ = kFirstRequest;
};

}  // namespace

Scenario enlarge(const Scenario& small, const Surroundings& around) {
  return Enlarger(small, around).run();
}

}  // namespace petri::reduce::testing
