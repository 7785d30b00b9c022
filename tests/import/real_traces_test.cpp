// Traces that real jobs left, where they are at hand: PETRI_SHARED_DATA names their folder.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "harness/import/foreign.hpp"

namespace petri::test {
namespace {

std::optional<std::filesystem::path> shared(const std::string& name) {
  const char* const folder = std::getenv("PETRI_SHARED_DATA");
  if (folder == nullptr) return std::nullopt;
  const std::filesystem::path path = std::filesystem::path(folder) / name;
  return std::filesystem::exists(path) ? std::optional(path) : std::nullopt;
}

auto count(const Scenario& scenario, std::size_t rank, Op op) {
  const auto& events = scenario.ranks.at(rank).events;
  return std::count_if(events.begin(), events.end(), [&](const Event& event) { return event.op == op; });
}

// Counted by hand: 27 nodes record_param_comms, of which 6 are waits.
TEST(RealTraces, OneRankOfTwoThatTrainAResNet) {
  const auto path = shared("pytorch-et/resnet_2gpu_et.json.gz");
  if (!path) GTEST_SKIP() << "PETRI_SHARED_DATA names no folder with pytorch-et/resnet_2gpu_et.json.gz";
  const Imported imported = import_foreign({*path});
  const Scenario& scenario = imported.scenario;
  EXPECT_EQ(imported.format, "PyTorch execution traces");
  EXPECT_EQ(scenario.world(), 2);
  EXPECT_EQ(scenario.ranks[0].end.kind, EndKind::missing);
  EXPECT_EQ(scenario.ranks[1].events.size(), 21U);
  EXPECT_EQ(count(scenario, 1, Op::bcast), 6);
  EXPECT_EQ(count(scenario, 1, Op::allreduce), 15);
  ASSERT_EQ(scenario.ranks[1].end.joined.size(), 1U);
  EXPECT_EQ(scenario.ranks[1].end.joined[0].second, 32);  // the first call is number 33
}

// Decoded by hand: 21 nodes of type 7, of which 14 are of the host.
TEST(RealTraces, AConvertedTraceOfOneRank) {
  const auto path = shared("chakra");
  if (!path) GTEST_SKIP() << "PETRI_SHARED_DATA names no folder with chakra";
  const Imported imported = import_foreign({*path});
  EXPECT_EQ(imported.format, "Chakra execution traces");
  EXPECT_EQ(imported.scenario.ranks.at(0).events.size(), 7U);
  EXPECT_EQ(count(imported.scenario, 0, Op::bcast), 2);
  EXPECT_EQ(count(imported.scenario, 0, Op::allreduce), 5);
  EXPECT_EQ(imported.scenario.ranks[0].end.kind, EndKind::running);
}

}  // namespace
}  // namespace petri::test
