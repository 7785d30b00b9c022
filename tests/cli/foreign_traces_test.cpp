// Traces that others recorded, as they come to the command: one by one, in folders, beside what is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/petri_process.hpp"
#include "tests/import/flight_job.hpp"

namespace petri::cli::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Flight Recorder dumps of a job of four ranks, dumps/rank_0 to dumps/rank_3, in which one of them stops.
class ForeignTraces : public ::testing::Test {
 protected:
  ForeignTraces() {
    test::FlightJobOptions options;
    options.ranks = 4;
    options.entries = 40;
    options.frames = 1;
    options.fault = test::FlightFault::missing_last;
    const test::FlightJob job(options);
    for (std::int32_t rank = 0; rank < options.ranks; ++rank)
      scratch_.write("dumps/rank_" + std::to_string(rank), test::flight_pickle(job.dump(rank)));
    culprit_ = std::to_string(job.culprits().front());
  }

  std::vector<std::string> with_dumps(std::vector<std::string> words) const {
    for (int rank = 0; rank < 4; ++rank) words.push_back("dumps/rank_" + std::to_string(rank));
    return words;
  }

  Scratch scratch_;
  std::string culprit_;
};

TEST_F(ForeignTraces, SeveralFilesAreOneTrace) {
  for (const std::vector<std::string>& command : {std::vector<std::string>{"diagnose"},
                                                  {"diagnose", "--json"},
                                                  {"show"},
                                                  {"export", "--to", "perfetto"},
                                                  {"import"},
                                                  {"replay", "--json"}}) {
    std::vector<std::string> folder = command;
    folder.emplace_back("dumps");
    const Ran expected = scratch_.petri(folder), ran = scratch_.petri(with_dumps(command));
    EXPECT_EQ(ran.status, expected.status) << command[0] << ran.err;
    if (command[0] == "replay" || command[0] == "export") continue;
    EXPECT_EQ(ran.out, expected.out) << command[0];
  }
  const Ran diagnosed = scratch_.petri(with_dumps({"diagnose"}));
  EXPECT_EQ(diagnosed.status, 15) << diagnosed.err;
  EXPECT_THAT(diagnosed.out, HasSubstr("skew: begun by rank " + culprit_));
  EXPECT_EQ(diagnosed.err, "");
}

TEST_F(ForeignTraces, FilesAndFoldersTogetherAreOneTraceInWhichEachFileCountsOnce) {
  fs::create_directories(scratch_.folder() / "other");
  fs::rename(scratch_.folder() / "dumps/rank_3", scratch_.folder() / "other/rank_3");
  const Ran ran = scratch_.petri({"diagnose", "other", "dumps", "dumps/rank_0", "./dumps/../dumps/rank_1"});
  EXPECT_EQ(ran.status, 15) << ran.err;
  EXPECT_EQ(ran.err, "");
}

TEST_F(ForeignTraces, SeveralShrinkToAFileCalledAfterTheirFolder) {
  const Ran ran = scratch_.petri(with_dumps({"shrink", "--no-live"}));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("dumps/rank_0 and 3 others"));
  EXPECT_THAT(scratch_.read("dumps.min.jsonl"), HasSubstr(R"("source":"dumps/rank_0 and 3 others")"));
  EXPECT_EQ(scratch_.petri(with_dumps({"shrink", "--no-live", "-o", "dumps/rank_2"})).status, 2);
  const Ran filed = scratch_.petri(with_dumps({"check", "--to", "guards", "--name", "stop", "--add"}));
  EXPECT_EQ(filed.status, 0) << filed.err;
  EXPECT_THAT(scratch_.petri(with_dumps({"check", "--add"})).err, HasSubstr("--name"));
}

TEST_F(ForeignTraces, WhatIsNoTraceAmongSeveralIsLeftOutAndTold) {
  scratch_.write("dumps/readme", "see the wiki\n");
  scratch_.write("dumps/broken.gz", "\x1f\x8b\x08 and so on");
  const Ran ran = scratch_.petri(with_dumps({"diagnose", "dumps/broken.gz", "dumps/readme"}));
  EXPECT_EQ(ran.status, 15) << ran.err;
  EXPECT_THAT(ran.err, AllOf(HasSubstr("no trace: dumps/readme"), HasSubstr("dumps/broken.gz: ")));
  const Ran folder = scratch_.petri({"diagnose", "dumps"});
  EXPECT_EQ(folder.status, 15) << folder.err;
  EXPECT_EQ(folder.err, ran.err);
}

TEST_F(ForeignTraces, SeveralScenariosAreNotOne) {
  scratch_.write("case.jsonl", extra_barrier());
  const Ran two = scratch_.petri({"diagnose", "case.jsonl", "case.jsonl"});
  EXPECT_EQ(two.status, 2);
  EXPECT_THAT(two.err, HasSubstr("parts of one"));
  const Ran compared = scratch_.petri({"compare", "--locate", "dumps/rank_0", "dumps/rank_1", "dumps/rank_2"});
  EXPECT_EQ(compared.status, 2);
  EXPECT_THAT(compared.err, HasSubstr("petri import"));
}

TEST_F(ForeignTraces, ADigestOfTheInputIsMadeAlsoWhereFilesAreBroken) {
  scratch_.write("dumps/broken.zst", "\x28\xb5\x2f\xfd and so on");
  const Ran ran = scratch_.petri({"shrink", "--no-live", "-o", "small.jsonl", "dumps"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("dumps/broken.zst"));
}

}  // namespace
}  // namespace petri::cli::testing
