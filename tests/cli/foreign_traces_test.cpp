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
                                                  {"import"}}) {
    std::vector<std::string> folder = command;
    folder.emplace_back("dumps");
    const Ran expected = scratch_.petri(folder), ran = scratch_.petri(with_dumps(command));
    EXPECT_EQ(ran.status, expected.status) << command[0] << ran.err;
    if (command[0] == "export") continue;
    EXPECT_EQ(ran.out, expected.out) << command[0];
  }
  const Ran diagnosed = scratch_.petri(with_dumps({"diagnose"}));
  EXPECT_EQ(diagnosed.status, 15) << diagnosed.err;
  EXPECT_THAT(diagnosed.out, HasSubstr("skew: begun by rank " + culprit_));
  EXPECT_EQ(diagnosed.err, "");
}

// Live: a test of its own in CTest, beside which nothing else runs.
TEST_F(ForeignTraces, ReplayTakesSeveralFiles) {
  const Ran ran = scratch_.petri(with_dumps({"replay", "--json"}));
  EXPECT_EQ(ran.status, 15) << ran.out << ran.err;
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
  EXPECT_THAT(two.err, HasSubstr("case.jsonl: is a scenario, which is read by itself"));
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

TEST_F(ForeignTraces, ComeThroughAPipe) {
  const Ran expected = scratch_.petri({"diagnose", "dumps"});
  for (const char* line : {R"(tar c dumps | "$1" diagnose -)", R"(tar c dumps | zstd -q | "$1" diagnose -)",
                           R"(tar c dumps | gzip | "$1" diagnose -)", R"("$1" diagnose <(tar c dumps))",
                           R"(tar c dumps/rank_[01] | "$1" diagnose - dumps/rank_2 dumps/rank_3)"}) {
    const Ran ran = scratch_.run({"bash", "-c", line, "bash", PETRI_PROGRAM});
    EXPECT_EQ(ran.status, 15) << line << ran.err;
    EXPECT_EQ(ran.out, expected.out) << line;
    EXPECT_EQ(ran.err, "") << line;
  }
}

TEST_F(ForeignTraces, WhatIsMadeOfAPipeAndFilesSaysSo) {
  const std::string line =
      R"(tar c dumps/rank_[01] | "$1" shrink --no-live -o small.jsonl - dumps/rank_2 dumps/rank_3)";
  const Ran ran = scratch_.run({"bash", "-c", line, "bash", PETRI_PROGRAM});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("standard input and 2 others"));
}

TEST_F(ForeignTraces, ThatComeThroughAPipeOneByOneHaveNoNameToTellTheirRank) {
  const Ran one = scratch_.run({"bash", "-c", R"(gzip -c dumps/rank_3 | "$1" diagnose -)", "bash", PETRI_PROGRAM});
  EXPECT_EQ(one.status, 4) << one.err;
  EXPECT_THAT(one.err, AllOf(HasSubstr("standard input: has no file name"), HasSubstr("counts as rank ")));
}

TEST_F(ForeignTraces, NothingIsLeftBehindOfWhatCameThroughAPipe) {
  fs::create_directories(scratch_.folder() / "temporary");
  const std::string filler(std::size_t{20} << 20, 'x');  // more than is kept in memory
  scratch_.write("dumps/filler", filler);
  const Ran ran =
      scratch_.run({"bash", "-c", R"(tar c dumps | TMPDIR=$PWD/temporary "$1" diagnose -)", "bash", PETRI_PROGRAM});
  EXPECT_EQ(ran.status, 15) << ran.err;
  EXPECT_TRUE(fs::is_empty(scratch_.folder() / "temporary"));
  const Ran nowhere =
      scratch_.run({"bash", "-c", R"(tar c dumps | TMPDIR=/nowhere "$1" diagnose -)", "bash", PETRI_PROGRAM});
  EXPECT_EQ(nowhere.status, 3);
  EXPECT_THAT(nowhere.err, HasSubstr("TMPDIR"));
}

TEST_F(ForeignTraces, WhatIsNoneIsToldWithWhatIsRead) {
  scratch_.write("junk", "hello\n");
  scratch_.write("nothing", "");
  scratch_.write("json", "{\"traces\":[]}\n");
  scratch_.write("broken.tar.gz", std::string("\x1f\x8b\x08\x00", 4) + std::string(1000, 'x'));
  fs::create_directories(scratch_.folder() / "empty");
  for (const auto& [source, reason] :
       std::vector<std::pair<std::string, std::string>>{{"junk", "junk: by its content, this is no trace"},
                                                        {"json", "json: by its content, this is no trace"},
                                                        {"nothing", "nothing: the file is empty"},
                                                        {"empty", "empty: no file is there"},
                                                        {"/dev/null", "/dev/null: the file is empty"},
                                                        {"/dev/zero", "/dev/zero: by its content, this is no trace"}}) {
    const Ran ran = scratch_.petri({"diagnose", source});
    EXPECT_EQ(ran.status, 2) << source;
    EXPECT_THAT(ran.err, AllOf(HasSubstr(reason), HasSubstr("PyTorch Flight Recorder"), HasSubstr("NCCL and RCCL logs"),
                               HasSubstr("scenario file")));
  }
  EXPECT_THAT(scratch_.petri({"diagnose", "broken.tar.gz"}).err, HasSubstr("broken.tar.gz: cannot be unpacked: "));
}

TEST_F(ForeignTraces, APickleThatWouldCallSomethingSaysWhere) {
  const std::string opcode = "GLOBAL would construct or call something";
  for (const auto& [pickle, place] :
       std::vector<std::pair<std::string, std::string>>{{"\x80\x02"
                                                         "cos\nsystem\nX\x02",
                                                         "byte 2: "},
                                                        {"cos\nsystem\n(S'id'\ntR.", "byte 0: "}}) {
    scratch_.write("evil/rank_0", pickle);
    for (const char* const source : {"evil", "evil/rank_0"}) {
      const Ran ran = scratch_.petri({"diagnose", source});
      EXPECT_EQ(ran.status, 2);
      EXPECT_THAT(ran.err, HasSubstr("evil/rank_0: " + place + opcode));
    }
  }
}

TEST_F(ForeignTraces, ACopyOfADumpCountsOnceAndAnotherOneOfItsRankIsRefused) {
  const std::string one = scratch_.read("dumps/rank_1");
  scratch_.write("dumps/rank_1 (1)", one);
  const Ran copied = scratch_.petri({"diagnose", "dumps"});
  EXPECT_EQ(copied.status, 15);
  EXPECT_THAT(copied.err, AllOf(HasSubstr("left out as a copy"), HasSubstr("dumps/rank_1 (1) (as dumps/rank_1)")));
  scratch_.write("dumps/rank_1 (1)", scratch_.read("dumps/rank_2"));
  const Ran other = scratch_.petri({"diagnose", "dumps"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err,
              AllOf(HasSubstr("dumps/rank_1 (1): by its name this is rank 1"), HasSubstr("as dumps/rank_1 is")));
}

TEST_F(ForeignTraces, AScenarioThatIsCompressedInAnotherWaySaysHowToUnpackIt) {
  scratch_.write("case.jsonl", extra_barrier());
  ASSERT_EQ(scratch_.run({"gzip", "case.jsonl"}).status, 0);
  const Ran ran = scratch_.petri({"diagnose", "case.jsonl.gz"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("unpack it by gzip -dc"));
}

TEST_F(ForeignTraces, AreListedByFormatAndHaveNoJobs) {
  const Ran list = scratch_.petri({"import", "--list", "dumps"});
  EXPECT_EQ(list.status, 0) << list.err;
  EXPECT_EQ(list.out, "PyTorch Flight Recorder  4 files: dumps/rank_0, dumps/rank_1, dumps/rank_2 and 1 other\n");
  const Ran job = scratch_.petri({"import", "--job", "1", "dumps"});
  EXPECT_EQ(job.status, 2);
  EXPECT_THAT(job.err, HasSubstr("name the files of one job"));
  scratch_.write("case.jsonl", extra_barrier());
  EXPECT_THAT(scratch_.petri({"import", "--list", "case.jsonl"}).err, HasSubstr("is a scenario"));
}

TEST_F(ForeignTraces, NamesOfFilesSteerNoTerminal) {
  scratch_.write("dumps/\x1b[31m\nrank_9", "no trace\n");
  scratch_.write("dumps/\xff\xfe.gz", "\x1f\x8b\x08 and so on");
  for (const std::string command : {"diagnose", "import"}) {
    const Ran ran = scratch_.petri({command, "dumps"});
    EXPECT_THAT(ran.err, AllOf(HasSubstr("rank_9"), HasSubstr(".gz"), Not(HasSubstr("\x1b")),
                               Not(HasSubstr("\nrank_9")), Not(HasSubstr("\xff"))));
  }
}

}  // namespace
}  // namespace petri::cli::testing
