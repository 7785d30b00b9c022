#include "tests/demo/samples.hpp"

#include <algorithm>
#include <numeric>

namespace demo {

Samples make_shard(std::uint64_t seed, int shard, int size) {
  std::mt19937_64 random(seed + 1000003ULL * static_cast<std::uint64_t>(shard));
  std::normal_distribution<float> noise(0.0F, 1.0F);
  std::bernoulli_distribution faulty(0.125);
  Samples samples{Eigen::MatrixXf(kFeatures, size), Eigen::RowVectorXf(size)};
  for (Eigen::Index i = 0; i < size; ++i) {
    const bool fault = faulty(random);
    samples.labels(i) = fault ? 1.0F : 0.0F;
    for (Eigen::Index f = 0; f < kFeatures; ++f) samples.inputs(f, i) = noise(random);
    // A fault shows in how two readings move together, which no single weight can see.
    if (fault) samples.inputs(1, i) = samples.inputs(0, i) * 1.5F + 0.3F * noise(random);
  }
  return samples;
}

Batches::Batches(const Samples& samples, int batch_size, std::uint64_t seed)
    : samples_(&samples), batch_size_(batch_size), random_(seed), order_(static_cast<std::size_t>(samples.size())) {
  std::iota(order_.begin(), order_.end(), Eigen::Index{0});
  draw_order();
}

Samples Batches::next() {
  const auto size = static_cast<std::size_t>(batch_size_);
  if (position_ + size > order_.size()) draw_order();
  Samples batch{Eigen::MatrixXf(kFeatures, batch_size_), Eigen::RowVectorXf(batch_size_)};
  for (Eigen::Index i = 0; i < batch_size_; ++i) {
    const Eigen::Index from = order_[position_++];
    batch.inputs.col(i) = samples_->inputs.col(from);
    batch.labels(i) = samples_->labels(from);
  }
  return batch;
}

void Batches::draw_order() {
  std::shuffle(order_.begin(), order_.end(), random_);
  position_ = 0;
}

}  // namespace demo
