// A rank whose trace is missing: what those that are there prove of it, and when it is named.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/diagnose/diagnose.hpp"
#include "harness/import/smpi_trace.hpp"
#include "tests/import/memory_trace.hpp"

namespace petri::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// Of four ranks, of which 2 left nothing. It sends to rank 0 and receives from rank 1 in each step.
Diagnosis diagnosis_of(const std::string& end_of_0, const std::string& end_of_1, const std::string& end_of_3) {
  std::vector<TraceFile> files;
  const auto add = [&](int rank, const std::string& message, const std::string& end) {
    std::string text = fmt::format("{} init\n", rank);
    for (int step = 0; step < 3; ++step)
      text += (message.empty() ? "" : fmt::format("{} {}\n", rank, message)) + fmt::format("{} allreduce 4 0\n", rank);
    for (std::size_t begin = 0; begin < end.size();) {
      const std::size_t next = std::min(end.find(';', begin), end.size());
      text += fmt::format("{} {}\n", rank, end.substr(begin, next - begin));
      begin = next + 1;
    }
    files.push_back(memory_trace(fmt::format("rank{}.txt", rank), text));
  };
  add(0, "recv 2 7 100", end_of_0);
  add(1, "send 2 7 100", end_of_1);
  add(3, "", end_of_3);
  ImportNotes notes;
  return diagnose(read_smpi(files, notes));
}

const Finding& first(const Diagnosis& diagnosis) {
  return diagnosis.findings.at(0);
}

TEST(UnrecordedRanks, MessagesThatOthersWentOnFromWereMet) {
  // Rank 3 comes to an allreduce that rank 1 does not make; all else went well, with rank 2 among it.
  const Diagnosis found = diagnosis_of("allreduce 4 0", "compute 5", "allreduce 4 0");
  EXPECT_EQ(found.verdict, Verdict::skew);
  EXPECT_THAT(first(found).culprits, ElementsAre(1));
  // At the end all of them wait in finalize for it: nothing else is wrong, so that it is the candidate.
  const Diagnosis whole = diagnosis_of("finalize", "finalize", "finalize");
  EXPECT_EQ(whole.verdict, Verdict::ambiguous);
  EXPECT_THAT(first(whole).text, HasSubstr("finalize"));
  EXPECT_THAT(first(whole).evidence, Contains(HasSubstr("the record of rank 2 would settle it")));
}

TEST(UnrecordedRanks, OneWhoseMessageIsWaitedForIsTheCandidateWhereNobodyElseIsLate) {
  const Diagnosis found = diagnosis_of("recv 2 7 100", "allreduce 4 0", "allreduce 4 0");
  EXPECT_EQ(found.verdict, Verdict::ambiguous);
  EXPECT_THAT(first(found).culprits, ElementsAre(2));
  EXPECT_THAT(first(found).evidence, Contains(HasSubstr("the record of rank 2 would settle it")));
}

TEST(UnrecordedRanks, OneWhoseMessageIsWaitedForMayItselfWaitForWhoIsLate) {
  const Diagnosis found = diagnosis_of("recv 2 7 100", "compute 5", "recv 1 7 100");
  EXPECT_EQ(found.verdict, Verdict::skew);
  EXPECT_THAT(first(found).culprits, ElementsAre(1));
  EXPECT_THAT(first(found).evidence,
              Contains(HasSubstr("rank 2 left no record; others wait for its messages, and it may "
                                 "itself wait for rank 1: its record would decide")));
}

// The last rank of all is known by what others send to it only.
TEST(UnrecordedRanks, TheLastRankIsThereWhereOthersSendToIt) {
  std::vector<TraceFile> files;
  for (const int rank : {0, 1})
    files.push_back(memory_trace(
        fmt::format("rank{}.txt", rank),
        fmt::format("{0} init\n{0} send {1} 0 5\n{0} sendrecv 1 {1} 1 {1}\n{0} compute 1\n", rank, 2 + rank)));
  ImportNotes notes;
  const Scenario scenario = read_smpi(files, notes);
  EXPECT_EQ(scenario.world(), 4);
  EXPECT_EQ(scenario.ranks[3].end.kind, EndKind::missing);
  const Diagnosis found = diagnose(scenario);
  EXPECT_EQ(found.verdict, Verdict::ambiguous);
  EXPECT_THAT(first(found).text, HasSubstr("the record of ranks 2,3 is cut or missing"));
  EXPECT_THAT(first(found).culprits, testing::IsEmpty());
}

}  // namespace
}  // namespace petri::test
