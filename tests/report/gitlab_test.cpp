#include "harness/report/gitlab.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/report/check_cases.hpp"

namespace petri {
namespace {

TEST(GitlabReport, ListsWhatSomebodyHasToLookAt) {
  EXPECT_EQ(render_gitlab({testing::one_of_each()[1]}), R"([
  {
    "description": "cases/b/scenario.jsonl (live): expected completes, got deadlock: A",
    "check_name": "petri-missed",
    "fingerprint": "b85f78ecd2645a0739c90c7104ba274c",
    "severity": "critical",
    "location": {
      "path": "src/train.cpp",
      "lines": {
        "begin": 52
      }
    }
  }
]
)");
  EXPECT_EQ(nlohmann::json::parse(render_gitlab(testing::one_of_each())).size(), 3U);
  EXPECT_EQ(render_gitlab({}), "[]\n");
}

TEST(GitlabReport, AFingerprintDependsOnWhatIsCheckedAlone) {
  const auto fingerprint = [](const CheckCase& check) {
    return nlohmann::json::parse(render_gitlab({check})).at(0).at("fingerprint").get<std::string>();
  };
  CheckCase check = testing::one_of_each()[1];
  const std::string before = fingerprint(check);
  check.text = "expected completes, got a crash";
  check.source->line = 60;
  check.seconds = 3;
  EXPECT_EQ(fingerprint(check), before);
  check.mode = "model";
  const std::string other_mode = fingerprint(check);
  check.state = CheckState::inconclusive;
  EXPECT_EQ((std::set<std::string>{before, other_mode, fingerprint(check)}).size(), 3U);
}

TEST(GitlabReport, HostileTextIsData) {
  const auto list = nlohmann::json::parse(render_gitlab({testing::hostile()}));
  EXPECT_EQ(list.at(0).at("location").at("path"), "a,b:c%d ::error::x/\xef\xbf\xbd.jsonl");
  EXPECT_EQ(list.at(0).at("description").get<std::string>().find('\n'), std::string::npos);
}

}  // namespace
}  // namespace petri
