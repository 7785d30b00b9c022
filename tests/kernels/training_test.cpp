// Gradients as payload: what the demo's network has for the same numbers, in whatever pieces they are asked for.
#include "kernels/cpu/training.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

#include "tests/demo/network.hpp"

namespace petri::kernels::training {
namespace {

static_assert(kFeatures == demo::kFeatures && kHidden == demo::kHidden);

std::vector<float> written(std::uint64_t seed, std::int32_t rank, std::uint64_t first, std::size_t count) {
  std::vector<float> out(count);
  write_gradients(seed, 1, rank, ElementType::float32, first, count, reinterpret_cast<std::byte*>(out.data()));
  return out;
}

demo::Parameters as_in_the_demo(const Parameters& parameters) {
  demo::Parameters same;
  for (std::size_t unit = 0; unit < kHidden; ++unit) {
    same.output(0, static_cast<int>(unit)) = parameters.output[unit];
    for (std::size_t f = 0; f <= kFeatures; ++f)
      same.hidden(static_cast<int>(unit), static_cast<int>(f)) = parameters.hidden[unit][f];
  }
  same.output(0, static_cast<int>(kHidden)) = parameters.output[kHidden];
  return same;
}

demo::Samples as_in_the_demo(const Batch& batch) {
  demo::Samples same{Eigen::MatrixXf(demo::kFeatures, batch.size()), Eigen::RowVectorXf(batch.size())};
  for (std::size_t i = 0; i < batch.size(); ++i) {
    same.labels(static_cast<int>(i)) = batch[i].label;
    for (std::size_t f = 0; f < kFeatures; ++f)
      same.inputs(static_cast<int>(f), static_cast<int>(i)) = batch[i].inputs[f];
  }
  return same;
}

TEST(Training, gradients_are_those_of_the_demos_network) {
  for (const std::int32_t rank : {0, 5}) {
    const Parameters parameters = parameters_of(7);
    const Batch batch = batch_of(7, rank, 3);
    const Parameters ours = gradient_of(parameters, batch);
    const demo::Parameters theirs =
        demo::loss_of(as_in_the_demo(parameters), as_in_the_demo(batch), kFaultyWeight).gradient;
    const demo::Parameters same = as_in_the_demo(ours);
    EXPECT_LT((same.hidden - theirs.hidden).norm(), 1e-5F * theirs.hidden.norm());
    EXPECT_LT((same.output - theirs.output).norm(), 1e-5F * theirs.output.norm());
    EXPECT_GT(theirs.hidden.norm(), 1);
    const std::vector<float> all = written(7, rank, 3 * kParameters, kParameters);
    EXPECT_EQ(std::vector<float>(all.begin(), all.begin() + kHidden + 1),
              std::vector<float>(ours.output.begin(), ours.output.end()));
    EXPECT_EQ(all.back(), ours.hidden.back().back());
  }
}

TEST(Training, going_down_the_gradient_lowers_the_loss) {
  const demo::Samples batch = as_in_the_demo(batch_of(1, 0, 0));
  demo::Parameters parameters = as_in_the_demo(parameters_of(1));
  const float before = demo::loss_of(parameters, batch, kFaultyWeight).sum;
  const demo::Parameters gradient = as_in_the_demo(gradient_of(parameters_of(1), batch_of(1, 0, 0)));
  parameters.hidden -= 0.001F * gradient.hidden;
  parameters.output -= 0.001F * gradient.output;
  EXPECT_LT(demo::loss_of(parameters, batch, kFaultyWeight).sum, before);
}

TEST(Training, pieces_are_those_of_the_whole_on_any_thread) {
  const std::vector<float> whole = written(1, 2, 0, 2000);
  std::vector<float> piece;
  std::thread([&] { piece = written(1, 2, 400, 600); }).join();
  EXPECT_TRUE(std::equal(piece.begin(), piece.end(), whole.begin() + 400));
  written(2, 2, 0, 10);  // another training
  EXPECT_EQ(written(1, 2, 1999, 1).front(), whole.back());
}

TEST(Training, ranks_batches_and_seeds_differ) {
  std::set<std::vector<float>> all;
  for (const std::int32_t rank : {0, 1}) {
    all.insert(written(1, rank, 0, kParameters));
    all.insert(written(1, rank, kParameters, kParameters));
    all.insert(written(2, rank, 0, kParameters));
  }
  EXPECT_EQ(all.size(), 6U);
  int faulty = 0;
  for (std::uint64_t number = 0; number < 50; ++number)
    for (const Sample& sample : batch_of(1, 0, number)) faulty += sample.label > 0 ? 1 : 0;
  EXPECT_NEAR(faulty, 400, 80);
}

// The same bits on every machine: as gcc and clang made them, without and with optimization and vectors.
TEST(Training, numbers_stay) {
  EXPECT_EQ(written(0, 0, 0, 3), (std::vector<float>{0x1.4b80f2p+2F, -0x1.3892bcp+2F, 0x1.919f08p+3F}));
  EXPECT_EQ(written(0, 0, kParameters - 1, 1).front(), 0x1.b24d5cp+1F);
}

}  // namespace
}  // namespace petri::kernels::training
