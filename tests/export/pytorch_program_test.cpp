#include "harness/export/pytorch_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/export/programs.hpp"
#include "tests/trace/text.hpp"

namespace petri {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string exported(const std::string& lines) {
  return pytorch_program(test::read_text(lines));
}

std::string of_two_ranks(const std::string& events) {
  return exported("{\"petri\":1,\"world\":2}\n" + events + "\n{\"end\":true}\n");
}

std::string rejected(const std::string& event) {
  return test::refusal_of([&] { of_two_ranks(event); });
}

// What of a script is about its case: groups, and the ranks' calls.
std::string calls_of(const std::string& script) {
  const auto from = script.find("def make_groups"), to = script.find("\ndef say");
  return script.substr(from, to - from);
}

TEST(PytorchProgram, IsTheGoldenOne) {
  EXPECT_EQ(
      exported(
          R"({"petri":1,"job":"swap","world":3,"origin":{"source":"big.jsonl","digest":"xxh3-128:00","ranks":[4,17,42]},"expect":{"verdict":"deadlock","signature":"deadlock/7"}}
{"comm":"dp0","ranks":[0,1]}
{"rank":0,"op":"allreduce","comm":"dp0","count":4,"dtype":"float32","reduce":"sum","step":7,"site":"train.cpp:41"}
{"rank":0,"op":"barrier","comm":"dp0","step":7}
{"rank":1,"op":"barrier","comm":"dp0","step":7}
{"rank":1,"op":"allreduce","comm":"dp0","count":4,"dtype":"float32","step":7}
{"rank":0,"end":"running"}
{"rank":1,"end":"running"}
{"rank":2,"end":"missing"}
{"end":true}
)"),
      test::golden("swap.py"));
}

TEST(PytorchProgram, WritesMessagesGroupsOfCallsAndStreams) {
  EXPECT_EQ(calls_of(exported(R"({"petri":1,"world":2}
{"comm":"pp","ranks":[1,0],"backend":"nccl"}
{"comm":"late","ranks":[0,1],"parent":"pp"}
{"rank":0,"op":"group_start"}
{"rank":0,"op":"send","comm":"pp","peer":0,"count":8,"dtype":"bfloat16","device":0,"stream":"s"}
{"rank":0,"op":"allreduce","count":2,"dtype":"uint32","reduce":"land","device":0,"stream":"s"}
{"rank":0,"op":"group_end"}
{"rank":0,"op":"stream_sync","device":0,"stream":"s"}
{"rank":0,"op":"comm_split","comm":"pp","color":0,"key":0,"new":"late"}
{"rank":0,"op":"isendrecv","peer":1,"tag":3,"count":1,"dtype":"char","request":9}
{"rank":0,"op":"test","request":9,"flag":0}
{"rank":0,"op":"wait","request":9}
{"rank":0,"op":"sleep","value":"2.5"}
{"rank":1,"op":"recv","peer":"any","count":8}
{"rank":1,"end":"signal","signal":11}
{"end":true}
)")),
            test::golden("calls.py"));
}

TEST(PytorchProgram, GivesTheTimeThatItsRanksSleepOnTopOfItsOwn) {
  EXPECT_THAT(of_two_ranks(R"({"rank":1,"op":"sleep","value":"40.5"})"), HasSubstr("TIMEOUT = 61 "));
}

TEST(PytorchProgram, KeepsScenarioTextInsideItsComments) {
  const std::string text = exported(R"({"petri":1,"world":1,"job":"\"\"\"\nimport os"}
{"comm":"\"\nx","ranks":[0],"backend":"nccl"}
{"rank":0,"op":"barrier","comm":"\"\nx","stream":"a\"\n\\","site":"\nimport this #\""}
{"end":true}
)");
  EXPECT_THAT(text, Not(HasSubstr("\nimport this")));
  EXPECT_THAT(text, HasSubstr("# \"\"\"_import os: 1 rank"));
  EXPECT_THAT(text, HasSubstr("enqueue(\"0/a___\", \"comm_1_x\""));
}

TEST(PytorchProgram, SaysInACommentWhatItChose) {
  const std::string text = of_two_ranks(R"({"rank":0,"op":"reduce","state":"completed"}
{"rank":1,"op":"allgatherv","counts":[1,3],"dtype":"int16"})");
  EXPECT_THAT(text, HasSubstr("dist.reduce(room(1, torch.float32), dst=0)  # count not recorded: 1, operation not "
                              "recorded: sum, root not recorded: 0, type not recorded: float32\n"));
  EXPECT_THAT(text, HasSubstr("dist.all_gather(rooms(2, 3, torch.int16), room(3, torch.int16))  # uneven counts: torch "
                              "gathers equal ones, so all as large as the largest\n"));
}

TEST(PytorchProgram, BeginsWhereAllRecordsOfAGroupBegin) {
  const std::string text = exported(R"({"petri":1,"world":3}
{"comm":"dp","ranks":[0,1]}
{"rank":0,"op":"reduce","comm":"dp","root":0,"count":1,"dtype":"int8","state":"scheduled"}
{"rank":0,"op":"allreduce","comm":"dp","count":1,"dtype":"int8","state":"scheduled"}
{"rank":0,"op":"barrier","state":"scheduled"}
{"rank":1,"op":"bcast","comm":"dp","root":0,"count":1,"dtype":"int8","state":"scheduled"}
{"rank":0,"end":"running","dropped":7,"joined":{"dp":6}}
{"rank":1,"end":"running","dropped":8,"joined":{"dp":7}}
{"rank":2,"end":"missing"}
{"end":true}
)");
  EXPECT_THAT(text, HasSubstr("left out: 1 call that the records of other members show as over\n"));
  EXPECT_THAT(text, Not(HasSubstr("dist.reduce(")));
  EXPECT_THAT(text, HasSubstr("def role_0():\n    dist.all_reduce("));
  EXPECT_THAT(text, HasSubstr("def role_1():\n    dist.broadcast("));
}

TEST(PytorchProgram, RefusesWhatTorchHasNoCallFor) {
  EXPECT_EQ(rejected(R"({"rank":1,"seq":7,"op":"win_fence","win":"w"})"),
            "scenario: rank 1, event 7: win_fence cannot be written: torch.distributed has no windows");
  EXPECT_THAT(rejected(R"({"rank":0,"op":"file_sync","file":"f"})"), HasSubstr("no shared files"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"probe","peer":1})"), HasSubstr("torch has no probes"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"allreduce_init","request":1})"), HasSubstr("no persistent calls"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"scan","count":1})"), HasSubstr("torch has no scans"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"neighbor_allgather"})"), HasSubstr("no calls along a topology"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"recv","peer":1,"tag":"any"})"), HasSubstr("one tag only"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"send","peer":0})"), HasSubstr("nothing from a rank to itself"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"send","state":"completed"})"), HasSubstr("names no peer"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"allreduce","count":1,"dtype":"int8","reduce":"lxor"})"),
              HasSubstr("no lxor"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"bcast","root":0,"count":1,"dtype":"longdouble"})"),
              HasSubstr("no type for longdouble"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"gatherv","root":0,"counts":[1,2],"dtype":"int8"})"),
              HasSubstr("equal counts"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"alltoall","count":9223372036854775807,"dtype":"int8"})"),
              HasSubstr("more than any memory holds"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"group_end"})"), HasSubstr("ends no group"));
  EXPECT_THAT(rejected("{\"rank\":0,\"op\":\"barrier\"}\n{\"rank\":0,\"op\":\"barrier\",\"thread\":1}"),
              HasSubstr("from several threads"));
}

TEST(PytorchProgram, RefusesAGroupOfUnknownMembers) {
  EXPECT_THROW(exported(R"({"petri":1,"world":2}
{"comm":"lost","ranks":"unknown"}
{"rank":0,"op":"barrier","comm":"lost"}
{"end":true}
)"),
               InputError);
}

}  // namespace
}  // namespace petri
