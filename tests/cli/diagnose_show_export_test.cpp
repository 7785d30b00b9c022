// petri diagnose, show and export as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/petri_process.hpp"

namespace petri::cli::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Rank 1 of four makes one barrier more than the others.
const char* const kExtraCall = R"({"petri":1,"job":"extra","world":4}
{"rank":0,"op":"allreduce","count":4,"dtype":"float32","reduce":"sum","step":7,"site":"train.cpp:41"}
{"rank":0,"op":"allreduce","count":4,"dtype":"float32","reduce":"sum","step":8,"site":"train.cpp:41"}
{"rank":1,"op":"allreduce","count":4,"dtype":"float32","reduce":"sum","step":7,"site":"train.cpp:41"}
{"rank":1,"op":"barrier","step":7,"site":"guard.cpp:9"}
{"rank":1,"op":"allreduce","count":4,"dtype":"float32","reduce":"sum","step":8,"site":"train.cpp:41"}
{"rank":2,"op":"allreduce","count":4,"dtype":"float32","reduce":"sum","step":7,"site":"train.cpp:41"}
{"rank":2,"op":"allreduce","count":4,"dtype":"float32","reduce":"sum","step":8,"site":"train.cpp:41"}
{"rank":3,"op":"allreduce","count":4,"dtype":"float32","reduce":"sum","step":7,"site":"train.cpp:41"}
{"rank":3,"op":"allreduce","count":4,"dtype":"float32","reduce":"sum","step":8,"site":"train.cpp:41"}
{"end":true,"events":9}
)";

TEST(Command, SaysItsVersion) {
  const Ran ran = Scratch().petri({"--version"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(ran.out.starts_with("petri ")) << ran.out;
}

// What `petri words` says where its standard output is redirected in this way.
Ran redirected(const Scratch& scratch, const std::string& words, const std::string& redirection) {
  return scratch.run({"sh", "-c", "\"$1\" " + words + redirection, "sh", PETRI_PROGRAM});
}

TEST(Command, TellsWhenItsOutputIsLost) {
  const Scratch scratch;
  scratch.write("case.jsonl", kExtraCall);
  scratch.write("check/hang.jsonl",
                "{\"petri\":1,\"world\":2,\"expect\":{\"verdict\":\"deadlock\"}}\n"
                "{\"rank\":0,\"op\":\"barrier\"}\n{\"end\":true,\"events\":1}\n");
  for (const char* const words :
       {"--help", "--version", "diagnose --help", "diagnose case.jsonl", "diagnose --json case.jsonl",
        "compare --count 3", "show case.jsonl", "import case.jsonl", "export --to c case.jsonl",
        "shrink --no-live case.jsonl", "check --model-only check", "check --model-only --report tap check"}) {
    const Ran full = redirected(scratch, words, " >/dev/full");
    EXPECT_EQ(full.status, 3) << words;
    EXPECT_THAT(full.err, HasSubstr("standard output: cannot be written: ")) << words;
    const Ran closed = redirected(scratch, words, " >&-");
    EXPECT_EQ(closed.status, 3) << words;
    EXPECT_THAT(closed.err, HasSubstr("standard output: cannot be written: ")) << words;
  }
}

TEST(Command, TellsWhyItsOutputIsLost) {
  const Scratch scratch;
  scratch.write("case.jsonl", kExtraCall);
  EXPECT_EQ(redirected(scratch, "diagnose case.jsonl", " >/dev/full").err,
            "petri: standard output: cannot be written: No space left on device\n");
  EXPECT_EQ(redirected(scratch, "diagnose case.jsonl", " >&-").err,
            "petri: standard output: cannot be written: Bad file descriptor\n");
}

TEST(Command, IsQuietWhereItsReaderHasReadEnough) {
  const Scratch scratch;
  scratch.write("case.jsonl", kExtraCall);
  for (const char* const before : {"", "trap '' PIPE; "}) {
    const std::string script = before + std::string("{ sleep 0.3; \"$1\" import case.jsonl; } | true");
    EXPECT_EQ(scratch.run({"sh", "-c", script, "sh", PETRI_PROGRAM}).err, "");
  }
}

TEST(Diagnose, SaysWhatIsWrongAndWhoBeganIt) {
  const Scratch scratch;
  scratch.write("case.jsonl", kExtraCall);
  const Ran ran = scratch.petri({"diagnose", "case.jsonl"});
  EXPECT_EQ(ran.status, 10);
  EXPECT_THAT(ran.out, StartsWith("deadlock: begun by rank 1\n"));
  EXPECT_THAT(ran.out, HasSubstr("ranks 0,2,3 in allreduce(4 float32 sum), step 8, at train.cpp:41"));
  EXPECT_EQ(ran.err, "");
}

TEST(Diagnose, TellsTheSameToPrograms) {
  const Scratch scratch;
  scratch.write("case.jsonl", kExtraCall);
  const Ran ran = scratch.petri({"diagnose", "--json", "case.jsonl"});
  EXPECT_EQ(ran.status, 10);
  EXPECT_THAT(ran.out, StartsWith(R"({"verdict":"deadlock","signature":")"));
  EXPECT_THAT(ran.out, HasSubstr(R"("culprits":[1])"));
}

TEST(Diagnose, JudgesSendsByTheAssumption) {
  const Scratch scratch;
  scratch.write("case.jsonl", R"({"petri":1,"world":2}
{"rank":0,"op":"send","peer":1,"count":10,"dtype":"int8"}
{"rank":0,"op":"recv","peer":1,"count":10,"dtype":"int8"}
{"rank":1,"op":"send","peer":0,"count":10,"dtype":"int8"}
{"rank":1,"op":"recv","peer":0,"count":10,"dtype":"int8"}
{"end":true}
)");
  EXPECT_EQ(scratch.petri({"diagnose", "case.jsonl"}).status, 10);
  EXPECT_EQ(scratch.petri({"diagnose", "--assume", "buffered", "case.jsonl"}).status, 0);
  EXPECT_EQ(scratch.petri({"diagnose", "--assume", "buffered:9", "case.jsonl"}).status, 10);
  EXPECT_EQ(scratch.petri({"diagnose", "--assume", "buffered:-1", "case.jsonl"}).status, 2);
  EXPECT_EQ(scratch.petri({"diagnose", "--assume", "luck", "case.jsonl"}).status, 2);
}

TEST(Diagnose, RefusesBadInput) {
  const Scratch scratch;
  scratch.write("count.jsonl", "{\"petri\":1,\"world\":2}\n{\"rank\":0,\"op\":\"bcast\",\"count\":-3}\n");
  const Ran ran = scratch.petri({"diagnose", "count.jsonl"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.err, "petri: count.jsonl:2:32: \"count\" must be a whole number ≥ 0, got -3\n");
  EXPECT_EQ(scratch.petri({"diagnose", "none.jsonl"}).status, 2);
  scratch.write("header.jsonl", "{\"petri\":1,\"world\":10000}\n");
  EXPECT_EQ(scratch.petri({"diagnose", "header.jsonl"}).status, 2);
  EXPECT_EQ(scratch.petri({"diagnose"}).status, 2);
}

TEST(Diagnose, LeavesACutFileUndecided) {
  const Scratch scratch;
  scratch.write("cut.jsonl", "{\"petri\":1,\"world\":2}\n{\"rank\":0,\"op\":\"barrier\"}\n{\"rank\":1,\"op");
  EXPECT_EQ(scratch.petri({"diagnose", "cut.jsonl"}).status, 4);
}

TEST(Show, PutsTheRanksSideBySide) {
  const Scratch scratch;
  scratch.write("case.jsonl", kExtraCall);
  const Ran ran = scratch.petri({"show", "case.jsonl"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, golden("show.txt", ran.out));
}

TEST(Show, TakesRanksAndRows) {
  const Scratch scratch;
  scratch.write("case.jsonl", kExtraCall);
  const Ran ran = scratch.petri({"show", "--ranks", "0,2-3", "--around", "0", "case.jsonl"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, golden("show_ranks.txt", ran.out));
  for (const char* const bad : {"4", "-1", "2-1", "a", ""})
    EXPECT_EQ(scratch.petri({"show", "--ranks", bad, "case.jsonl"}).status, 2) << bad;
  EXPECT_THAT(scratch.petri({"show", "--ranks", "0-5,9", "case.jsonl"}).err,
              HasSubstr("--ranks 0-5,9: there is no rank 4-5,9: the scenario has 4 ranks, from 0 to 3"));
}

TEST(Export, WritesAProgram) {
  const Scratch scratch;
  scratch.write("case.jsonl", kExtraCall);
  const Ran printed = scratch.petri({"export", "--to", "c", "case.jsonl"});
  EXPECT_EQ(printed.status, 0);
  EXPECT_THAT(printed.out, HasSubstr(" * Verdict:   deadlock\n"));
  EXPECT_EQ(scratch.petri({"export", "--to", "c", "-o", "case.c", "case.jsonl"}).status, 0);
  EXPECT_EQ(scratch.read("case.c"), printed.out);
}

TEST(Export, KeepsItsInput) {
  const Scratch scratch;
  const std::string text = R"({"petri":1,"world":1}
{"rank":0,"op":"barrier"}
{"end":true,"events":1}
)";
  scratch.write("a.jsonl", text);
  EXPECT_EQ(scratch.petri({"export", "--to", "c", "-o", "a.jsonl", "a.jsonl"}).status, 2);
  EXPECT_EQ(scratch.read("a.jsonl"), text);
}

TEST(Export, SaysWhatItCannotWrite) {
  const Scratch scratch;
  scratch.write("case.jsonl",
                "{\"petri\":1,\"world\":1}\n{\"rank\":0,\"op\":\"cart_create\",\"new\":\"c\"}\n{\"end\":true}\n");
  const Ran ran = scratch.petri({"export", "--to", "c", "case.jsonl"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(
      ran.err,
      HasSubstr("case.jsonl: rank 0, event 0: cart_create cannot be written: the extents of its grid are not known"));
  EXPECT_EQ(scratch.petri({"export", "--to", "fortran", "case.jsonl"}).status, 2);
}

}  // namespace
}  // namespace petri::cli::testing
