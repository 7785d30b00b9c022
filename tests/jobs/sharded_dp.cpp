#include <iterator>

#include "tests/jobs/builder.hpp"

namespace petri::jobs {
namespace {

constexpr std::int64_t kShard[] = {65536, 32768, 32768, 32768, 32768, 16384};  // elements a rank holds, by layer
constexpr std::int32_t kLayers = static_cast<std::int32_t>(std::size(kShard));

class Sharded {
 public:
  explicit Sharded(const JobSize& size)
      : build_("sharded-dp", "fsdp.cpp", size),
        size_(size),
        shards_(size.world >= 16 ? largest_divisor(size.world, {2, 4, 8}) : largest_divisor(size.world, {2, 4})) {}

  Job make() {
    shard_comm_ = build_.split("shard", 33, strided_groups(size_.world, shards_, 1));
    replica_comm_ = build_.split("replica", 37, strided_groups(size_.world, size_.world / shards_, shards_));
    for (std::int32_t step = 0; step < size_.steps; ++step) {
      build_.in_step(step);
      for (std::int32_t rank = 0; rank < build_.world(); ++rank) {
        pass_forward(rank);
        pass_backward(rank);
      }
      build_.meet(141);  // the norm of the gradients
    }
    return build_.finish(160);
  }

 private:
  std::uint32_t gather(std::int32_t rank, int line, std::int32_t layer) {
    return build_.begin(
        rank, line,
        on(shard_comm_[static_cast<std::size_t>(rank)], data(Op::iallgather, kShard[layer], ElementType::bfloat16)));
  }

  // While a layer computes, the weights of the next one come.
  void pass_forward(std::int32_t rank) {
    std::uint32_t coming = gather(rank, 70, 0);
    for (std::int32_t layer = 0; layer < kLayers; ++layer) {
      const std::uint32_t here = coming;
      if (layer + 1 < kLayers) coming = gather(rank, 76, layer + 1);
      build_.wait(rank, 80, here);
    }
  }

  // Gradients of a layer are scattered while the layer before it computes; then the replicas sum theirs.
  void pass_backward(std::int32_t rank) {
    const std::int32_t own = shard_comm_[static_cast<std::size_t>(rank)];
    std::vector<std::uint32_t> summed;
    std::uint32_t coming = gather(rank, 95, kLayers - 1), scattered = kNoRequest;
    for (std::int32_t layer = kLayers; layer-- > 0;) {
      const std::uint32_t here = coming;
      if (layer > 0) coming = gather(rank, 101, layer - 1);
      build_.wait(rank, 104, here);
      if (scattered != kNoRequest) sum_over_replicas(rank, scattered, layer + 1, summed);
      scattered = build_.begin(rank, 112, on(own, reduction(Op::ireduce_scatter_block, kShard[layer])));
    }
    sum_over_replicas(rank, scattered, 0, summed);
    if (!summed.empty()) build_.add(rank, 131, wait_all(std::move(summed)));
  }

  void sum_over_replicas(std::int32_t rank, std::uint32_t scattered, std::int32_t layer,
                         std::vector<std::uint32_t>& summed) {
    build_.wait(rank, 118, scattered);
    if (shards_ == size_.world) return;
    const std::int32_t comm = replica_comm_[static_cast<std::size_t>(rank)];
    summed.push_back(build_.begin(rank, 122, on(comm, reduction(Op::iallreduce, kShard[layer]))));
  }

  JobBuilder build_;
  JobSize size_;
  std::int32_t shards_;                                  // ranks that hold all weights together
  std::vector<std::int32_t> shard_comm_, replica_comm_;  // by rank
};

}  // namespace

Job sharded_dp(const JobSize& size) {
  return Sharded(size).make();
}

}  // namespace petri::jobs
