// petri import as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/cli/petri_process.hpp"
#include "tests/import/record_file.hpp"

namespace petri::cli::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

void write_record(const std::filesystem::path& file, int rank, Op op, const char* job, std::int64_t start_ns) {
  test::RecordFile made(rank, 2);
  made.event(op);
  std::strcpy(made.header().job, job);
  made.header().start_ns = start_ns;
  std::filesystem::create_directories(file.parent_path());
  made.write(file);
}

TEST(Import, TakesTheLatestOfSeveralJobsAndSaysSo) {
  const Scratch scratch;
  write_record(scratch.folder() / "records/1.petri-record", 0, Op::barrier, "first", 1000);
  write_record(scratch.folder() / "records/2.petri-record", 1, Op::barrier, "first", 1001);
  write_record(scratch.folder() / "records/3.petri-record", 0, Op::finalize, "second", 2000);
  write_record(scratch.folder() / "more/4.petri-record", 1, Op::finalize, "second", 2001);
  const Ran latest = scratch.petri({"import", "records", "more"});
  EXPECT_EQ(latest.status, 0);
  EXPECT_THAT(latest.err, AllOf(HasSubstr("2 jobs"), HasSubstr("second"), HasSubstr("--job")));
  EXPECT_THAT(latest.out, AllOf(HasSubstr(R"({"rank":1,"op":"finalize")"), Not(HasSubstr("barrier"))));
  const Ran named = scratch.petri({"import", "--job", "first", "records", "more"});
  EXPECT_EQ(named.status, 0);
  EXPECT_EQ(named.err, "");
  EXPECT_THAT(named.out, HasSubstr(R"({"rank":1,"op":"barrier")"));
  EXPECT_EQ(scratch.petri({"import", "--job", "third", "records"}).status, 2);
  const Ran list = scratch.petri({"import", "--list", "records"});
  EXPECT_EQ(list.status, 0);
  EXPECT_LT(list.out.find("first  2 processes"), list.out.find("second  1 processes"));
}

TEST(Import, WritesAScenarioInItsCanonicalForm) {
  const Scratch scratch;
  scratch.write("loose.jsonl",
                "{\"world\": 1, \"petri\": 1}\n{ \"op\": \"barrier\", \"rank\": 0 }\n{\"end\":true,\"events\":1}\n");
  EXPECT_EQ(scratch.petri({"import", "-o", "tight.jsonl", "loose.jsonl"}).status, 0);
  EXPECT_THAT(scratch.petri({"import", "tight.jsonl"}).out, HasSubstr("\n{\"rank\":0,\"op\":\"barrier\"}\n"));
}

TEST(Import, RefusesWhatItCannotRead) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch.folder() / "empty");
  EXPECT_EQ(scratch.petri({"import", "empty"}).status, 2);
  EXPECT_EQ(scratch.petri({"import", "nowhere"}).status, 2);
  scratch.write("case.jsonl", "{\"petri\":1,\"world\":1}\n{\"end\":true,\"events\":0}\n");
  EXPECT_EQ(scratch.petri({"import", "-o", "case.jsonl", "case.jsonl"}).status, 2);
  EXPECT_EQ(scratch.petri({"import", "empty", "case.jsonl"}).status, 2);
}

}  // namespace
}  // namespace petri::cli::testing
