#include <utility>

#include "tests/jobs/builder.hpp"
#include "tests/jobs/pipeline.hpp"

namespace petri::jobs {
namespace {

constexpr std::int32_t kActivations = 1, kGradients = 2;  // tags
constexpr std::int64_t kHidden = 65536;
constexpr std::int64_t kBuckets[] = {1048576, 1048576, 524288, 65536};
constexpr std::int64_t kEmbedding = 262144;
constexpr std::int32_t kChunks = 2;

// Ranks are numbered tensor first, then data, then pipeline.
class Training {
 public:
  Training(std::string_view name, const JobSize& size, bool chunked)
      : build_(name, "train_3d.cpp", size),
        size_(size),
        tensor_(size.world >= 64 ? largest_divisor(size.world, {2, 4})
                : chunked        ? 1
                                 : largest_divisor(size.world, {2})),
        stages_(chunked || size.world >= 64 ? largest_divisor(size.world / tensor_, {2, 3, 4})
                                            : largest_divisor(size.world / tensor_, {2})),
        replicas_(size.world / tensor_ / stages_),
        chunks_(chunked && stages_ > 2 ? kChunks : 1) {}

  Job make() {
    make_groups();
    for (std::int32_t step = 0; step < size_.steps; ++step) {
      build_.in_step(step);
      for (std::int32_t rank = 0; rank < build_.world(); ++rank) {
        run_pipeline(rank);
        reduce_gradients(rank);
        if (stages_ > 1 && (stage_of(rank) == 0 || stage_of(rank) == stages_ - 1))
          build_.add(rank, 188, on(at(embedding_, rank), reduction(Op::allreduce, kEmbedding)));
      }
      build_.meet(196);  // the norm of the gradients
    }
    return build_.finish(214);
  }

 private:
  static std::int32_t at(const std::vector<std::int32_t>& by_rank, std::int32_t rank) {
    return by_rank[static_cast<std::size_t>(rank)];
  }
  std::int32_t stage_of(std::int32_t rank) const { return rank / (tensor_ * replicas_); }

  void make_groups() {
    const std::int32_t world = build_.world();
    tensor_comm_ = build_.split("tensor", 61, strided_groups(world, tensor_, 1));
    data_comm_ = build_.split("data", 66, strided_groups(world, replicas_, tensor_));
    pipeline_comm_ = build_.split("pipeline", 71, strided_groups(world, stages_, tensor_ * replicas_));
    if (stages_ == 1) return;
    // First and last stage share the embedding; the stages between them are in groups of their own.
    std::vector<std::vector<std::int32_t>> ends;
    for (auto& line : strided_groups(world, stages_, tensor_ * replicas_)) {
      ends.push_back({line.front(), line.back()});
      for (std::size_t middle = 1; middle + 1 < line.size(); ++middle) ends.push_back({line[middle]});
    }
    embedding_ = build_.split("embedding", 77, ends);
  }

  // A layer's two halves, attention and feed-forward, are summed over the tensor group.
  void run_layers(std::int32_t rank, int line, std::int32_t microbatch) {
    build_.in_microbatch(microbatch);
    if (tensor_ == 1) return;
    for (const int half : {0, 5})
      build_.add(rank, line + half, on(at(tensor_comm_, rank), reduction(Op::allreduce, kHidden)));
  }

  void exchange(std::int32_t rank, const Slot& slot) {
    const std::int32_t stage = stage_of(rank), comm = at(pipeline_comm_, rank);
    const std::int32_t next = (stage + 1) % stages_, previous = (stage + stages_ - 1) % stages_;
    struct Half {
      bool wanted, receives;
      std::int32_t peer, tag;
    };
    const Half halves[] = {{slot.recv_forward, true, previous, kActivations},
                           {slot.recv_backward, true, next, kGradients},
                           {slot.send_forward, false, next, kActivations},
                           {slot.send_backward, false, previous, kGradients}};
    const int several = slot.recv_forward + slot.recv_backward + slot.send_forward + slot.send_backward > 1;
    std::vector<std::uint32_t> requests;
    for (const Half& half : halves) {
      if (!half.wanted) continue;
      const Op op = several ? (half.receives ? Op::irecv : Op::isend) : (half.receives ? Op::recv : Op::send);
      Event event = on(comm, message(op, half.peer, half.tag, kHidden, ElementType::bfloat16));
      if (several)
        requests.push_back(build_.begin(rank, 112 + half.receives, std::move(event)));
      else
        build_.add(rank, 104 + half.receives, std::move(event));
    }
    if (several) build_.add(rank, 117, wait_all(std::move(requests)));
  }

  void run_pipeline(std::int32_t rank) {
    const std::int32_t stage = stage_of(rank), microbatches = 2 * stages_;
    const auto slots = chunks_ > 1 ? interleaved(stage, stages_, microbatches, chunks_)
                                   : one_forward_one_backward(stage, stages_, microbatches);
    for (const Slot& slot : slots) {
      const bool both = slot.pass == Slot::Pass::both;
      if (both || slot.pass == Slot::Pass::forward) run_layers(rank, 131, slot.forward_microbatch);
      if (both || slot.pass == Slot::Pass::backward) run_layers(rank, 149, slot.backward_microbatch);
      exchange(rank, slot);
    }
    build_.in_microbatch(kUnset);
  }

  void reduce_gradients(std::int32_t rank) {
    if (replicas_ == 1) return;
    std::vector<std::uint32_t> requests;
    for (const std::int64_t bucket : kBuckets)
      requests.push_back(build_.begin(rank, 171, on(at(data_comm_, rank), reduction(Op::iallreduce, bucket))));
    build_.add(rank, 174, wait_all(std::move(requests)));
  }

  JobBuilder build_;
  JobSize size_;
  std::int32_t tensor_, stages_, replicas_, chunks_;
  std::vector<std::int32_t> tensor_comm_, data_comm_, pipeline_comm_, embedding_;  // by rank
};

}  // namespace

Job training_3d(const JobSize& size) {
  return Training("training-3d", size, false).make();
}

Job training_3d_interleaved(const JobSize& size) {
  return Training("training-3d-interleaved", size, true).make();
}

}  // namespace petri::jobs
