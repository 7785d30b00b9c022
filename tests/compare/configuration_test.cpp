#include "harness/compare/configuration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petri::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Configuration ordered(const std::string& order) {
  return {.order = order, .kernel = {}, .ranks = 8};
}

TEST(Configuration, TakesAnOrdersNameApart) {
  const Configuration ring = ordered("nccl-2.30/allreduce/ring/ll:2@float32");
  EXPECT_EQ(value_of(ring, Dimension::algorithm), "nccl/allreduce/ring/ll");
  EXPECT_EQ(value_of(ring, Dimension::library), "2.30");
  EXPECT_EQ(value_of(ring, Dimension::chunking), "2");
  EXPECT_EQ(value_of(ring, Dimension::accumulator), "float32");
  EXPECT_EQ(value_of(ring, Dimension::kernel), "");
  const Configuration reduce = ordered("openmpi-4.1/reduce:5+segment=1024+root=3");
  EXPECT_EQ(value_of(reduce, Dimension::algorithm), "openmpi/reduce:5+root=3");
  EXPECT_EQ(value_of(reduce, Dimension::chunking), "segment=1024");
  EXPECT_EQ(value_of(ordered("recursive-doubling"), Dimension::algorithm), "recursive-doubling");
}

TEST(Configuration, TellsInWhatTwoDiffer) {
  EXPECT_THAT(differences(ordered("ring:2"), ordered("ring:2")), IsEmpty());
  EXPECT_THAT(differences(ordered("ring:2"), ordered("ring:4")), ElementsAre(Dimension::chunking));
  EXPECT_THAT(differences(ordered("openmpi-4.1/allreduce:3"), ordered("openmpi-4.1/allreduce:4")),
              ElementsAre(Dimension::algorithm));
  EXPECT_THAT(differences(ordered("nccl-2.28/ring"), ordered("nccl-2.30/ring")), ElementsAre(Dimension::library));
  Configuration other = ordered("ring:2");
  other.type = ElementType::float64;
  other.layout = "2x4";
  EXPECT_THAT(differences(ordered("ring:2"), other), ElementsAre(Dimension::layout, Dimension::type));
  Configuration exact, plain;
  exact.kernel = kernels::SumKernel::exact;
  plain.kernel = kernels::SumKernel::plain;
  EXPECT_THAT(differences(exact, plain), ElementsAre(Dimension::kernel));
  EXPECT_EQ(exact.how(), "kernel exact");
}

}  // namespace
}  // namespace petri::compare
