#include "harness/compare/side_by_side.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <utility>

#include "harness/compare/agreement.hpp"
#include "kernels/cpu/payload.hpp"
#include "kernels/order/allowance.hpp"

namespace petri::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Each rank contributes its list, again and again.
Rows rows_of(std::vector<std::vector<double>> lists) {
  std::vector<Payload> payloads;
  for (auto& list : lists) payloads.push_back({.values = std::move(list)});
  return [payloads](std::int32_t row, ElementType type, std::uint64_t first, std::size_t count, std::byte* out,
                    kernels::ConversionLoss* loss) {
    kernels::write_payload(payloads.at(static_cast<std::size_t>(row)), row, type, first, count, out, loss);
  };
}

Rows generated(Generator generator) {
  return [payload = Payload{.generator = generator}](std::int32_t row, ElementType type, std::uint64_t first,
                                                     std::size_t count, std::byte* out, kernels::ConversionLoss* loss) {
    kernels::write_payload(payload, row, type, first, count, out, loss);
  };
}

Configuration ordered(const std::string& order, std::int32_t ranks, ElementType type = ElementType::float32) {
  return {.order = order, .kernel = {}, .ranks = ranks, .type = type};
}

Configuration summed(kernels::SumKernel kernel, std::int32_t ranks) {
  return {.order = {}, .kernel = kernel, .ranks = ranks};
}

// ((1e8 + 1) - 1e8) + 1 = 1, (1e8 + 1) + (-1e8 + 1) = 0, and the real sum is 2.
const std::vector<std::vector<double>> kProbe{{1e8}, {1}, {-1e8}, {1}};

TEST(SideBySide, HoldsOrdersAgainstTheFirstAndTheExactSum) {
  const Reductions reductions{
      .configurations = {ordered("sequential", 4), ordered("pairwise", 4), summed(kernels::SumKernel::exact, 4)},
      .rows = rows_of(kProbe)};
  const Comparison comparison = compare_side_by_side(reductions);
  EXPECT_EQ(comparison.found[1].to_baseline.first(), (ElementPair{0, "1", "0"}));
  EXPECT_EQ(comparison.found[2].to_baseline.first(), (ElementPair{0, "1", "2"}));
  EXPECT_EQ(comparison.found[0].error.most_absolute(), 1);
  EXPECT_EQ(comparison.found[1].error.most_absolute(), 2);
  EXPECT_EQ(comparison.found[2].error.most_absolute(), 0);
  EXPECT_EQ(comparison.conditions.at({4, ElementType::float32}).most(), (2e8 + 2) / 2);
  const Agreement agreement = agreement_of(comparison);
  EXPECT_TRUE(agreement.ranks.agree());
  EXPECT_EQ(agreement.runs.asked, 0U);
  EXPECT_THAT(agreement.configurations.disagreeing, ElementsAre(1, 2));
}

TEST(SideBySide, TellsThatRanksOfOneRunDisagree) {
  const Reductions reductions{.configurations = {ordered("own-first", 3, ElementType::float64)},
                              .rows = rows_of({{1e16}, {1}, {-1e16}})};
  const Comparison comparison = compare_side_by_side(reductions);
  EXPECT_EQ(comparison.found[0].views, 3U);
  EXPECT_EQ(comparison.found[0].among_ranks.first(), (ElementPair{0, "0", "1"}));
  EXPECT_THAT(agreement_of(comparison).ranks.disagreeing, ElementsAre(0));
}

TEST(SideBySide, TellsThatRunsDisagree) {
  const Reductions reductions{.configurations = {ordered("arrival", 4), ordered("ring", 4)},
                              .count = 100,
                              .rows = generated(Generator::log_uniform),
                              .runs = 5};
  const Comparison comparison = compare_side_by_side(reductions);
  EXPECT_EQ(comparison.found[0].runs, 5U);
  EXPECT_EQ(comparison.found[1].runs, 1U);
  const Agreement agreement = agreement_of(comparison);
  EXPECT_EQ(agreement.runs.asked, 1U);
  EXPECT_THAT(agreement.runs.disagreeing, ElementsAre(0));
}

TEST(SideBySide, HoldsNoDifferentNumbersAgainstEachOther) {
  Reductions reductions{.configurations = {ordered("sequential", 2), ordered("sequential", 4)},
                        .rows = rows_of(kProbe)};
  EXPECT_EQ(agreement_of(compare_side_by_side(reductions)).configurations.asked, 0U);
  reductions.spread_rows = 4;
  // (1e8 + 1) + (-1e8 + 1), and ((1e8 + 1) - 1e8) + 1.
  const Comparison spread = compare_side_by_side(reductions);
  EXPECT_EQ(spread.found[1].to_baseline.first(), (ElementPair{0, "0", "1"}));
  EXPECT_EQ(spread.found[0].error.most_absolute(), 2);  // what the rows lose counts
  const auto moved = moved_bits(reductions, spread);
  ASSERT_EQ(moved.size(), 1U);
  EXPECT_EQ(moved[0].dimension, Dimension::ranks);
  EXPECT_EQ(moved[0].moved, 1U);
}

TEST(SideBySide, NamesTheOneDimensionThatMovedTheBits) {
  Configuration two_hosts = ordered("by-host", 4), four_hosts = two_hosts;
  two_hosts.layout = "2x2";
  two_hosts.hosts = {0, 0, 1, 1};
  four_hosts.layout = "4x1";
  four_hosts.hosts = {0, 1, 2, 3};
  Configuration ring = ordered("ring", 4), channels = ordered("ring:2", 4);
  ring.layout = channels.layout = "2x2";
  ring.hosts = channels.hosts = two_hosts.hosts;
  const Reductions reductions{.configurations = {two_hosts, four_hosts, ring, channels}, .rows = rows_of(kProbe)};
  const auto moved = moved_bits(reductions, compare_side_by_side(reductions));
  ASSERT_EQ(moved.size(), 3U);
  EXPECT_EQ(moved[0].dimension, Dimension::algorithm);  // by-host and ring on two hosts: 0 and 1
  EXPECT_EQ(moved[0].moved, 1U);
  EXPECT_EQ(moved[1].dimension, Dimension::chunking);  // one element is one chunk
  EXPECT_EQ(moved[1].moved, 0U);
  EXPECT_EQ(moved[2].dimension, Dimension::layout);
  EXPECT_EQ(moved[2].moved, 1U);
}

TEST(SideBySide, HoldsTypesAgainstEachOtherInTheCoarserOne) {
  const Reductions reductions{
      .configurations = {ordered("sequential", 2, ElementType::float64), ordered("sequential", 2, ElementType::float32),
                         ordered("sequential", 2, ElementType::bfloat16)},
      .rows = rows_of({{1}, {0x1p-10}})};
  const Comparison comparison = compare_side_by_side(reductions);
  EXPECT_EQ(comparison.found[1].to_baseline.differing(), 0U);
  EXPECT_EQ(comparison.found[2].to_baseline.differing(), 0U);
  EXPECT_EQ(comparison.found[0].digests.size(), 3U);
  EXPECT_EQ(comparison.found[2].digests.size(), 1U);
  EXPECT_EQ(coarser(ElementType::float32, ElementType::int32), std::nullopt);
}

TEST(SideBySide, LeavesTypesApartBetweenWhichNothingIsConverted) {
  for (const auto& [one, other] :
       {std::pair{ElementType::int32, ElementType::int64}, std::pair{ElementType::float16, ElementType::bfloat16}}) {
    const Reductions reductions{.configurations = {ordered("sequential", 4, one), ordered("sequential", 4, other)},
                                .rows = rows_of(kProbe)};
    EXPECT_EQ(agreement_of(compare_side_by_side(reductions)).configurations.asked, 0U);
  }
}

TEST(SideBySide, FindsTheSameWithAnyThreads) {
  Reductions reductions{.configurations = {ordered("sequential", 40), ordered("ring:3", 40), ordered("arrival", 40)},
                        .count = 30000,
                        .rows = generated(Generator::cancelling),
                        .runs = 3};
  const Comparison one = compare_side_by_side(reductions);
  reductions.threads = 3;
  const Comparison three = compare_side_by_side(reductions);
  for (std::size_t i = 0; i < 3; ++i) {
    const Found &a = one.found[i], &b = three.found[i];
    EXPECT_EQ(a.digests, b.digests);
    EXPECT_EQ(a.to_baseline.first(), b.to_baseline.first());
    EXPECT_EQ(a.to_baseline.widest(), b.to_baseline.widest());
    EXPECT_EQ(a.among_runs.differing(), b.among_runs.differing());
    EXPECT_EQ(a.error.norm_relative(), b.error.norm_relative());
    EXPECT_EQ(a.error.most_relative_at(), b.error.most_relative_at());
    EXPECT_EQ(a.error.ulps().octaves(), b.error.ulps().octaves());
  }
  EXPECT_NE(one.found[0].digests, one.found[1].digests);
}

TEST(SideBySide, RefusesWhatCannotBeMade) {
  EXPECT_THROW(compare_side_by_side({.configurations = {ordered("rnig", 4)}, .rows = rows_of(kProbe)}),
               std::invalid_argument);
  EXPECT_EQ(problem_of(ordered("rnig", 4), ReduceOp::sum, 1),
            "there is no order 'rnig' for float32 sum on 4 ranks: no order is called 'rnig'; did you mean 'ring'?");
  EXPECT_EQ(problem_of(ordered("ring", 4), ReduceOp::band, 1), "there is no band of float32");
  EXPECT_THAT(*problem_of(ordered("ring", 4, ElementType::int8), ReduceOp::sum, 1),
              ::testing::StartsWith("int8 is not reduced here, but float16, bfloat16, float32"));
  EXPECT_NE(problem_of(summed(kernels::SumKernel::exact, 4), ReduceOp::max, 1), std::nullopt);
  EXPECT_NE(problem_of(summed(kernels::SumKernel::atomic, 4), ReduceOp::sum, 1), std::nullopt);
}

TEST(SideBySide, PassesOnWhatTheRowsThrow) {
  const Reductions reductions{.configurations = {ordered("ring", 4)},
                              .rows = [](std::int32_t, ElementType, std::uint64_t, std::size_t, std::byte*,
                                         kernels::ConversionLoss*) { throw std::runtime_error("gone"); },
                              .threads = 2};
  EXPECT_THROW(compare_side_by_side(reductions), std::runtime_error);
}

// Stops when so many elements are compared.
class StopsAfter final : public Watcher {
 public:
  explicit StopsAfter(std::uint64_t elements) : elements_(elements) {}
  void begin(const Progress& progress) override {
    ++begun;
    last = progress;
  }
  bool goes_on(const Progress& progress) override {
    grows = grows && progress.done >= last.done && progress.elements >= last.elements;
    last = progress;
    return progress.elements < elements_;
  }
  int begun = 0;
  bool grows = true;
  Progress last;

 private:
  std::uint64_t elements_;
};

TEST(SideBySide, TellsItsWatcherHowFarItIsAndStops) {
  for (const int threads : {1, 3}) {
    StopsAfter watcher(20'000);
    const Reductions reductions{.configurations = {ordered("sequential", 64), ordered("pairwise", 64)},
                                .count = std::uint64_t{1} << 40,
                                .rows = generated(Generator::normal),
                                .threads = threads,
                                .watcher = &watcher};
    const Comparison comparison = compare_side_by_side(reductions);
    EXPECT_EQ(watcher.begun, 1);
    EXPECT_TRUE(watcher.grows);
    EXPECT_LT(watcher.last.done, watcher.last.all * 1e-6);
    EXPECT_GE(comparison.elements, 20'000U);
    EXPECT_LT(comparison.elements, 1'000'000U);
    EXPECT_EQ(comparison.found[1].to_baseline.elements(), comparison.elements);  // whole tiles
    EXPECT_EQ(comparison.found[1].error.elements(), comparison.elements);
    EXPECT_GT(comparison.found[1].to_baseline.differing(), 0U);
    EXPECT_THAT(comparison.found[0].digests, IsEmpty());
    EXPECT_THAT(moved_bits(reductions, comparison), IsEmpty());
  }
}

// However long a tile takes: the first one of this has 13 million numbers.
TEST(SideBySide, StopsWithinATile) {
  StopsAfter watcher(0);
  const Comparison comparison = compare_side_by_side({.configurations = {ordered("sequential", 200'000)},
                                                      .count = 1000,
                                                      .rows = generated(Generator::normal),
                                                      .threads = 2,
                                                      .watcher = &watcher});
  EXPECT_EQ(comparison.elements, 0U);
  EXPECT_LT(watcher.last.done, watcher.last.all * 0.01);
}

TEST(SideBySide, AWatcherThatOnlyLooksOnChangesNothing) {
  StopsAfter watcher(~std::uint64_t{0});
  Reductions reductions{.configurations = {ordered("sequential", 4), summed(kernels::SumKernel::exact, 4)},
                        .count = 50'000,
                        .rows = generated(Generator::cancelling)};
  const Comparison alone = compare_side_by_side(reductions);
  reductions.watcher = &watcher;
  const Comparison watched = compare_side_by_side(reductions);
  EXPECT_EQ(watched.elements, 50'000U);
  EXPECT_EQ(watched.found[1].digests, alone.found[1].digests);
}

TEST(SideBySide, RefusesWhatTakesACentury) {
  EXPECT_THROW(compare_side_by_side({.configurations = {summed(kernels::SumKernel::exact, 1)},
                                     .count = std::uint64_t{1} << 58,
                                     .rows = generated(Generator::normal)}),
               order::TooLarge);
}

// The bytes of a vector of float32.
std::vector<std::byte> vector_of(std::vector<float> values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// The probe in an order that is predicted, and what was measured of it.
Reductions measured(const std::string& order, Measurement measurement) {
  Configuration real = ordered(order, 4);
  real.measured = true;
  Reductions reductions{.configurations = {ordered(order, 4), real}, .rows = rows_of(kProbe)};
  reductions.measured.emplace().of.emplace(1, std::move(measurement));
  return reductions;
}

TEST(Measured, TakesItsPlaceBesideItsPrediction) {
  const Comparison comparison = compare_side_by_side(measured("sequential", {0, {vector_of({1})}, {{0, 0}, {0, 0}}}));
  const Found& found = comparison.found[1];
  EXPECT_EQ(found.prediction, 0U);
  EXPECT_EQ(found.views, 2U);
  EXPECT_EQ(found.runs, 2U);
  EXPECT_EQ(found.to_prediction.elements(), 2U);
  EXPECT_EQ(found.to_prediction.differing(), 0U);
  EXPECT_EQ(found.error.most_absolute(), 1);
  const Agreement agreement = agreement_of(comparison);
  EXPECT_TRUE(agreement.all());
  EXPECT_EQ(agreement.predictions.asked, 1U);
  EXPECT_EQ(agreement.ranks.asked, 2U);
  EXPECT_EQ(agreement.runs.asked, 1U);
}

TEST(Measured, DivergesWhereAGuaranteedPredictionIsNotKept) {
  Reductions reductions = measured("sequential", {0, {vector_of({2})}, {{0}}});
  reductions.tolerance.absolute = 10;
  const Comparison comparison = compare_side_by_side(reductions);
  EXPECT_EQ(comparison.found[1].to_prediction.first(), (ElementPair{0, "1", "2"}));
  const Agreement agreement = agreement_of(comparison);
  EXPECT_TRUE(agreement.configurations.agree());
  EXPECT_THAT(agreement.predictions.disagreeing, ElementsAre(1));
  EXPECT_FALSE(agreement.all());
}

TEST(Measured, IsNotHeldToAPredictionThatIsNotGuaranteed) {
  Reductions reductions =
      measured("openmpi-4.1/reduce+adapt", {0, {vector_of({1}), vector_of({2}), vector_of({0})}, {{0}, {1}, {2}}});
  reductions.tolerance.absolute = 10;
  const Comparison comparison = compare_side_by_side(reductions);
  EXPECT_EQ(comparison.found[1].determinism, order::Determinism::not_guaranteed);
  EXPECT_EQ(comparison.found[1].among_runs.differing(), 2U);
  const Agreement agreement = agreement_of(comparison);
  EXPECT_EQ(agreement.predictions.asked, 0U);
  EXPECT_THAT(agreement.runs_unknown, ElementsAre(0));
  EXPECT_TRUE(agreement.all());
}

TEST(Measured, TellsWhichRanksAndRunsDiffer) {
  const Comparison comparison =
      compare_side_by_side(measured("sequential", {0, {vector_of({1}), vector_of({2})}, {{0, 0}, {0, 1}, {1, 1}}}));
  EXPECT_EQ(comparison.found[1].among_ranks.differing(), 1U);
  EXPECT_EQ(comparison.found[1].among_runs.differing(), 1U);
}

TEST(Measured, RefusesWhatIsNoMeasurement) {
  EXPECT_THROW(compare_side_by_side(measured("sequential", {0, {vector_of({1, 2})}, {{0}}})), std::invalid_argument);
  EXPECT_THROW(compare_side_by_side(measured("sequential", {0, {vector_of({1})}, {}})), std::invalid_argument);
  Reductions none = measured("sequential", {});
  none.measured.reset();
  EXPECT_THROW(compare_side_by_side(none), std::invalid_argument);
}

}  // namespace
}  // namespace petri::compare
