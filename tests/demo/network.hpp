// A network with one hidden layer and one output, its loss and the gradients of that loss.
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "tests/demo/samples.hpp"

namespace demo {

inline constexpr int kHidden = 24;

// The weights of one layer, and equally their gradients: the last column belongs to the constant input.
using Layer = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Parameters {
  Layer hidden{kHidden, kFeatures + 1};
  Layer output{1, kHidden + 1};
};

Parameters random_parameters(std::uint64_t seed);

struct Loss {
  float sum = 0;  // over the batch
  Parameters gradient;
};

// Cross-entropy; a faulty sample weighs `positive_weight` times as much as a good one.
Loss loss_of(const Parameters& parameters, const Samples& batch, float positive_weight);

// How many samples are classified rightly.
Eigen::Index right_answers(const Parameters& parameters, const Samples& samples);

}  // namespace demo
