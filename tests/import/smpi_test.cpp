// Time-independent traces as SimGrid 3.32 writes them and as its older examples are written by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "harness/import/foreign.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/write.hpp"

namespace petri::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
namespace fs = std::filesystem;

class SmpiTrace : public testing::Test {
 protected:
  SmpiTrace() {
    std::string name = fs::temp_directory_path() / "petri-smpi-test-XXXXXX";
    top_ = mkdtemp(name.data());
  }
  ~SmpiTrace() override { fs::remove_all(top_); }

  fs::path write(const std::string& name, const std::string& text) const {
    fs::create_directories((top_ / name).parent_path());
    std::ofstream(top_ / name, std::ios::binary) << text;
    return top_ / name;
  }
  Imported import(const std::string& text) const { return import_foreign({write("trace", text)}); }
  std::string error_of(const std::string& text) const {
    try {
      import(text);
    } catch (const InputError& error) {
      return fs::path(error.what()).filename().string();
    }
    return "";
  }

  fs::path top_;
};

std::vector<std::string> lines(const Scenario& scenario, std::int32_t rank) {
  std::vector<std::string> lines;
  for (std::uint32_t i = 0; i < scenario.ranks[static_cast<std::size_t>(rank)].events.size(); ++i) {
    const std::string line = line_of(scenario, {rank, i});
    lines.push_back(line.substr(line.find(',') + 1));
  }
  return lines;
}

TEST_F(SmpiTrace, MessagesHaveTagsCountsAndTypes) {
  const Scenario scenario = import(
                                "0 init\n0 compute 0.32\n0 send 1 9 2 1\n0 location solve.c 12\n0 isend 1 5 8 0\n"
                                "0 wait 0 1 5\n0 finalize\n"
                                "1 init\n1 recv -333 9 4 1\n1 irecv 0 -444 8 0\n1 wait 0 1 5\n1 finalize\n")
                                .scenario;
  EXPECT_THAT(
      lines(scenario, 0),
      ElementsAre(R"("op":"init"})", R"("op":"send","count":2,"dtype":"int32","peer":1,"tag":9})",
                  R"("op":"isend","count":8,"dtype":"float64","peer":1,"tag":5,"request":0,"site":"solve.c:12"})",
                  R"("op":"wait","request":0})", R"("op":"finalize"})"));
  EXPECT_THAT(lines(scenario, 1),
              ElementsAre(R"("op":"init"})", R"("op":"recv","count":4,"dtype":"int32","peer":"any","tag":9})",
                          R"("op":"irecv","count":8,"dtype":"float64","peer":0,"tag":"any","request":0})",
                          R"("op":"wait","request":0})", R"("op":"finalize"})"));
  EXPECT_EQ(scenario.ranks[0].end.kind, EndKind::finalized);
}

TEST_F(SmpiTrace, CollectivesTakeTheirArgumentsInEachForm) {
  const Scenario scenario = import(
                                "0 bcast 4\n0 bcast 4 1 5\n0 reduce 8 0 1 0\n0 allreduce 5e4 5e8\n0 alltoall 3 3 1 1\n"
                                "0 gather 2 2 0 1 1\n0 scatter 2 2 1 1 4\n0 allgather 1 2 1 1\n0 barrier\n"
                                "0 gatherv 1 1 2 0 1 1\n0 allgatherv 1 1 2 1 1\n0 scatterv 1 2 2 1 1 1\n"
                                "0 reduceScatter 3 4 100 0\n0 allToAllV 100 1 40 1000 1 80\n0 scan 8 0 0\n"
                                "0 finalize\n1 finalize\n")
                                .scenario;
  EXPECT_THAT(
      lines(scenario, 0),
      ElementsAre(
          R"("op":"bcast","count":4,"dtype":"float64","root":0})",
          R"("op":"bcast","count":4,"dtype":"float32","root":1})",
          R"("op":"reduce","count":8,"dtype":"float64","root":1})",
          R"("op":"allreduce","count":50000,"dtype":"float64"})", R"("op":"alltoall","count":3,"dtype":"int32"})",
          R"("op":"gather","count":2,"dtype":"int32","root":0})",
          R"("op":"scatter","root":1,"recvcount":2,"recvtype":"int64"})",
          R"("op":"allgather","sendcount":1,"sendtype":"int32","recvcount":2,"recvtype":"int32"})",
          R"("op":"barrier"})",
          R"("op":"gatherv","root":0,"sendcount":1,"sendtype":"int32","recvcounts":[1,2],"recvtype":"int32"})",
          R"("op":"allgatherv","sendcount":1,"sendtype":"int32","recvcounts":[1,2],"recvtype":"int32"})",
          R"("op":"scatterv","root":1,"recvcount":2,"recvtype":"int32"})",
          R"("op":"reduce_scatter","counts":[3,4],"dtype":"float64"})",
          R"("op":"alltoallv","sendcounts":[1,40],"sendtype":"float64","recvcounts":[1,80],"recvtype":"float64"})",
          R"("op":"scan","count":8,"dtype":"float64"})", R"("op":"finalize"})"));
}

TEST_F(SmpiTrace, ARequestIsTheOldestThatFits) {
  const Scenario scenario = import(
                                "0 irecv 1 5 8 0\n0 irecv 1 5 8 0\n0 ibarrier\n0 irecv -333 7 8 0\n"
                                "0 wait -333 -333 -779\n0 wait 1 0 7\n0 wait 1 0 5\n0 wait 1 0 5\n0 wait 1 0 5\n"
                                "0 finalize\n1 finalize\n")
                                .scenario;
  std::vector<std::uint32_t> requests;
  for (const Event& event : scenario.ranks[0].events)
    if (event.op == Op::wait) requests.push_back(event.request);
  EXPECT_THAT(requests, ElementsAre(2, 3, 0, 1));
}

TEST_F(SmpiTrace, OfTestsTheLastOneSucceededWhereNoneFollows) {
  const Scenario scenario =
      import("0 irecv 1 7 1 1\n0 test 1 0 7\n0 test 1 0 7\n0 test 1 0 7\n0 finalize\n1 finalize\n").scenario;
  EXPECT_THAT(lines(scenario, 0), ElementsAre(HasSubstr("irecv"), R"("op":"test","request":0,"flag":false,"polls":2})",
                                              R"("op":"test","request":0,"flag":true})", R"("op":"finalize"})"));
}

TEST_F(SmpiTrace, AWaitForSomeOfTheRequestsIsForTheLastOnes) {
  const Imported read =
      import("0 irecv 1 1 8 0\n0 irecv 1 2 8 0\n0 isend 1 3 8 0\n0 waitAll 2\n0 waitall\n0 finalize\n1 finalize\n");
  EXPECT_THAT(lines(read.scenario, 0), Contains(R"("op":"waitall","requests":[1,2]})"));
  EXPECT_THAT(lines(read.scenario, 0), Contains(R"("op":"waitall","requests":[0]})"));
  EXPECT_THAT(read.notes.facts, Contains(HasSubstr("1 call for some of the open requests")));
}

TEST_F(SmpiTrace, OldTracesHaveNoTagsAndWaitForTheLastRequest) {
  const Imported read = import(
      "0 init\n1 init\n\n# by hand\n0 send 1 1e9\n1 Irecv 0 1e9\n1 Isend 0 1e6\n1 wait\n1 wait\n0 recv 1 1e6\n"
      "0 finalize\n1 finalize\n");
  EXPECT_THAT(lines(read.scenario, 0)[1], R"("op":"send","count":1000000000,"dtype":"byte","peer":1,"tag":0})");
  EXPECT_THAT(lines(read.scenario, 1)[3], R"("op":"wait","request":1})");
  EXPECT_THAT(lines(read.scenario, 1)[4], R"("op":"wait","request":0})");
  EXPECT_THAT(read.notes.facts, Contains(HasSubstr("before SimGrid 3.20")));
}

TEST_F(SmpiTrace, ARankThatDoesNotFinalizeIsInItsLastCall) {
  const Scenario scenario = import("0 barrier\n0 recv 1 0 1 6\n1 barrier\n1 finalize\n").scenario;
  EXPECT_THAT(lines(scenario, 0)[1], HasSubstr(R"("state":"started")"));
  EXPECT_EQ(scenario.ranks[0].end.kind, EndKind::running);
}

TEST_F(SmpiTrace, ARankThatComputesBehindACallHasReturnedFromIt) {
  const Scenario scenario = import("0 barrier\n0 compute 5\n1 barrier\n1 barrier\n").scenario;
  EXPECT_THAT(lines(scenario, 0).back(), Not(HasSubstr("state")));
  EXPECT_THAT(lines(scenario, 1).back(), HasSubstr(R"("state":"started")"));
}

TEST_F(SmpiTrace, ARankWithoutATraceMadeWhatAllOthersMade) {
  const Scenario behind = import("0 barrier\n0 barrier\n1 barrier\n1 compute 5\n3 barrier\n3 barrier\n").scenario;
  EXPECT_THAT(behind.ranks[2].end.joined, ElementsAre(Pair(0, 1)));
  const Scenario equal = import("0 barrier\n0 barrier\n1 barrier\n1 barrier\n3 barrier\n3 barrier\n").scenario;
  EXPECT_THAT(equal.ranks[2].end.joined, ElementsAre(Pair(0, 1)));
  EXPECT_THAT(import("0 barrier\n1 barrier\n3 barrier\n").scenario.ranks[2].end.joined, IsEmpty());
}

TEST_F(SmpiTrace, AnIndexLeadsToItsFilesAndCountsNoneTwice) {
  write("t_files/rank-1.txt", "0 barrier\n0 finalize\n");
  write("t_files/rank-2.txt", "1 barrier\n1 finalize\n");
  const fs::path index = write("t", "t_files/rank-1.txt\nt_files/rank-2.txt\n");
  for (const fs::path& source : {index, top_}) {
    const Imported read = import_foreign({source});
    EXPECT_EQ(read.scenario.world(), 2);
    EXPECT_EQ(read.scenario.event_count(), 4u);
    EXPECT_THAT(read.notes.warnings, ElementsAre());
  }
}

TEST_F(SmpiTrace, AnIndexLeadsNowhereElse) {
  write("secret", "1 barrier\n");
  write("in/t_files/rank-1.txt", "0 barrier\n");
  const fs::path index = write("in/t", "t_files/rank-1.txt\n../secret\n/etc/passwd\ngone\n");
  const Imported read = import_foreign({index});
  EXPECT_EQ(read.scenario.world(), 1);
  EXPECT_EQ(read.notes.warnings.size(), 3u);
}

TEST_F(SmpiTrace, RanksWithoutAFileAreMissing) {
  const Scenario scenario = import("2 comm_size 4\n2 barrier\n2 finalize\n").scenario;
  EXPECT_EQ(scenario.world(), 4);
  EXPECT_EQ(scenario.ranks[3].end.kind, EndKind::missing);
}

TEST_F(SmpiTrace, WhatIsUnknownIsLeftOutAndSaid) {
  EXPECT_THAT(import("0 barrier\n0 IO-write 5\n0 finalize\n").notes.facts, Contains(HasSubstr("1 line of io-write")));
}

TEST_F(SmpiTrace, ALastLineThatIsCutIsAWarning) {
  const Imported read = import("0 barrier\n0 send 1 5\n1 barrier\n0 send 1 5 8 0\n0 send 1");
  EXPECT_EQ(read.scenario.ranks[0].end.kind, EndKind::cut);
  EXPECT_THAT(read.notes.warnings, ElementsAre(HasSubstr("in the middle of its last line")));
}

TEST_F(SmpiTrace, WhatIsWrongIsToldWithItsLine) {
  EXPECT_EQ(error_of("0 barrier\nx barrier\n0 finalize\n"),
            "trace:2:1: a line must begin with a rank from 0 to 1048575, got 'x'");
  EXPECT_EQ(error_of("0 barrier\n0 send 3 0 8 0\n1 barrier\n"),
            "trace:2:1: its peer must be a rank of the 2 that there are, got 3");
  EXPECT_EQ(error_of("0 barrier\n0 bcast -4\n"), "trace:2:1: its count must not be negative, got -4");
  EXPECT_EQ(error_of("0 barrier\n0 bcast 1e300\n"), "trace:2:1: its count must be a whole number, got '1e300'");
  EXPECT_EQ(error_of("0 barrier\n0 bcast\n"), "trace:2:1: bcast needs its count, which is missing");
  EXPECT_EQ(error_of("0 barrier\n0 alltoallv 1 2 3\n1 barrier\n"),
            "trace:2:1: alltoallv needs 2 counts to receive, one for each rank, got 0");
  EXPECT_EQ(error_of("0 finalize\n0 barrier\n"), "trace:2:1: nothing can follow finalize of rank 0, got barrier");
}

}  // namespace
}  // namespace petri::test
