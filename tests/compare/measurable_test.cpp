#include "harness/compare/measurable.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace petri::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Pair;

Configuration ordered(const std::string& order, ElementType type = ElementType::float32) {
  return {.order = order, .ranks = 4, .type = type};
}

Configuration summed(kernels::SumKernel kernel, ElementType type = ElementType::float32) {
  return {.kernel = kernel, .ranks = 4, .type = type};
}

std::string reason(const Configuration& configuration, std::uint64_t count = 1000) {
  return reason_against_measuring(configuration, ReduceOp::sum, count).value_or("");
}

TEST(Measurable, AreOpenMpisOrdersAndTheReproducibleKernel) {
  for (const char* const order : {"openmpi-4.1/allreduce", "openmpi-5.0/reduce:5+root=3", "openmpi-4.1/ireduce+adapt"})
    EXPECT_EQ(reason(ordered(order)), "") << order;
  EXPECT_EQ(reason(summed(kernels::SumKernel::reproducible)), "");
  EXPECT_EQ(reason(summed(kernels::SumKernel::reproducible, ElementType::float64)), "");
  EXPECT_EQ(reason(ordered("openmpi-4.1/allreduce:3", ElementType::float16)), "");
  EXPECT_THAT(reason(ordered("ring")), HasSubstr("only Open MPI's orders"));
  EXPECT_THAT(reason(ordered("nccl-2.30/allreduce/ring:2")), HasSubstr("only Open MPI's orders"));
  EXPECT_THAT(reason(summed(kernels::SumKernel::exact)), HasSubstr("only Open MPI's orders"));
}

TEST(Measurable, AreNotThoseThatOneHostOrMpiCannotMake) {
  EXPECT_THAT(reason(summed(kernels::SumKernel::reproducible, ElementType::bfloat16)),
              HasSubstr("float32 and float64"));
  EXPECT_THAT(reason(ordered("openmpi-4.1/reduce:6+in-order")), HasSubstr("commutes"));
  EXPECT_EQ(reason(ordered("openmpi-4.1/reduce:6+in-order", ElementType::bfloat16)), "");
  Configuration spread = ordered("openmpi-4.1/allreduce+han");
  spread.hosts = {0, 0, 0, 0};
  EXPECT_EQ(reason(spread), "");
  spread.hosts = {0, 0, 1, 1};
  EXPECT_THAT(reason(spread), HasSubstr("several hosts"));
  Configuration many = ordered("openmpi-4.1/allreduce");
  many.ranks = 65;
  EXPECT_THAT(reason(many), HasSubstr("no more than 64"));
  EXPECT_EQ(reason(ordered("openmpi-4.1/allreduce"), 1U << 28), "");
  EXPECT_THAT(reason(ordered("openmpi-4.1/allreduce"), 1U << 29), HasSubstr("2 GiB"));
  many.ranks = 64;
  EXPECT_EQ(reason(many, 1U << 24), "");
  EXPECT_THAT(reason(many, (1U << 24) + 1), HasSubstr("more than 4 GiB"));
}

TEST(Measurable, NeedOneJobForEachSetOfParameters) {
  const MeasuringPlan plan = plan_measurements(
      {.configurations = {ordered("openmpi-4.1/allreduce:3"), ordered("ring"), summed(kernels::SumKernel::reproducible),
                          ordered("openmpi-4.1/reduce+adapt"), ordered("openmpi-4.1/allreduce:3", ElementType::float16),
                          ordered("openmpi-4.1/allreduce:3+in-place")}});
  ASSERT_EQ(plan.jobs.size(), 2U);
  EXPECT_THAT(plan.jobs[0].parameters,
              ElementsAre(Pair("coll_adapt_priority", "90"), Pair("coll_adapt_reduce_algorithm", "1")));
  EXPECT_THAT(plan.jobs[0].places, ElementsAre(2, 3));
  EXPECT_THAT(plan.jobs[1].places, ElementsAre(0, 4, 5));
  EXPECT_THAT(plan.not_of, ElementsAre(Key(1)));
}

TEST(Measurable, HaveNoProblem) {
  EXPECT_THROW(plan_measurements({.configurations = {ordered("openmpi-4.1/allreduce:9")}}), std::invalid_argument);
}

TEST(Measurable, NeedAJobWithoutParametersForAKernelAlone) {
  const MeasuringPlan plan = plan_measurements({.configurations = {summed(kernels::SumKernel::reproducible)}});
  EXPECT_THAT(plan.jobs, ElementsAre(MeasuringJob{{}, {0}}));
  EXPECT_THAT(plan_measurements({.configurations = {ordered("ring")}}).jobs, IsEmpty());
}

TEST(Measurements, StandBehindTheirPredictions) {
  Reductions reductions{.configurations = {ordered("openmpi-4.1/allreduce:3"), ordered("ring"),
                                           summed(kernels::SumKernel::reproducible)}};
  Measurements measurements{.library = "a library", .not_of = {{1, "a reason"}}};
  measurements.of[0].runs = {{0}};
  measurements.of[2].runs = {{0}, {1}, {1}};
  add_measurements(std::move(measurements), reductions);
  ASSERT_EQ(reductions.configurations.size(), 5U);
  EXPECT_EQ(reductions.configurations[1].how(), "openmpi-4.1/allreduce:3, measured");
  EXPECT_EQ(reductions.configurations[4].how(), "kernel reproducible, measured");
  ASSERT_TRUE(reductions.measured);
  EXPECT_EQ(reductions.measured->library, "a library");
  EXPECT_THAT(reductions.measured->not_of, ElementsAre(Pair(2, "a reason")));
  EXPECT_THAT(reductions.measured->of, ElementsAre(Key(1), Key(4)));
  EXPECT_EQ(reductions.measured->of.at(4).prediction, 3U);
  EXPECT_EQ(distinct_results(reductions.measured->of.at(4)), 2U);
  EXPECT_THAT(differences(reductions.configurations[0], reductions.configurations[1]),
              ElementsAre(Dimension::execution));
}

}  // namespace
}  // namespace petri::compare
