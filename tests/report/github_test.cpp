#include "harness/report/github.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/report/check_cases.hpp"

namespace petri {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(GithubAnnotations, StandAtTheLineToLookAtWorstFirst) {
  EXPECT_EQ(render_github_annotations(testing::one_of_each()),
            "::error file=src/train.cpp,line=52,title=missed%3A cases/b/scenario.jsonl (live)::"
            "expected completes, got deadlock: A%0A%0ARank 0 waits.%0A  for rank 1%0A%0Asource: src/train.cpp:52%0A"
            "reproducer: cases/b/scenario.jsonl%0Aagain: petri check --live-only cases/b/scenario.jsonl\n"
            "::error file=cases/c.jsonl,line=7,title=unreadable%3A cases/c.jsonl (model)::"
            "cases/c.jsonl:7:1: no object%0Areproducer: cases/c.jsonl:7\n"
            "::warning file=e.jsonl,line=1,title=inconclusive%3A e.jsonl (live)::3 of 5 runs%0Areproducer: e.jsonl\n");
}

TEST(GithubAnnotations, HostileTextStaysInItsPlace) {
  const std::string text = render_github_annotations({testing::hostile()});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_THAT(text, HasSubstr("::error file=a%2Cb%3Ac%25d%0A%3A%3Aerror%3A%3Ax/\xef\xbf\xbd.jsonl,line=3,title="));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(GithubAnnotations, ALongStoryIsCutAtALine) {
  CheckCase check = testing::one_of_each()[1];
  check.detail.clear();
  for (int i = 0; i < 10000; ++i) check.detail += "a line of the story\n";
  const std::string text = render_github_annotations({check});
  EXPECT_LT(text.size(), 8000U);
  EXPECT_THAT(text, HasSubstr("a line of the story%0A[…]%0A%0Asource: "));
}

TEST(GithubAnnotations, NothingIsSaidWhereAllIsFine) {
  const std::vector<CheckCase> all = testing::one_of_each();
  EXPECT_EQ(render_github_annotations({all[0], all[3]}), "");
}

TEST(GithubSummary, ShowsNumbersAndWhatIsNotMet) {
  const std::string text = render_github_summary(testing::one_of_each());
  EXPECT_THAT(text,
              HasSubstr("### petri check: reproducers need a look\n\n"
                        "5 checks: 1 met, 1 missed, 1 unreadable, 1 inconclusive, 1 skipped\n\n"
                        "| | reproducer | how | what came of it |\n|---|---|---|---|\n"
                        "| missed | cases/b/scenario.jsonl | live | expected completes, got deadlock&#58; A |\n"));
  EXPECT_THAT(text, HasSubstr("<pre>expected completes, got deadlock&#58; A\n\nRank 0 waits.\n"));
  EXPECT_THAT(render_github_summary({testing::one_of_each()[0]}), HasSubstr("no expectation missed"));
}

TEST(GithubSummary, HostileTextIsNeitherMarkdownNorHtml) {
  const std::string text = render_github_summary({testing::hostile()});
  EXPECT_THAT(text, Not(HasSubstr("<b>")));
  EXPECT_THAT(text, Not(HasSubstr("`")));
  const std::size_t first = text.find("</pre>");
  EXPECT_EQ(text.find("</pre>", first + 1), std::string::npos);
  // Each row has its four cells.
  const std::size_t row = text.find("| missed |");
  const std::string line = text.substr(row, text.find('\n', row) - row);
  EXPECT_EQ(std::count(line.begin(), line.end(), '|'), 5);
}

TEST(GithubSummary, StaysBelowWhatGithubTakes) {
  CheckCase check = testing::one_of_each()[1];
  check.detail = std::string(100000, '*');
  check.text = std::string(8000, '*');
  const std::string text = render_github_summary(std::vector<CheckCase>(100, check));
  EXPECT_LT(text.size(), 1024U * 1024U);
  EXPECT_THAT(text, HasSubstr("more rows are left out"));
  EXPECT_THAT(text, HasSubstr("more are told in the log"));
}

}  // namespace
}  // namespace petri
