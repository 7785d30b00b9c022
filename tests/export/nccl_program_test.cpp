#include "harness/export/nccl_program.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/export/programs.hpp"
#include "tests/trace/text.hpp"

namespace petri {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string exported(const std::string& lines) {
  return nccl_program(test::read_text(lines));
}

std::string of_two_ranks(const std::string& events) {
  return exported("{\"petri\":1,\"world\":2,\"backend\":\"nccl\"}\n" + events + "\n{\"end\":true}\n");
}

std::string rejected(const std::string& event) {
  return test::refusal_of([&] { of_two_ranks(event); });
}

TEST(NcclProgram, IsTheGoldenOne) {
  const std::string text = exported(
      R"({"petri":1,"job":"swap","world":3,"backend":"nccl","origin":{"source":"big.jsonl","digest":"xxh3-128:00","ranks":[4,17,42]},"expect":{"verdict":"deadlock","signature":"deadlock/7"}}
{"comm":"dp0","ranks":[0,1]}
{"rank":0,"op":"allreduce","comm":"dp0","count":4,"dtype":"float32","reduce":"sum","step":7,"site":"train.cpp:41","stream":"s"}
{"rank":0,"op":"barrier","comm":"dp0","step":7}
{"rank":1,"op":"barrier","comm":"dp0","step":7}
{"rank":1,"op":"allreduce","comm":"dp0","count":4,"step":7,"stream":"s"}
{"rank":1,"op":"sleep","value":"1.5"}
{"rank":0,"end":"running"}
{"rank":2,"end":"missing"}
{"end":true}
)");
  // The fixed parts are compiled and run by another test.
  const auto helpers = text.find("static int rank;"), calls = text.find("static ncclComm_t"),
             runner = text.find("static int number_in");
  EXPECT_EQ(text.substr(0, helpers) + text.substr(calls, runner - calls), test::golden("swap.nccl.txt"));
}

TEST(NcclProgram, KeepsScenarioTextInsideItsComments) {
  const std::string text = exported(R"({"petri":1,"world":1,"backend":"nccl","job":"\n#error"}
{"comm":"\"\nx","ranks":[0]}
{"rank":0,"op":"barrier","comm":"\"\nx","stream":"a\"\n\\","site":"\n#error \\"}
{"end":true}
)");
  EXPECT_THAT(text, Not(HasSubstr("\n#error")));
  EXPECT_THAT(text, HasSubstr("ncclSum, comm_1_x, stream(\"a___\")"));
}

TEST(NcclProgram, RefusesWhatIsNotNccls) {
  EXPECT_EQ(rejected(R"({"rank":1,"seq":7,"op":"iallreduce","request":1})"),
            "scenario: rank 1, event 7: iallreduce cannot be written: it is MPI's");
  for (const char* const op :
       {"sendrecv", "probe", "scan", "allgatherv", "win_fence", "file_sync", "waitall", "comm_dup"})
    EXPECT_THAT(rejected(fmt::format(R"({{"rank":0,"op":"{}","state":"completed"}})", op)), HasSubstr("it is MPI's"))
        << op;
  EXPECT_THAT(rejected(R"({"comm":"g","ranks":[0,1],"backend":"gloo"}
{"rank":0,"op":"barrier","comm":"g"})"),
              HasSubstr("its communicator is of gloo"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"recv","peer":"any"})"), HasSubstr("from one rank only"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"send","peer":2,"count":1})"), HasSubstr("peer"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"allreduce","count":1,"dtype":"int8","reduce":"band"})"),
              HasSubstr("no band"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"bcast","root":0,"count":1,"dtype":"int16"})"),
              HasSubstr("no type for int16"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"allgather","count":9223372036854775807,"dtype":"int8"})"),
              HasSubstr("more than any memory holds"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"group_end"})"), HasSubstr("ends no group"));
  EXPECT_THAT(rejected("{\"rank\":0,\"op\":\"barrier\"}\n{\"rank\":0,\"op\":\"barrier\",\"thread\":1}"),
              HasSubstr("from several threads"));
}

}  // namespace
}  // namespace petri
