// The kept scenarios, each judged as it expects.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "harness/diagnose/diagnose.hpp"
#include "harness/trace/read.hpp"

namespace petri {
namespace {

std::vector<std::filesystem::path> scenario_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(PETRI_SCENARIOS))
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

class Kept : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Kept, IsJudgedAsExpected) {
  const Scenario scenario = read_scenario(GetParam());
  ASSERT_TRUE(scenario.header.expect && scenario.header.expect->verdict) << "a kept scenario states what it expects";
  const Diagnosis diagnosis = diagnose(scenario);
  EXPECT_EQ(name_of(diagnosis.verdict), name_of(*scenario.header.expect->verdict));
  if (!scenario.header.expect->signature.empty()) {
    EXPECT_EQ(diagnosis.signature, scenario.header.expect->signature);
  }
  DiagnoseOptions first_only;
  first_only.first_only = true;
  const Diagnosis first = diagnose(scenario, first_only);
  EXPECT_EQ(name_of(first.verdict), name_of(diagnosis.verdict));
  EXPECT_EQ(first.signature, diagnosis.signature);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Kept, testing::ValuesIn(scenario_files()), [](const auto& kept) {
  std::string name = kept.param.parent_path().filename().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name + "_" + std::to_string(kept.index);
});

}  // namespace
}  // namespace petri
