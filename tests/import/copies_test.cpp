// Copies of dumps that lie beside them, and what only looks like one.
#include "harness/import/copies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/import/memory_trace.hpp"

namespace petri::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Names of those that are kept, in the order of the files; each is given as its name, and its bytes.
std::vector<std::string> kept(const std::vector<std::pair<std::string, std::string>>& files, ImportNotes& notes) {
  std::vector<TraceFile> traces;
  for (const auto& [name, bytes] : files) traces.push_back(memory_trace(name, bytes));
  std::vector<std::string> names;
  for (const TraceFile& file : without_copies(traces, notes)) names.push_back(file.name);
  return names;
}

std::vector<std::string> kept(const std::vector<std::pair<std::string, std::string>>& files) {
  ImportNotes notes;
  return kept(files, notes);
}

TEST(Copies, CountOnceByWhateverIsAddedToTheName) {
  for (const char* const copy : {"d/rank_0 (1)", "d/rank_0.bak", "d/rank_0~", "d/Copy of rank_0", "d/old/rank_0"}) {
    ImportNotes notes;
    EXPECT_THAT(kept({{copy, "x"}, {"d/rank_0", "x"}, {"d/rank_1", "y"}}, notes), ElementsAre("d/rank_0", "d/rank_1"));
    EXPECT_THAT(notes.warnings, ElementsAre(AllOf(HasSubstr(copy), HasSubstr("(as d/rank_0)"))));
  }
  EXPECT_THAT(kept({{"et_3 (1).json", "x"}, {"et_3.json", "x"}}), ElementsAre("et_3.json"));
  EXPECT_THAT(kept({{"rank.3.et", "x"}, {"rank.3.et.orig", "x"}}), ElementsAre("rank.3.et"));
  EXPECT_THAT(kept({{"dump.3", "x"}, {"dump.3.old", "x"}}), ElementsAre("dump.3"));
}

TEST(Copies, OtherBytesAreNone) {
  ImportNotes notes;
  EXPECT_THAT(kept({{"rank_0", "x"}, {"rank_0 (1)", "y"}}, notes), ElementsAre("rank_0", "rank_0 (1)"));
  EXPECT_THAT(notes.warnings, IsEmpty());
}

// All ranks of a symmetric job can have done the same.
TEST(Copies, EqualBytesOfOtherRanksAreNone) {
  EXPECT_THAT(kept({{"rank_1", "x"}, {"rank_10", "x"}, {"rank_11", "x"}}), ElementsAre("rank_1", "rank_10", "rank_11"));
  EXPECT_THAT(kept({{"dump.0", "x"}, {"dump.1", "x"}}), ElementsAre("dump.0", "dump.1"));
  EXPECT_THAT(kept({{"rank.0.et", "x"}, {"rank.1.et", "x"}}), ElementsAre("rank.0.et", "rank.1.et"));
  EXPECT_THAT(kept({{"a1_rank_0", "x"}, {"a_rank_0", "x"}}), ElementsAre("a1_rank_0", "a_rank_0"));
  EXPECT_THAT(kept({{"trace", "x"}, {"trace copy", "x"}}), ElementsAre("trace", "trace copy"));  // of no rank
}

}  // namespace
}  // namespace petri::test
