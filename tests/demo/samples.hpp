// The demo's data: readings of machines, of which a small share is faulty. Generated, so that nothing is shipped.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <random>
#include <vector>

namespace demo {

inline constexpr int kFeatures = 16;

// Columns are samples; a label is 1 for a faulty machine, else 0.
struct Samples {
  Eigen::MatrixXf inputs;
  Eigen::RowVectorXf labels;
  Eigen::Index size() const { return labels.size(); }
  Eigen::Index positives() const { return (labels.array() > 0.5F).count(); }
};

// The samples of one shard; the same for the same seed and shard. About one in eight is faulty.
Samples make_shard(std::uint64_t seed, int shard, int size);

// Batches of one shard in an order that is drawn anew for each pass over it.
class Batches {
 public:
  Batches(const Samples& samples, int batch_size, std::uint64_t seed);
  Samples next();

 private:
  void draw_order();

  const Samples* samples_;
  int batch_size_;
  std::mt19937_64 random_;
  std::vector<Eigen::Index> order_;
  std::size_t position_ = 0;
};

}  // namespace demo
