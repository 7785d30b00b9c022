// Numbers on the command line: what is none, or makes no sense, is refused in words by every subcommand.
#include <gmock/gmock.h>

#include "tests/cli/petri_process.hpp"

namespace petri::cli::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Option {
  const char* name;                 // of the option
  std::vector<std::string> before;  // what else its subcommand needs
  std::vector<std::string> wrong;   // besides what is no number at all
  std::vector<std::string> after = {};
};

void PrintTo(const Option& option, std::ostream* out) {
  *out << option.before.front() << " --" << option.name;
}

const std::vector<Option> kOptions{
    {"jobs", {"shrink", "x"}, {"0", "1025", "1.5"}},
    {"seed", {"shrink", "x"}, {"0x10"}},
    {"max-tests", {"shrink", "x"}, {"-5", "99999999999999999999"}},
    {"max-time", {"shrink", "x"}, {"-1", "nan", "inf", "1e9"}},
    {"timeout", {"shrink", "x"}, {"-1", "0", "nan", "inf", "1e400"}},
    {"k-of-n", {"shrink", "x"}, {"0/5", "6/5", "1/", "/1", "1/5/", "1/ 5", "-1/5"}},
    {"max-orders", {"diagnose", "x"}, {"0", "-1"}},
    {"assume", {"diagnose", "x"}, {"buffered:-1", "buffered:", "buffered:1k"}},
    {"around", {"show", "x"}, {"-1"}},
    {"jobs", {"check", "x"}, {"0", "1025"}},
    {"timeout", {"check", "x"}, {"0", "-1", "nan"}},
    {"shard", {"check", "x"}, {"0/5", "6/5", "-1/5"}},
    {"ranks", {"check", "--add", "x"}, {"0", "-1"}, {"--", "true"}},
    {"timeout", {"check", "--add", "x"}, {"0", "inf"}},
    {"repeat", {"replay", "x"}, {"0", "-1"}},
    {"timeout", {"replay", "x"}, {"0", "-1", "inf"}},
    {"max-processes", {"replay", "x"}, {"0", "-1"}},
    {"delay", {"replay", "x"}, {"0:0", "0:-1:5", "-1:0:5", "0:0:nan", "0:0:-1"}},
    {"timeout", {"record"}, {"0", "-1", "inf"}, {"--", "true"}},
    {"ring", {"record"}, {"0", "-1", "1048577"}, {"--", "true"}},
};

class Number : public ::testing::TestWithParam<Option> {};

TEST_P(Number, OutOfBoundsIsAUsageErrorThatNamesOptionAndText) {
  const Scratch scratch;
  scratch.write("x", "{\"petri\":1,\"world\":1}\n{\"end\":true,\"events\":0}\n");
  std::vector<std::string> values = GetParam().wrong;
  for (const char* none : {"many", "1x", " 1", "1 "}) values.emplace_back(none);
  for (const std::string& value : values) {
    std::vector<std::string> words = GetParam().before;
    words.push_back(std::string("--") + GetParam().name + "=" + value);
    words.insert(words.end(), GetParam().after.begin(), GetParam().after.end());
    const Ran run = scratch.petri(words);
    EXPECT_EQ(run.status, 2) << value << "\n" << run.out << run.err;
    EXPECT_THAT(run.err, AllOf(HasSubstr(std::string("--") + GetParam().name), HasSubstr(value))) << value;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Number, ::testing::ValuesIn(kOptions));

}  // namespace
}  // namespace petri::cli::testing
