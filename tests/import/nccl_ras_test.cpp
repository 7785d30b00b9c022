// Reports of NCCL's RAS subsystem, in text and in JSON.
#include "harness/import/nccl_ras.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "harness/trace/error.hpp"
#include "tests/import/memory_trace.hpp"

namespace petri {
namespace {

using test::memory_trace;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

struct Read {
  ImportNotes notes;
  Scenario scenario;
  explicit Read(const std::vector<TraceFile>& files) : scenario(read_ras_reports(files, notes)) {}
  explicit Read(const std::string& text) : Read(std::vector{memory_trace("ras", text)}) {}
  const RankTrace& rank(int number) const { return scenario.ranks.at(static_cast<std::size_t>(number)); }
  std::vector<std::string> ops(int number) const {
    std::vector<std::string> names;
    for (const Event& event : rank(number).events) names.emplace_back(name_of(event.op));
    return names;
  }
};

std::string json_rank(int rank, int pid, const std::string& counts, int async = 0) {
  return fmt::format(R"(        {{
          "rank": {},
          "host": "10.0.0.{}",
          "pid": {},
          "cuda_dev": {},
          "nvml_dev": {},
          "status": {{
            "init_state": 0,
            "async_error": {},
            "finalize_called": false,
            "destroy_flag": false,
            "abort_flag": false
          }},
          "collective_counts": {{
            {}
          }}
        }})",
                     rank, pid / 4 + 1, 700 + pid, pid % 4, pid % 4, async, counts);
}

std::string json_missing(int rank, int pid, bool silent = true, const char* comma = ",") {
  return fmt::format(R"(        {{
          "rank": {},
          "host": "10.0.0.{}",
          "pid": {},
          "cuda_dev": {},
          "nvml_dev": {}{}
          "status": {{
            "unresponsive": {},
            "considered_dead": {}
          }}
        }})",
                     rank, pid / 4 + 1, 700 + pid, pid % 4, pid % 4, comma, silent, silent);
}

std::string json_comm(const std::string& hash, int size, const std::string& ranks, const std::string& missing = "") {
  return fmt::format(
      "    {{\n      \"hash\": \"{}\",\n      \"secondary_hash\": \"0x1:0x2\",\n      \"size\": {},\n"
      "      \"ranks_count\": 1,\n      \"missing_ranks_count\": 1,\n      \"ranks\": [\n{}\n      ],\n"
      "      \"missing_ranks\": [\n{}\n      ]\n    }}",
      hash, size, ranks, missing);
}

std::string json(const std::string& comms, const std::string& time = "2026-06-19 06:51:56") {
  return fmt::format(
      "{{\n  \"nccl_version\": \"2.28.9\",\n  \"cuda_runtime_version\": 12090,\n"
      "  \"cuda_driver_version\": 13000,\n  \"timestamp\": \"{}\",\n  \"communicators_count\": 1,\n"
      "  \"communicators\": [\n{}\n  ],\n  \"ras\": {{\n    \"collection_time_sec\": 0.001,\n"
      "    \"timeouts_count\": 0\n  }}\n}}\n",
      time, comms);
}

// Four ranks of which the last is one all-reduce behind.
std::string lagging(const std::string& time = "2026-06-19 06:51:56", int more = 0) {
  std::string ranks;
  for (int rank = 0; rank < 4; ++rank)
    ranks += (rank > 0 ? ",\n" : "") +
             json_rank(rank, rank, fmt::format("\"AllGather\": 7,\n \"AllReduce\": {}", more + (rank == 3 ? 12 : 13)));
  return json(json_comm("0x514e98cf4e44862b", 4, ranks), time);
}

TEST(RasJson, CommonCallsAreThePastAndOthersAreScheduled) {
  const Read read(lagging());
  EXPECT_EQ(read.scenario.world(), 4);
  EXPECT_THAT(read.ops(0), ElementsAre("allreduce"));
  EXPECT_EQ(read.rank(0).events[0].state, EventState::scheduled);
  EXPECT_THAT(read.ops(3), IsEmpty());
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(read.rank(rank).end.kind, EndKind::running);
    EXPECT_EQ(read.rank(rank).end.dropped, 19u);
    EXPECT_THAT(read.rank(rank).end.joined, ElementsAre(Pair(0, 19)));
  }
  EXPECT_THAT(read.scenario.header.hosts, ElementsAre("10.0.0.1", "10.0.0.1", "10.0.0.1", "10.0.0.1"));
  EXPECT_THAT(read.notes.warnings, IsEmpty());
}

TEST(RasJson, WhatMostRanksHaveComesFirst) {
  std::string ranks = json_rank(0, 0, "\"AllGather\": 1, \"AllReduce\": 1");
  for (const int rank : {1, 2}) ranks += ",\n" + json_rank(rank, rank, "\"AllGather\": 0, \"AllReduce\": 1");
  ranks += ",\n" + json_rank(3, 3, "\"AllGather\": 0, \"AllReduce\": 0");
  const Read read(json(json_comm("0x1", 4, ranks)));
  EXPECT_THAT(read.ops(0), ElementsAre("allreduce", "allgather"));
  EXPECT_THAT(read.ops(2), ElementsAre("allreduce"));
}

TEST(RasJson, RanksAreThoseOfTheLargestCommunicatorInAllOthers) {
  const auto ranks = [](std::vector<int> pids, int count) {
    std::string text;
    for (std::size_t i = 0; i < pids.size(); ++i)
      text += (i > 0 ? ",\n" : "") + json_rank(static_cast<int>(i), pids[i], fmt::format("\"AllReduce\": {}", count));
    return text;
  };
  const Read read(
      json(json_comm("0xb", 2, ranks({7, 3}, 5)) + ",\n" + json_comm("0xa", 8, ranks({1, 0, 2, 3, 4, 5, 6, 7}, 4))));
  EXPECT_EQ(read.scenario.world(), 8);
  EXPECT_THAT(read.scenario.comms.at(1).ranks, ElementsAre(7, 3));
  EXPECT_EQ(read.scenario.header.hosts.at(4), "10.0.0.2");
}

TEST(RasJson, SilentRanksAreMissingAndOthersThatLackTheCommunicatorAreNot) {
  const std::string ranks = json_rank(0, 0, "\"AllReduce\": 3") + ",\n" + json_rank(1, 1, "\"AllReduce\": 2");
  std::string unresponsive = json_missing(2, 2);
  unresponsive.replace(unresponsive.find("considered_dead\": true"), 22, "considered_dead\": false");
  const Read read(json(json_comm("0xa", 4, ranks, unresponsive + ",\n" + json_missing(3, 3, false))));
  EXPECT_EQ(read.rank(2).end.kind, EndKind::missing);
  EXPECT_EQ(read.rank(3).end.kind, EndKind::running);
  EXPECT_THAT(read.notes.warnings, ElementsAre(HasSubstr("rank 3 responds, but does not have communicator 0xa"),
                                               "no data of rank 2: its process is unresponsive"));
}

TEST(RasJson, DeadRanksEndWithAnErrorBehindWhatAllOthersHave) {
  const std::string ranks = json_rank(0, 0, "\"AllReduce\": 3") + ",\n" + json_rank(1, 1, "\"AllReduce\": 2");
  std::string dead = json_missing(2, 2);
  const std::string sure = json(json_comm("0xa", 3, ranks, dead));
  dead.replace(dead.find("considered_dead\": true"), 22, "considered_dead\": false");
  EXPECT_EQ(Read(json(json_comm("0xa", 3, ranks, dead))).rank(2).end.kind, EndKind::missing);
  const Read read(sure);
  EXPECT_EQ(read.rank(2).end.kind, EndKind::aborted);
  EXPECT_THAT(read.rank(2).end.joined, ElementsAre(Pair(0, 2)));
  ASSERT_THAT(read.ops(2), ElementsAre("abort"));
  EXPECT_THAT(read.rank(2).events[0].extras.error(), HasSubstr("considers it dead"));
  EXPECT_THAT(read.notes.warnings, IsEmpty());
}

TEST(RasJson, RanksThatLeaveACommunicatorAloneAreTold) {
  std::string ranks = json_rank(0, 0, "\"AllReduce\": 3") + ",\n" + json_rank(1, 1, "\"AllReduce\": 3");
  ranks.replace(ranks.rfind("abort_flag\": false"), 18, "abort_flag\": true");
  EXPECT_THAT(Read(json(json_comm("0xa", 2, ranks))).notes.warnings,
              ElementsAre("rank 1 aborts communicator 0xa, the others do not"));
  ranks.replace(ranks.find("abort_flag\": false"), 18, "abort_flag\": true");
  EXPECT_THAT(Read(json(json_comm("0xa", 2, ranks))).notes.warnings, IsEmpty());
}

TEST(RasJson, ErrorsStandAtTheFirstOpenCallOrAtWhatTheProgramDoes) {
  const std::string ranks = json_rank(0, 0, "\"AllReduce\": 3", 1) + ",\n" + json_rank(1, 1, "\"AllReduce\": 2", 2) +
                            ",\n" + json_rank(2, 2, "\"AllReduce\": 2", 6);
  const Read read(json(json_comm("0xa", 3, ranks)));
  EXPECT_EQ(read.rank(0).events.at(0).extras.error(), "unhandled CUDA error on communicator 0xa");
  EXPECT_THAT(read.ops(1), ElementsAre("compute"));
  EXPECT_EQ(read.rank(1).events.at(0).extras.error(), "system error on communicator 0xa");
  EXPECT_THAT(read.ops(2), IsEmpty());
  EXPECT_THAT(read.notes.warnings, Contains(HasSubstr("rank 2 noticed the end of others")));
}

TEST(RasJson, OneMissingCommaIsMendedAndSaid) {
  const std::string ranks = json_rank(0, 0, "\"AllReduce\": 3");
  for (const char* const comma : {"", "\r"}) {
    const Read read(
        json(json_comm("0xa", 3, ranks, json_missing(1, 1, true, comma) + ",\n" + json_missing(2, 2, true, comma))));
    EXPECT_EQ(read.scenario.world(), 3);
    EXPECT_THAT(read.notes.facts, Contains(HasSubstr("a comma is missing in the JSON")));
  }
}

TEST(RasJson, OtherDamageIsRejectedWithItsPlace) {
  const auto error_of = [](const std::string& text) -> std::string {
    try {
      const Read read(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::string whole = lagging();
  std::string comma = whole;
  comma.replace(comma.find("\"cuda_dev\": 0,"), 14, "\"cuda_dev\": 0 ");
  EXPECT_THAT(error_of(comma), HasSubstr("ras:20:11: "));
  EXPECT_THAT(error_of(whole.substr(0, whole.find("\"status\""))), HasSubstr("cannot be parsed"));
  std::string size = whole;
  size.replace(size.find("\"size\": 4"), 9, "\"size\": 3");
  EXPECT_THAT(error_of(size), HasSubstr("no rank 3 is in a size of 3"));
  std::string bytes = whole;
  bytes[bytes.find("10.0.0")] = '\xff';
  EXPECT_THAT(error_of(bytes), HasSubstr("ras: cannot be parsed"));
  EXPECT_THAT(error_of(json("")), HasSubstr("no communicator is in the report"));
}

TEST(RasJson, OneThatBreaksOffTellsOfTheRanksThatAreWhole) {
  const std::string whole = lagging();
  const std::size_t end_of_second = whole.find("\"rank\": 2");
  for (std::size_t end = end_of_second; end < whole.find("\"rank\": 3"); ++end) {
    const Read read(whole.substr(0, end));
    ASSERT_TRUE(read.scenario.cut) << end;
    EXPECT_EQ(read.scenario.world(), 4);
    EXPECT_EQ(read.rank(1).end.kind, EndKind::running);
    EXPECT_EQ(read.rank(3).end.kind, EndKind::missing);
    EXPECT_THAT(read.notes.warnings, Contains(HasSubstr("breaks off")));
  }
  // What only the last lines lack is whole, but for what they say.
  const Read read(whole.substr(0, whole.find("\"ras\"")));
  EXPECT_TRUE(read.scenario.cut);
  EXPECT_EQ(read.rank(3).end.kind, EndKind::running);
}

TEST(RasReports, OfOneJobTellWhetherItWentOn) {
  const Read hung(
      {memory_trace("a", lagging("2026-06-19 06:51:56")), memory_trace("b", lagging("2026-06-19 06:52:56"))});
  EXPECT_THAT(hung.notes.facts, Contains(HasSubstr("no collective was launched in between")));
  const Read moved(
      {memory_trace("b", lagging("2026-06-19 06:52:56", 1)), memory_trace("a", lagging("2026-06-19 06:51:56"))});
  EXPECT_THAT(moved.notes.facts, Contains(HasSubstr("the job was going on")));
  EXPECT_EQ(moved.rank(0).end.dropped, 20u);
}

std::string text_report(const std::string& errors, const std::string& warnings, const std::string& table = "") {
  const std::string one = "    0         1         4         8        32        32   RUNNING  MISMATCH\n";
  return "NCCL version 2.24.3 compiled with CUDA 12.6\nCUDA runtime version 12060, driver version 12060\n\n"
         "Job summary\n===========\n\n"
         "  Nodes  Processes         GPUs  Processes     GPUs\n"
         "(total)   per node  per process    (total)  (total)\n"
         "      4          8            1         32       32\n\n"
         "Communicators... (0.00s)\n=============\n\n"
         "Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors\n"
         "    #  in group  per comm  per node  per comm  in group\n" +
         (table.empty() ? one : table) + "\nErrors\n======\n\n" + errors + "Warnings\n========\n\n" + warnings;
}

TEST(RasText, NamedRanksHaveTheirCountsAndAllOthersTheOneThatIsLeft) {
  const Read read(
      text_report("",
                  "#0-0 (27a079b828ff1a75) MISMATCH\n"
                  "  Communicator ranks have different collective operation counts\n"
                  "  30 ranks have launched up to operation 6650\n"
                  "  Rank 2 has launched up to operation 6649 -- GPU 2 managed by process 483074 on node 10.0.0.1\n"
                  "  Rank 9 has not launched any operations -- GPU 1 managed by process 483081 on node 10.0.0.2\n\n"));
  EXPECT_EQ(read.scenario.world(), 32);
  EXPECT_THAT(read.ops(9), IsEmpty());
  EXPECT_EQ(read.rank(0).events.size(), 16u);
  EXPECT_EQ(read.rank(2).events.size(), 16u);
  EXPECT_THAT(read.notes.facts, Contains(HasSubstr("stand as barriers")));
  EXPECT_THAT(read.notes.facts, Contains(HasSubstr("Rank 9 has not launched any operations -- GPU 1")));
}

TEST(RasText, KindsOfCallsAndSeveralRanksOfOneCountAreRead) {
  const Read read(text_report("",
                              "#0-0 (78db921d1c117b4a) MISMATCH\n"
                              "  Communicator ranks have different AllReduce operation counts\n"
                              "  30 ranks have launched up to operation 64\n"
                              "  2 ranks have launched up to operation 63\n"
                              "  Rank 7 -- GPU 3 managed by process 1650386 on node node1\n"
                              "  Rank 8 -- GPU 0 managed by process 1650387 on node node2\n\n"));
  EXPECT_THAT(read.ops(6), ElementsAre("allreduce"));
  EXPECT_THAT(read.ops(7), IsEmpty());
  EXPECT_THAT(read.ops(8), IsEmpty());
  EXPECT_THAT(read.rank(7).end.joined, ElementsAre(Pair(0, 63)));
}

constexpr const char* kProcess = "  Process 3487984 on node 172.16.64.213 managing GPU 5\n\n";

TEST(RasText, RanksWithoutDataAreMissing) {
  for (const char* const named : {"  Rank 21 -- GPU 5 managed by process 3487984 on node 172.16.64.213\n\n",
                                  "  The missing rank: 21\n\n", "  Rank 21 -- [process information not found]\n\n"}) {
    const Read read(
        text_report(fmt::format("INCOMPLETE\n  Missing communicator data from 1 job process\n{}"
                                "#0-0 (cf264af53edbe986) INCOMPLETE\n  Missing communicator data from 1 rank\n{}",
                                kProcess, named),
                    ""));
    EXPECT_EQ(read.rank(21).end.kind, EndKind::missing) << named;
    EXPECT_EQ(read.rank(20).end.kind, EndKind::running);
    EXPECT_THAT(read.notes.warnings,
                Contains("RAS misses a process: Process 3487984 on node 172.16.64.213 managing GPU 5"));
  }
  const Read several(text_report(
      "#0-0 (cf264af53edbe986) INCOMPLETE\n  Missing communicator data from 2 ranks\n  The missing ranks: 3,21\n\n",
      "#0-0 (cf264af53edbe986) MISMATCH\n  Communicator ranks have different status\n"
      "  29 ranks have status RUNNING\n  2 ranks have status UNKNOWN\n  The unknown ranks: 3,21\n"
      "  Rank 7 has status FINALIZE -- GPU 7 managed by process 12 on node a\n\n"));
  for (const int rank : {3, 21}) EXPECT_EQ(several.rank(rank).end.kind, EndKind::missing);
  EXPECT_THAT(several.notes.warnings, Contains("rank 7 ends communicator 0xcf264af53edbe986, the others do not"));
}

TEST(RasText, RanksOfDeadProcessesEndWithAnError) {
  for (const char* const named :
       {"  Rank 21 -- GPU 5 managed by process 3487984 on node 172.16.64.213\n\n", "  The missing rank: 21\n\n"}) {
    const Read read(
        text_report(fmt::format("DEAD\n  1 job process is considered dead (unreachable via the RAS network)\n{}"
                                "#0-0 (cf264af53edbe986) INCOMPLETE\n  Missing communicator data from 1 rank\n{}",
                                kProcess, named),
                    ""));
    EXPECT_EQ(read.rank(21).end.kind, EndKind::aborted) << named;
    EXPECT_THAT(read.ops(21), ElementsAre("abort"));
    EXPECT_EQ(read.rank(20).end.kind, EndKind::running);
  }
  const Read one_of_two(
      text_report(fmt::format("DEAD\n  1 job process is considered dead (unreachable via the RAS network)\n{}"
                              "#0-0 (cf264af53edbe986) INCOMPLETE\n  Missing communicator data from 2 ranks\n"
                              "  Rank 20 -- GPU 4 managed by process 3487983 on node 172.16.64.213\n"
                              "  Rank 21 -- GPU 5 managed by process 3487984 on node 172.16.64.213\n\n",
                              kProcess),
                  ""));
  EXPECT_EQ(one_of_two.rank(20).end.kind, EndKind::missing);
  EXPECT_EQ(one_of_two.rank(21).end.kind, EndKind::aborted);
}

TEST(RasText, ErrorsAreThoseOfTheirRanks) {
  const Read read(
      text_report("#0-0 (cf264af53edbe986) ERROR\n  Asynchronous errors on 3 ranks\n"
                  "  2 ranks reported Remote process error\n"
                  "  Rank 1 -- GPU 1 managed by process 10 on node a\n"
                  "  Rank 2 -- GPU 2 managed by process 11 on node a\n"
                  "  Rank 3 reported Unhandled CUDA error -- GPU 3 managed by process 12 on node a\n\n",
                  ""));
  EXPECT_EQ(read.rank(3).events.at(0).extras.error(), "unhandled CUDA error on communicator 0xcf264af53edbe986");
  EXPECT_THAT(read.rank(1).events, IsEmpty());
}

TEST(RasText, WhatIsNotToldOfWhichRanksIsSaid) {
  const std::string both =
      "#0-0 (1) MISMATCH\n  Communicator ranks have different AllReduce operation counts\n"
      "  16 ranks have launched up to operation 64\n  16 ranks have launched up to operation 63\n\n";
  EXPECT_THAT(Read(text_report("", both)).notes.warnings, Contains(HasSubstr("ncclras -v or -f json tells")));
  const Read small(text_report("",
                               "#0-0 (2) MISMATCH\n  Communicator ranks have different AllReduce operation counts\n"
                               "  3 ranks have launched up to operation 64\n"
                               "  Rank 3 has launched up to operation 60 -- GPU 3 managed by process 12 on node a\n\n",
                               "    0         8         4         1         4        32   RUNNING  MISMATCH\n"));
  EXPECT_THAT(small.notes.warnings,
              Contains(HasSubstr("communicator 0x2 of 4 ranks, which ranks is not told: Rank 3 has")));
  EXPECT_EQ(small.scenario.world(), 32);
}

TEST(RasText, AllWellIsNoRankWithAnything) {
  const Read read(text_report("", "", "    0         8         4         1         4        32   RUNNING      OK\n"));
  EXPECT_EQ(read.scenario.world(), 32);
  EXPECT_EQ(read.scenario.event_count(), 0u);
  EXPECT_EQ(read.rank(31).end.kind, EndKind::running);
}

TEST(RasReports, AreRecognizedByTheirBeginning) {
  EXPECT_TRUE(is_ras_report(memory_trace("a", lagging())));
  EXPECT_TRUE(is_ras_report(memory_trace("a", text_report("", ""))));
  EXPECT_FALSE(is_ras_report(memory_trace("a", "{\"petri\":1}")));
  EXPECT_FALSE(is_ras_report(memory_trace("a", "Job summary\n")));
}

}  // namespace
}  // namespace petri
