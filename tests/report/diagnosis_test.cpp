#include "harness/report/diagnosis.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/report/columns.hpp"
#include "harness/report/text.hpp"
#include "tests/trace/text.hpp"

namespace petri {
namespace {

// Rank 1 of four makes one barrier more than the others.
Scenario guard_shift() {
  return test::read_text(R"({"petri":1,"world":4,"origin":{"ranks":[0,317,318,319]}}
{"rank":0,"op":"allreduce","count":4,"dtype":"float32","reduce":"sum","step":7,"site":"/src/train.cpp:41"}
{"rank":0,"op":"allreduce","count":4,"dtype":"float32","reduce":"sum","step":8,"site":"/src/train.cpp:41"}
{"rank":1,"op":"allreduce","count":4,"dtype":"float32","reduce":"sum","step":7,"site":"/src/train.cpp:41"}
{"rank":1,"op":"barrier","step":7,"site":"/src/guard.cpp:9"}
{"rank":2,"op":"allreduce","count":4,"dtype":"float32","reduce":"sum","step":7,"site":"/src/train.cpp:41"}
{"rank":2,"op":"allreduce","count":4,"dtype":"float32","reduce":"sum","step":8,"site":"/src/train.cpp:41"}
{"rank":3,"op":"allreduce","count":4,"dtype":"float32","reduce":"sum","step":7,"site":"/src/train.cpp:41"}
{"rank":3,"op":"allreduce","count":4,"dtype":"float32","reduce":"sum","step":8,"site":"/src/train.cpp:41"}
{"end":true}
)");
}

Diagnosis guard_shift_diagnosis() {
  Diagnosis diagnosis;
  diagnosis.verdict = Verdict::deadlock;
  diagnosis.signature = "deadlock/1";
  diagnosis.assumptions = {"holds always"};
  diagnosis.notes = {"call sites differ"};
  Finding finding;
  finding.kind = Verdict::deadlock;
  finding.culprits = {1};
  finding.events = {{1, 1}, {0, 1}};
  finding.expected = "ranks 0,2,3: allreduce";
  finding.actual = "rank 1: barrier";
  finding.text = "Rank 1 made a call that the others do not make.";
  finding.evidence = {"seen \x1b[31mtwice"};
  diagnosis.findings = {finding};
  diagnosis.blocked = {1, 1, 1, 1};
  return diagnosis;
}

TEST(DiagnosisText, SaysTheVerdictAndTheCulpritFirst) {
  EXPECT_EQ(render_text(guard_shift_diagnosis(), guard_shift()),
            "deadlock: begun by rank 1 (rank 317 of the original job)\n"
            "Rank 1 made a call that the others do not make.\n"
            "  expected   ranks 0,2,3: allreduce\n"
            "  actual     rank 1: barrier\n"
            "  events     rank 1, event 1: barrier, step 7, at /src/guard.cpp:9\n"
            "             rank 0, event 1: allreduce(4 float32 sum), step 8, at /src/train.cpp:41\n"
            "  evidence   seen \xef\xbf\xbd[31mtwice\n"
            "\nBlocked\n"
            "  ranks 0,2,3 in allreduce(4 float32 sum), step 8, at /src/train.cpp:41\n"
            "  rank 1 in barrier, step 7, at /src/guard.cpp:9\n"
            "\nAssuming\n  - holds always\n"
            "\nNotes\n  - call sites differ\n"
            "\nSignature: deadlock/1\n");
}

TEST(DiagnosisText, IsShortWhereNothingIsWrong) {
  EXPECT_EQ(render_text({}, guard_shift()), "completes: nothing wrong in 8 events of 4 ranks\n");
}

TEST(DiagnosisText, KnowsTheFinalizeThatARecordImplies) {
  Diagnosis diagnosis = guard_shift_diagnosis();
  diagnosis.blocked = {1, 2, 1, 1};
  diagnosis.findings[0].events = {{1, 2}};
  EXPECT_NE(render_text(diagnosis, guard_shift()).find("rank 1 in finalize, after its last recorded event\n"),
            std::string::npos);
  EXPECT_NE(render_json(diagnosis, guard_shift()).find(R"({"rank":1,"seq":2,"op":"finalize","comm":"world"})"),
            std::string::npos);
  EXPECT_NE(render_columns(guard_shift(), diagnosis, {}).find("▶ — finalize —"), std::string::npos);
}

TEST(DiagnosisJson, HoldsWhatTheTextSays) {
  const auto json = nlohmann::json::parse(render_json(guard_shift_diagnosis(), guard_shift()));
  EXPECT_EQ(json["verdict"], "deadlock");
  EXPECT_EQ(json["signature"], "deadlock/1");
  EXPECT_EQ(json["assumptions"].size(), 1U);
  const auto& finding = json["findings"].at(0);
  EXPECT_EQ(finding["kind"], "deadlock");
  EXPECT_EQ(finding["culprits"], nlohmann::json({1}));
  const nlohmann::json barrier{
      {"rank", 1}, {"seq", 1}, {"op", "barrier"}, {"comm", "world"}, {"site", "/src/guard.cpp:9"}, {"step", 7}};
  EXPECT_EQ(finding["events"].at(0), barrier);
  EXPECT_EQ(finding["call"], barrier);
  EXPECT_EQ(finding["expected"], "ranks 0,2,3: allreduce");
  EXPECT_EQ(json["blocked"].at(1)["op"], "barrier");
  EXPECT_EQ(json["notes"].size(), 1U);
}

// A program gets the arguments as data, under the names that the scenario file gives them.
TEST(DiagnosisJson, HoldsTheArgumentsOfACall) {
  const Scenario scenario = test::read_text(R"({"petri":1,"world":2}
{"rank":0,"op":"win_lock","win":"w","target":1,"lock":"exclusive","site":"\u001b\u202e"}
{"end":true}
)");
  Diagnosis diagnosis;
  diagnosis.verdict = Verdict::deadlock;
  diagnosis.findings = {Finding{}};
  diagnosis.findings[0].events = {{0, 0}};
  const std::string text = render_json(diagnosis, scenario);
  EXPECT_EQ(text.find_first_of("\x1b\xe2"), std::string::npos);
  const auto call = nlohmann::json::parse(text)["findings"][0]["call"];
  EXPECT_EQ(call["win"], "w");
  EXPECT_EQ(call["target"], 1);
  EXPECT_EQ(call["lock"], "exclusive");
  EXPECT_EQ(call["site"], "\x1b\xe2\x80\xae");
}

// The two groups call different ranks by one number.
TEST(Text, TellsTheGroupsOfAnIntercommunicatorApart) {
  const Scenario scenario = test::read_text(R"({"petri":1,"world":4}
{"comm":"i","ranks":[0,1],"remote":[2,3]}
{"rank":0,"op":"bcast","comm":"i","root":0}
{"rank":2,"op":"bcast","comm":"i","root":0}
{"end":true}
)");
  EXPECT_EQ(describe(scenario, at(scenario, {0, 0}), 0), "bcast root 2 on i");
  EXPECT_EQ(describe(scenario, at(scenario, {2, 0}), 2), "bcast root 0 on i");
}

TEST(DiagnosisJson, NamesTheCallThatAMissingOneLeavesUnanswered) {
  Diagnosis diagnosis = guard_shift_diagnosis();
  diagnosis.findings[0].call = EventRef{0, 1};
  const auto json = nlohmann::json::parse(render_json(diagnosis, guard_shift()));
  EXPECT_EQ(json["findings"].at(0)["call"]["site"], "/src/train.cpp:41");
}

TEST(Columns, ShareEqualRanksAndMarkTheBlockedEvent) {
  EXPECT_EQ(render_columns(guard_shift(), guard_shift_diagnosis(), {}),
            "       rank 1 (culprit)                         ranks 0,2,3\n"
            "    0    allreduce(4 float32 sum) train.cpp:41    allreduce(4 float32 sum) train.cpp:41\n"
            "    1  ▶ barrier guard.cpp:9                    ▶ allreduce(4 float32 sum) train.cpp:41\n"
            "         — (end) —                                — (end) —\n");
}

TEST(Columns, KeepToTheWidthAndSayWhatIsLeftOut) {
  ColumnOptions options;
  options.width = 40;
  const std::string table = render_columns(guard_shift(), guard_shift_diagnosis(), options);
  EXPECT_NE(table.find("Not shown: 1 more column, ranks 0,2,3."), std::string::npos);
  const std::string rows = table.substr(0, table.find("\n\n"));
  for (std::size_t from = 0; from < rows.size();) {
    const std::size_t to = std::min(rows.find('\n', from), rows.size());
    EXPECT_LE(columns_of(rows.substr(from, to - from)), 40U);
    from = to + 1;
  }
}

TEST(Columns, AreColouredOnlyWhenAsked) {
  ColumnOptions options;
  EXPECT_EQ(render_columns(guard_shift(), guard_shift_diagnosis(), options).find('\x1b'), std::string::npos);
  options.colour = true;
  EXPECT_NE(render_columns(guard_shift(), guard_shift_diagnosis(), options).find('\x1b'), std::string::npos);
}

TEST(Text, FoldsRanges) {
  EXPECT_EQ(rank_ranges({0, 1, 2, 3, 4, 6, 8, 9}), "0-4,6,8,9");
  EXPECT_EQ(rank_ranges({}), "none");
}

TEST(Text, LongListsOfRanksAreCutShortInSentences) {
  EXPECT_EQ(ranks_in_words({}), "no rank");
  EXPECT_EQ(ranks_in_words({5}), "rank 5");
  EXPECT_EQ(ranks_in_words({0, 1, 2, 6}), "ranks 0-2,6");
  std::vector<std::int32_t> even, all;
  for (std::int32_t rank = 0; rank < 1024; ++rank) {
    all.push_back(rank);
    if (rank % 2 == 0) even.push_back(rank);
  }
  EXPECT_EQ(ranks_in_words(all), "ranks 0-1023");
  EXPECT_EQ(ranks_in_words(even), "ranks 0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42 and 490 others");
  even = {0, 2, 4, 6, 8, 10};
  EXPECT_EQ(ranks_in_words(even), "ranks 0,2,4,6,8,10");
}

TEST(Text, GivesPeersAsGlobalRanks) {
  const Scenario scenario = test::read_text(R"({"petri":1,"world":6}
{"comm":"odd","ranks":[1,3,5]}
{"rank":1,"op":"recv","comm":"odd","peer":"any","tag":"any","matched":2,"count":3,"dtype":"int32"}
{"rank":1,"op":"bcast","comm":"odd","root":1}
{"end":true}
)");
  EXPECT_EQ(describe(scenario, scenario.ranks[1].events[0]), "recv(3 int32) from any, tag any (got 5) on odd");
  EXPECT_EQ(describe(scenario, scenario.ranks[1].events[1]), "bcast root 3 on odd");
}

}  // namespace
}  // namespace petri
