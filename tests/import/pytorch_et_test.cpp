// PyTorch execution traces: calls by the positions of their inputs and by their attributes, groups, and ranks.
#include "harness/import/pytorch_et.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/import/read_traces.hpp"
#include "tests/import/torch_trace_text.hpp"
#include "tests/trace/text.hpp"

namespace petri::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kWorldGroup =
    R"([{"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl", "ranks": [], "group_size": 2}])";

PytorchEtText trace(bool with_attributes = true) {
  PytorchEtText text(with_attributes);
  text.groups(kWorldGroup);
  return text;
}

Traces read(const std::vector<PytorchEtText>& ranks) {
  std::vector<TraceFile> files;
  for (const PytorchEtText& rank : ranks)
    files.push_back(memory_trace(fmt::format("et_{}.json", files.size()), rank.text()));
  EXPECT_TRUE(is_pytorch_et(files.front()));
  return {read_pytorch_ets, files};
}

TorchTestCall call(const std::string& name, int rank, std::int64_t seq = -1) {
  TorchTestCall made;
  made.name = name;
  made.rank = rank;
  made.seq = seq;
  return made;
}

class Schemas : public testing::TestWithParam<bool> {};

TEST_P(Schemas, CallsSayOperationSizeTypeAndRoot) {
  PytorchEtText text = trace(GetParam());
  TorchTestCall scattered = call("_reduce_scatter_base", 1);
  scattered.in = 64;
  scattered.out = 32;
  text.call(call("broadcast", 1)).call(call("allreduce", 1)).call(scattered).call(call("barrier", 1));
  text.call(call("wait", 1)).call(call("all_to_all", 1)).call(call("_allgather_base", 1)).call(call("gather", 0));
  const Traces traces = read({trace(GetParam()).call(call("allreduce", 0)), text});
  const std::string type = GetParam() ? "float32" : "float16";  // of the tensors, in old schemas
  EXPECT_THAT(traces.calls(1),
              ElementsAre("bcast 64 " + type + " root 1 on 0", "allreduce 64 " + type + " on 0",
                          "reduce_scatter_block 32 " + type + " on 0", "barrier on 0", "alltoall 32 " + type + " on 0",
                          "allgather 64 " + type + " on 0", "gather 64 " + type + " root 0 on 0"));
  EXPECT_THAT(traces.notes.facts, Contains(HasSubstr("1 wait for work")));
  EXPECT_EQ(traces.scenario.comms[1].label, "default_pg");
  EXPECT_EQ(traces.scenario.comms[1].backend, "nccl");
  EXPECT_EQ(written(read_text(written(traces.scenario))), written(traces.scenario));
}

INSTANTIATE_TEST_SUITE_P(WithAttributesOfCalls, Schemas, testing::Bool());

TEST(PytorchEt, TheOldestSchemaHasInputsAsAListAndGroupsByNumber) {
  const std::string text = R"({"schema": "1.0.1", "pid": 1, "time": "", "start_ts": 1, "nodes": [
    {"name": "## process_group:init ##", "id": 2, "rf_id": 1, "parent": 1,
     "inputs": ["[{\"pg_name\": \"5\", \"backend_id\": 140737, \"ranks\": [1, 3], \"group_size\": 2}]"],
     "input_shapes": [[]], "input_types": ["String"], "outputs": []},
    {"name": "record_param_comms", "id": 4, "rf_id": 2, "parent": 1,
     "inputs": [[[9, 10, 0, 7, 8, "cuda:3"]], 41, 140737, 1, "allreduce", [], [], 2],
     "input_shapes": [], "input_types": ["GenericList[Tensor(double)]"], "outputs": [[[9, 10, 0, 7, 8, "cuda:3"]]]}
  ], "finish_ts": 2})";
  const std::vector<TraceFile> files{memory_trace("trace.json", text)};
  ASSERT_TRUE(is_pytorch_et(files[0]));
  const Traces traces(read_pytorch_ets, files);
  EXPECT_THAT(traces.calls(3), ElementsAre("allreduce 7 float64 on 5"));
  EXPECT_THAT(traces.members("5"), ElementsAre(1, 3));
}

TEST(PytorchEt, TheRankIsTheOneThatACallNamesRatherThanTheFile) {
  const Traces traces(read_pytorch_ets, {memory_trace("pytorch_et_7.json", trace().call(call("allreduce", 1)).text())});
  EXPECT_EQ(traces.scenario.world(), 2);
  EXPECT_EQ(traces.trace(0).end.kind, EndKind::missing);
  EXPECT_THAT(traces.calls(1), ElementsAre("allreduce 64 float32 on 0"));
}

TEST(PytorchEt, OnlyRootedCallsLeaveTheRankToTheFile) {
  const std::string text = trace().call(call("broadcast", 0)).text();
  const Traces traces(read_pytorch_ets, {memory_trace("et_1.json", text)});
  EXPECT_THAT(traces.calls(1), ElementsAre("bcast 64 float32 root 0 on 0"));
  EXPECT_THAT(error_of(read_pytorch_ets, {memory_trace("a.json", text), memory_trace("b.json", text)}),
              HasSubstr("which rank it is of"));
}

TEST(PytorchEt, NumbersTellWhereAWindowStands) {
  const Traces traces = read({trace().call(call("allreduce", 0, 33)).call(call("allreduce", 0, 34)),
                              trace().call(call("allreduce", 1, 34)).call(call("allreduce", 1, 35))});
  const auto joined = [&](int rank) { return traces.trace(rank).end.joined; };
  EXPECT_THAT(joined(0), ElementsAre(std::pair(1, 32)));
  EXPECT_THAT(joined(1), ElementsAre(std::pair(1, 33)));
  EXPECT_GT(traces.trace(1).end.dropped, 0U);
  EXPECT_EQ(traces.trace(0).end.kind, EndKind::running);
}

TEST(PytorchEt, CallsOfOneLaunchShareANumberAndHavePlacesOfTheirOwn) {
  const Traces traces =
      read({trace().call(call("allreduce", 0, 5)).call(call("allreduce", 0, 5)).call(call("barrier", 0, 6)),
            trace().call(call("allreduce", 1, 5)).call(call("barrier", 1, 6))});
  EXPECT_EQ(traces.events(0)[2].extras.coll_seq(), kUnset);
  EXPECT_EQ(traces.events(1)[1].extras.coll_seq(), 6);  // behind the two at 4 and 5
}

TEST(PytorchEt, UnevenSplitsAreElementsOfEachMember) {
  TorchTestCall exchanged = call("all_to_allv", 0);
  exchanged.in = 40;
  exchanged.out = 80;
  exchanged.in_split = "[1, 3]";
  exchanged.out_split = "[7, 1]";
  const Traces traces = read({trace().call(exchanged).call(call("all_to_all", 0))});
  EXPECT_THAT(traces.calls(0), ElementsAre("alltoallv float32 on 0", "alltoallv float32 on 0"));
  const auto sent = [&](std::size_t i) { return std::vector<std::int64_t>(traces.events(0)[i].extras.sendcounts()); };
  EXPECT_THAT(sent(0), ElementsAre(10, 30));
  EXPECT_THAT(std::vector<std::int64_t>(traces.events(0)[0].extras.recvcounts()), ElementsAre(70, 10));
  EXPECT_THAT(sent(1), ElementsAre(32, 32));  // with uneven ones on a group, even ones are spelled out
}

TEST(PytorchEt, MessagesOfOneLaunchAreUnderWayTogether) {
  PytorchEtText text = trace();
  text.call(call("send", 1)).call(call("recv", 1)).node("nccl:coalesced", "", "");
  text.call(call("send", 1)).node("nccl:send 0->1", "", "").call(call("recv", 1)).node("nccl:recv 0<-1", "", "");
  const Traces traces = read({text.call(call("allreduce", 0))});
  EXPECT_THAT(traces.calls(0),
              ElementsAre("isend 64 float32 peer 1 on 0", "irecv 64 float32 peer 1 on 0", "waitall",
                          "send 64 float32 peer 1 on 0", "recv 64 float32 peer 1 on 0", "allreduce 64 float32 on 0"));
  for (const std::string& fact : traces.notes.facts) EXPECT_THAT(fact, testing::Not(HasSubstr("taken for one launch")));
}

TEST(PytorchEt, GroupsOfOneNameWithOtherMembersAreOthers) {
  const auto text = [](int first) {
    PytorchEtText made;
    made.groups(fmt::format(R"([{{"pg_name": "1", "ranks": [{}, {}], "group_size": 2}}])", first, first + 1));
    TorchTestCall call;
    call.group = "1";
    call.rank = 1;
    return made.call(call);
  };
  const Traces traces(read_pytorch_ets,
                      {memory_trace("a.json", text(0).text()), memory_trace("b.json", text(2).text())});
  EXPECT_THAT(traces.calls(1), ElementsAre("allreduce 64 float32 on 1"));
  EXPECT_THAT(traces.calls(3), ElementsAre("allreduce 64 float32 on 1:2-3"));
}

TEST(PytorchEt, WithoutAListOfGroupsTheStrideTellsTheMembers) {
  TorchTestCall made;
  made.group = "9";
  made.members = {0, 2, 4};
  std::string text = PytorchEtText().call(made).text();
  const std::string pg = R"({"name": "pg_size")";
  const std::string stride = R"({"name": "global_rank_start", "type": "uint64", "value": 1}, )"
                             R"({"name": "global_rank_stride", "type": "uint64", "value": 3}, )";
  text.insert(text.find(pg), stride);
  const Traces traces(read_pytorch_ets, {memory_trace("rank_1.json", text)});
  EXPECT_THAT(traces.members("9"), ElementsAre(1, 4, 7));
  EXPECT_EQ(traces.scenario.world(), 8);
}

TEST(PytorchEt, AFileThatBreaksOffIsUsedAsFarAsItGoes) {
  const std::string text = trace().call(call("allreduce", 0)).call(call("barrier", 0)).text();
  const Traces traces(read_pytorch_ets, {memory_trace("et_0.json", text.substr(0, text.rfind("rf_id")))});
  EXPECT_THAT(traces.calls(0), ElementsAre("allreduce 64 float32 on 0"));
  EXPECT_EQ(traces.trace(0).end.kind, EndKind::cut);
  EXPECT_THAT(traces.notes.warnings, ElementsAre(HasSubstr("breaks off")));
}

TEST(PytorchEt, CallsOfUnknownKindAreNamed) {
  const Traces traces = read({trace().call(call("allreduce", 0)).call(call("teleport", 0))});
  EXPECT_THAT(traces.notes.warnings, Contains(HasSubstr("1 call of a kind that is not known, \"teleport\"")));
}

TEST(PytorchEt, CallsOfGlooHaveNoGroupAndAreTold) {
  EXPECT_THAT(read({trace().call(call("allreduce", 0)).node("gloo:all_reduce", "", "")}).notes.warnings,
              Contains(HasSubstr("left out: 1 call of Gloo")));
  EXPECT_THAT(error_of(read_pytorch_ets, {memory_trace("et_0.json", trace().node("gloo:barrier", "", "").text())}),
              AllOf(HasSubstr("1 call of Gloo"), HasSubstr("Flight Recorder")));
}

TEST(PytorchEt, DamageInsideIsAnErrorWithItsLine) {
  std::string text = trace().call(call("allreduce", 0)).text();
  text.replace(text.rfind("\"id\": 3"), 7, "\"id\": 03");
  EXPECT_THAT(error_of(read_pytorch_ets, {memory_trace("et_0.json", text)}),
              HasSubstr("et_0.json:4: a node was expected"));
  EXPECT_THAT(error_of(read_pytorch_ets, {memory_trace("et_0.json", trace().text())}),
              HasSubstr("a node named \"record_param_comms\" was expected"));
}

TEST(PytorchEt, HostileClaimsAreBounded) {
  const auto of_size = [](const std::string& size) {
    PytorchEtText text;
    text.groups(fmt::format(R"([{{"pg_name": "0", "ranks": [], "group_size": {}}}])", size));
    return memory_trace("et_0.json", text.call(call("allreduce", 0)).text());
  };
  EXPECT_EQ(Traces(read_pytorch_ets, {of_size("99999999999")}).scenario.world(), 2);
  EXPECT_EQ(Traces(read_pytorch_ets, {of_size("-1")}).scenario.world(), 2);
}

}  // namespace
}  // namespace petri::test
