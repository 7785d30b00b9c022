// The collection of scenarios itself: every folder is whole and says what it stands for.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "harness/trace/read.hpp"

namespace petri {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders() {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(PETRI_SCENARIOS))
    if (entry.is_directory()) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

TEST(ScenarioCollection, is_there) {
  EXPECT_GE(folders().size(), 40U);
}

TEST(ScenarioCollection, every_scenario_reads_whole_and_expects_a_verdict) {
  for (const fs::path& folder : folders()) {
    SCOPED_TRACE(folder.filename());
    const Scenario scenario = read_scenario(folder / "scenario.jsonl");
    EXPECT_FALSE(scenario.cut);
    EXPECT_GT(scenario.event_count(), 0U);
    ASSERT_TRUE(scenario.header.expect.has_value());
    EXPECT_TRUE(scenario.header.expect->verdict.has_value());
  }
}

TEST(ScenarioCollection, every_scenario_says_in_three_lines_what_it_stands_for) {
  for (const fs::path& folder : folders()) {
    SCOPED_TRACE(folder.filename());
    std::ifstream file(folder / "README.md");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
    EXPECT_NE(text.find("Expected: "), std::string::npos);
  }
}

}  // namespace
}  // namespace petri
