#include "tests/jobs/builder.hpp"

namespace petri::jobs {
namespace {

constexpr std::int32_t kLayers = 2, kMicrobatches = 2;
constexpr std::uint64_t kMostTokens = 512;  // from one rank to the experts of another
constexpr std::int64_t kDense[] = {524288, 262144}, kExpert = 786432;

class Mixture {
 public:
  explicit Mixture(const JobSize& size)
      : build_("moe", "moe.cpp", size),
        size_(size),
        experts_(size.world >= 16 ? largest_divisor(size.world, {2, 4, 8}) : largest_divisor(size.world, {2, 4})),
        groups_(strided_groups(size.world, experts_, 1)) {}

  Job make() {
    expert_comm_ = build_.split("expert", 40, groups_);
    replica_comm_ = build_.split("expert_data", 44, strided_groups(size_.world, size_.world / experts_, experts_));
    for (std::int32_t step = 0; step < size_.steps; ++step) {
      build_.in_step(step);
      for (std::int32_t rank = 0; rank < build_.world(); ++rank) {
        for (std::int32_t microbatch = 0; microbatch < kMicrobatches; ++microbatch) {
          build_.in_microbatch(microbatch);
          for (std::int32_t layer = 0; layer < kLayers; ++layer) pass_forward(rank, pass(step, microbatch, layer));
          for (std::int32_t layer = kLayers; layer-- > 0;) pass_backward(rank, pass(step, microbatch, layer));
        }
        build_.in_microbatch(kUnset);
        reduce_gradients(rank);
      }
      build_.meet(133);  // the loss
    }
    return build_.finish(150);
  }

 private:
  static std::uint64_t pass(std::int32_t step, std::int32_t microbatch, std::int32_t layer) {
    return static_cast<std::uint64_t>((step * kMicrobatches + microbatch) * kLayers + layer);
  }

  // Tokens from each rank of the group to the experts of `rank` or, with `sent`, from there to theirs.
  std::vector<std::int64_t> tokens(std::int32_t rank, std::uint64_t pass, bool sent) const {
    std::vector<std::int64_t> counts;
    for (const std::int32_t other : groups_[static_cast<std::size_t>(rank / experts_)]) {
      const auto from = static_cast<std::uint64_t>(sent ? rank : other),
                 to = static_cast<std::uint64_t>(sent ? other : rank);
      counts.push_back(static_cast<std::int64_t>(hashed(size_.seed, pass, from, to, kMostTokens)));
    }
    return counts;
  }

  // `out`: from the tokens' owners to the experts; otherwise back.
  void route(std::int32_t rank, int line, std::uint64_t pass, bool out) {
    Event event = on(expert_comm_[static_cast<std::size_t>(rank)], call(Op::alltoallv));
    event.dtype = ElementType::bfloat16;
    event.extras.set_sendcounts(tokens(rank, pass, out));
    event.extras.set_recvcounts(tokens(rank, pass, !out));
    build_.add(rank, line, std::move(event));
  }

  void pass_forward(std::int32_t rank, std::uint64_t pass) {
    build_.add(rank, 71, on(expert_comm_[static_cast<std::size_t>(rank)], data(Op::alltoall, 1, ElementType::int32)));
    route(rank, 78, pass, true);
    route(rank, 85, pass, false);
  }

  void pass_backward(std::int32_t rank, std::uint64_t pass) {
    route(rank, 97, pass, true);
    route(rank, 104, pass, false);
  }

  void reduce_gradients(std::int32_t rank) {
    std::vector<std::uint32_t> requests;
    for (const std::int64_t bucket : kDense)
      requests.push_back(build_.begin(rank, 118, reduction(Op::iallreduce, bucket)));
    if (experts_ < size_.world)
      requests.push_back(build_.begin(
          rank, 122, on(replica_comm_[static_cast<std::size_t>(rank)], reduction(Op::iallreduce, kExpert))));
    build_.add(rank, 126, wait_all(std::move(requests)));
  }

  JobBuilder build_;
  JobSize size_;
  std::int32_t experts_;                                  // ranks that have all experts together
  std::vector<std::vector<std::int32_t>> groups_;         // of such ranks
  std::vector<std::int32_t> expert_comm_, replica_comm_;  // by rank
};

}  // namespace

Job moe(const JobSize& size) {
  return Mixture(size).make();
}

}  // namespace petri::jobs
