#include "tests/demo/network.hpp"

#include <random>

namespace demo {
namespace {

Eigen::MatrixXf with_constant(const Eigen::MatrixXf& values) {
  Eigen::MatrixXf extended(values.rows() + 1, values.cols());
  extended.topRows(values.rows()) = values;
  extended.bottomRows(1).setOnes();
  return extended;
}

struct Forward {
  Eigen::MatrixXf inputs, hidden;    // both with the constant row
  Eigen::RowVectorXf probabilities;  // of a fault
};

Forward forward(const Parameters& parameters, const Samples& samples) {
  Forward result;
  result.inputs = with_constant(samples.inputs);
  result.hidden = with_constant((parameters.hidden * result.inputs).array().tanh().matrix());
  const Eigen::RowVectorXf logits = parameters.output * result.hidden;
  result.probabilities = (1.0F + (-logits.array()).exp()).inverse();
  return result;
}

}  // namespace

Parameters random_parameters(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> draw(0.0F, 0.3F);
  Parameters parameters;
  for (Layer* layer : {&parameters.hidden, &parameters.output})
    for (float& weight : layer->reshaped()) weight = draw(random);
  return parameters;
}

Loss loss_of(const Parameters& parameters, const Samples& batch, float positive_weight) {
  const Forward pass = forward(parameters, batch);
  const auto p = pass.probabilities.array();
  const auto y = batch.labels.array();
  const Eigen::ArrayXXf weight = 1.0F + (positive_weight - 1.0F) * y;
  constexpr float kTiny = 1e-7F;
  Loss loss;
  loss.sum = -(weight * (y * (p + kTiny).log() + (1.0F - y) * (1.0F - p + kTiny).log())).sum();
  const Eigen::RowVectorXf at_output = (weight * (p - y)).matrix();
  loss.gradient.output = at_output * pass.hidden.transpose();
  const auto hidden = pass.hidden.topRows(kHidden).array();
  const Eigen::MatrixXf at_hidden =
      ((parameters.output.leftCols(kHidden).transpose() * at_output).array() * (1.0F - hidden.square())).matrix();
  loss.gradient.hidden = at_hidden * pass.inputs.transpose();
  return loss;
}

Eigen::Index right_answers(const Parameters& parameters, const Samples& samples) {
  const Forward pass = forward(parameters, samples);
  return ((pass.probabilities.array() > 0.5F) == (samples.labels.array() > 0.5F)).count();
}

}  // namespace demo
