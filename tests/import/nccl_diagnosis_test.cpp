// Who is named for a failure of which only NCCL's logs, or a RAS report, are there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/diagnose/diagnose.hpp"
#include "harness/import/nccl_ras.hpp"
#include "tests/import/nccl_log_text.hpp"

namespace petri {
namespace {

using test::NcclLog;
using testing::ElementsAre;

const std::vector<int> kAll{0, 1, 2, 3, 4, 5, 6, 7};
constexpr int kOdd = 5;  // the rank that is not like the others

NcclLog job() {
  NcclLog log(8);
  log.init("w", kAll, 0xadcb40d61cc1bc4b);
  return log;
}

// Three calls of all ranks, the last of the odd one as `odd` makes it.
template <class Odd>
NcclLog three_calls(const Odd& odd) {
  NcclLog log = job();
  for (int call = 0; call < 3; ++call)
    for (const int rank : kAll) {
      if (call == 2 && rank == kOdd)
        odd(log);
      else
        log.call(rank, "AllReduce", "w", 100 + call);
    }
  return log;
}

Diagnosis diagnosis_of(const NcclLog& log, const std::vector<int>& without = {}) {
  ImportNotes notes;
  return diagnose(read_nccl_log(log.files(without), notes));
}

void expect(const Diagnosis& diagnosis, Verdict verdict, int culprit = kOdd) {
  EXPECT_EQ(diagnosis.verdict, verdict);
  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_THAT(diagnosis.findings.front().culprits, ElementsAre(culprit));
}

TEST(NcclLogDiagnosis, NamesTheRankThatDidNotComeToTheLastCall) {
  expect(diagnosis_of(three_calls([](NcclLog&) {})), Verdict::skew);
}

TEST(NcclLogDiagnosis, ARankWithoutALogIsNamedOnlyWhereNobodyElseIsBehindOrDiffers) {
  const NcclLog behind = three_calls([](NcclLog&) {});
  const NcclLog differs = three_calls([](NcclLog& log) { log.call(kOdd, "AllReduce", "w", 7); });
  const NcclLog equal = three_calls([](NcclLog& log) { log.call(kOdd, "AllReduce", "w", 102); });
  for (const int rank : {0, 3, 7}) {
    expect(diagnosis_of(behind, {rank}), Verdict::skew);
    expect(diagnosis_of(differs, {rank}), Verdict::mismatch);
    expect(diagnosis_of(equal, {rank}), Verdict::ambiguous, rank);
  }
  expect(diagnosis_of(behind, {kOdd}), Verdict::ambiguous);
}

TEST(NcclLogDiagnosis, NamesTheRankWithAnotherCountTypeRootOrReduction) {
  expect(diagnosis_of(three_calls([](NcclLog& log) { log.call(kOdd, "AllReduce", "w", 7); })), Verdict::mismatch);
  expect(diagnosis_of(three_calls([](NcclLog& log) { log.call(kOdd, "AllReduce", "w", 102, 9); })), Verdict::mismatch);
  expect(diagnosis_of(three_calls([](NcclLog& log) { log.call(kOdd, "AllReduce", "w", 102, 7, 2); })),
         Verdict::mismatch);
  NcclLog roots = job();
  for (const int rank : kAll) roots.call(rank, "Broadcast", "w", 8, 7, 0, rank == kOdd ? 3 : 0);
  expect(diagnosis_of(roots), Verdict::mismatch);
}

TEST(NcclLogDiagnosis, NamesTheRankThatMadeAnotherCall) {
  expect(diagnosis_of(three_calls([](NcclLog& log) { log.call(kOdd, "AllGather", "w", 102); })), Verdict::deadlock);
}

TEST(NcclLogDiagnosis, NamesTheRankThatTookTwoCommunicatorsInAnotherOrder) {
  NcclLog log = job();
  log.split("a", kAll, "w", 1, 7);
  log.split("b", kAll, "w", 2, 7);
  for (const int rank : kAll) {
    log.call(rank, "AllReduce", rank == kOdd ? "b" : "a");
    log.call(rank, "AllReduce", rank == kOdd ? "a" : "b");
  }
  expect(diagnosis_of(log), Verdict::deadlock);
}

TEST(NcclLogDiagnosis, NamesTheRankThatWarnedOfAnErrorAndNotThoseThatNoticed) {
  NcclLog log = three_calls([](NcclLog& one) { one.warn(kOdd, "Cuda failure 700 'an illegal memory access'"); });
  log.warn(2, "socketProgress: Connection closed by remote peer node02<54321>", "misc/socket.cc:58");
  expect(diagnosis_of(log), Verdict::rank_error);
}

TEST(NcclLogDiagnosis, NamesTheRankWithoutALog) {
  expect(diagnosis_of(three_calls([](NcclLog&) {}), {kOdd}), Verdict::ambiguous);
}

TEST(NcclLogDiagnosis, TakesTheMessagesOfALaunchInAnyOrder) {
  NcclLog log = job();
  for (const int rank : kAll) {
    const int next = (rank + 1) % 8, before = (rank + 7) % 8;
    log.group(rank, "w", {{"Send", next}, {"Recv", before}, {"Send", before}, {"Recv", next}});
    if (rank != kOdd) log.call(rank, "AllReduce", "w");
  }
  expect(diagnosis_of(log), Verdict::skew);
}

// The log of a creation to which the odd rank did not come, of a communicator of all ranks or of some.
std::string creation(const std::vector<int>& begun, std::size_t size) {
  NcclLog log = job();
  log.init("p", begun, 0x77, false);
  std::string text = log.together();
  const std::string as_begun = fmt::format("nranks {} cudaDev", begun.size());
  for (std::size_t at = text.rfind(as_begun); at != std::string::npos; at = text.rfind(as_begun))
    text.replace(at, as_begun.size(), fmt::format("nranks {} cudaDev", size));
  return text;
}

TEST(NcclLogDiagnosis, NamesTheRankThatDidNotComeToACommunicatorsCreation) {
  ImportNotes notes;
  expect(diagnose(read_nccl_log({test::memory_trace("job.log", creation({0, 1, 2, 3, 4, 6, 7}, 8))}, notes)),
         Verdict::skew);
}

TEST(NcclLogDiagnosis, SaysOfACreationWhoBeganItWhereItCannotBeKnownWhoDidNot) {
  ImportNotes notes;
  const Scenario scenario = read_nccl_log({test::memory_trace("job.log", creation({1, 3}, 3))}, notes);
  EXPECT_EQ(diagnose(scenario).verdict, Verdict::ambiguous);
  EXPECT_THAT(notes.warnings,
              testing::Contains("the creation of 0x77, of 3 ranks, is not over: ranks 1,3 began it, the "
                                "others did not"));
}

// Four ranks of equal counts, of which the last gives no data.
Diagnosis without_data(bool is_dead) {
  std::string ranks;
  for (int rank = 0; rank < 3; ++rank)
    ranks += fmt::format(R"({}{{"rank":{},"host":"a","pid":{},"cuda_dev":0,"collective_counts":{{"AllReduce":7}}}})",
                         rank > 0 ? "," : "", rank, 70 + rank);
  const std::string report = fmt::format(
      R"({{"nccl_version":"2.28.9","communicators":[{{"hash":"0xa","size":4,"ranks":[{}],"missing_ranks":[)"
      R"({{"rank":3,"host":"a","pid":73,"cuda_dev":0,"status":{{"unresponsive":true,"considered_dead":{}}}}}]}}]}})",
      ranks, is_dead);
  ImportNotes notes;
  return diagnose(read_ras_reports({test::memory_trace("ras.json", report)}, notes));
}

TEST(RasDiagnosis, NamesTheRankThatDoesNotAnswerWhereAllCountsAreEqual) {
  expect(without_data(false), Verdict::ambiguous, 3);
  expect(without_data(true), Verdict::rank_error, 3);
}

}  // namespace
}  // namespace petri
