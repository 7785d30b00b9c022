// Chakra execution traces: what their nodes mean, in which order, and that damage is told.
#include "harness/import/chakra.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/import/chakra_bytes.hpp"
#include "tests/import/read_traces.hpp"
#include "tests/trace/text.hpp"

namespace petri::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TraceFile file(int rank, const ChakraBytes& made) {
  return memory_trace(fmt::format("work.{}.et", rank), made.bytes());
}

std::vector<TraceFile> files(const std::vector<ChakraBytes>& ranks) {
  std::vector<TraceFile> all;
  for (const ChakraBytes& made : ranks) all.push_back(file(static_cast<int>(all.size()), made));
  return all;
}

Traces read(const std::vector<ChakraBytes>& ranks) {
  return {read_chakra_traces, files(ranks)};
}

TEST(Chakra, CollectivesOfAllKindsAreRead) {
  ChakraBytes made;
  for (int kind = 0; kind < 10; ++kind) made.collective(static_cast<std::uint64_t>(kind), kind, 64);
  const Traces traces = read({made, made});
  EXPECT_THAT(traces.calls(1), ElementsAre("allreduce 64 byte", "reduce 64 byte", "allgather 64 byte", "gather 64 byte",
                                           "scatter 64 byte", "bcast 64 byte", "alltoall 32 byte",
                                           "reduce_scatter_block 32 byte", "reduce_scatter_block 32 byte", "barrier"));
  EXPECT_EQ(written(read_text(written(traces.scenario))), written(traces.scenario));
}

TEST(Chakra, TheEncodingsOfAllReleasesAreOne) {
  const std::string schema = bytes_field(1, ChakraBytes::text("schema", "1.0.1"));
  ChakraBytes old("", schema);
  ChakraBytes::Node node{
      3, 7, {ChakraBytes::attribute("comm_type", 6, 15), ChakraBytes::attribute("comm_size", 8, 7)}, {1}, {2}};
  node.packed = false;
  ASSERT_TRUE(is_chakra_trace(file(0, old.add(node))));
  // A signed number of the first kind has its sign in the lowest bit: 6 is 3.
  EXPECT_THAT(read({old}).calls(0), ElementsAre("gather 8 byte"));
}

// Execution graphs: other numbers of types, a field for each fact, nodes from the first byte on.
TEST(Chakra, NodesFromBeforeAttributesAreRead) {
  const auto graph = [](std::uint64_t rank) {
    return graph_node(1, 3, {}, {{7, 5}, {12, 100}}) + graph_node(2, 6, {1}, {{13, 1}, {14, 1}, {18, 64}}) +
           graph_node(3, 6, {2}, {{13, 2}, {15, 9}, {18, 64}}) +
           graph_node(4, rank == 0 ? 4 : 5, {3}, {{16, 0}, {17, 1}, {18, 8}, {19, 3}});
  };
  const std::vector<TraceFile> two{memory_trace("work.0.eg", graph(0)), memory_trace("work.1.eg", graph(1))};
  for (const TraceFile& one : two) ASSERT_TRUE(is_chakra_trace(one));
  const Traces traces(read_chakra_traces, two);
  EXPECT_THAT(traces.calls(0), ElementsAre("allreduce 64 byte", "alltoall 32 byte on 9", "send 8 byte peer 1"));
  EXPECT_THAT(traces.calls(1), ElementsAre("allreduce 64 byte", "alltoall 32 byte on 9", "recv 8 byte peer 0"));
  EXPECT_FALSE(is_chakra_trace(memory_trace("x", graph(0).substr(0, 4))));
}

TEST(Chakra, NodesWithAttributesMayStandWithoutMetadata) {
  const ChakraBytes made = ChakraBytes().collective(1, 0, 8);
  const std::string nodes = made.bytes().substr(ChakraBytes().bytes().size());
  ASSERT_TRUE(is_chakra_trace(memory_trace("a", nodes)));
  EXPECT_THAT(Traces(read_chakra_traces, {memory_trace("a", nodes)}).calls(0), ElementsAre("allreduce 8 byte"));
}

TEST(Chakra, GroupsAreThoseThatCallThere) {
  const ChakraBytes low = ChakraBytes().collective(0, 0, 8, "7"), high = ChakraBytes().collective(0, 0, 8, "9");
  const Traces traces = read({low, low, high, high});
  EXPECT_THAT(traces.members("7"), ElementsAre(0, 1));
  EXPECT_THAT(traces.members("9"), ElementsAre(2, 3));
  EXPECT_THAT(traces.notes.warnings, Contains(HasSubstr("who is in the groups \"7\", \"9\" is not told")));
}

TEST(Chakra, GroupsThatTheTraceListsHaveTheirMembers) {
  ChakraBytes made;
  made.add({1,
            1,
            {},
            {},
            {},
            "## process_group:init ##",
            R"(['[{"pg_name": "0", "pg_desc": "default_pg", "ranks": [], "group_size": 3}, )"
            R"({"pg_name": "tp", "ranks": [2, 0], "group_size": 2}]'])"});
  made.collective(2, 0, 8, "0").collective(3, 0, 8, "tp");
  const Traces traces = read({made});
  EXPECT_EQ(traces.scenario.world(), 3);
  EXPECT_THAT(traces.members("tp"), ElementsAre(2, 0));
  EXPECT_THAT(traces.members("0"), ElementsAre(0, 1, 2));
  EXPECT_THAT(traces.notes.warnings, IsEmpty());
  EXPECT_EQ(traces.trace(2).end.kind, EndKind::missing);
}

TEST(Chakra, MessagesNamePeersByRankAndAreUnderWayTogether) {
  ChakraBytes made;
  made.message(1, true, 0, 2, 16, 5).message(2, false, 2, 0, 32, 6).collective(3, 9, 0);
  const Traces traces = read({made});
  EXPECT_THAT(traces.calls(0), ElementsAre("isend 16 byte peer 2", "irecv 32 byte peer 2", "waitall", "barrier"));
  EXPECT_EQ(traces.events(0)[0].tag, 5);
  EXPECT_THAT(std::vector<std::uint32_t>(traces.events(0)[2].extras.requests()),
              ElementsAre(traces.events(0)[0].request, traces.events(0)[1].request));
}

TEST(Chakra, OneMessageAloneIsWaitedFor) {
  const Traces traces =
      read({ChakraBytes().message(1, true, 0, 1, 16, 0), ChakraBytes().message(1, false, 0, 1, 16, 0)});
  EXPECT_THAT(traces.calls(0), ElementsAre("send 16 byte peer 1"));
  EXPECT_THAT(traces.calls(1), ElementsAre("recv 16 byte peer 0"));
}

TEST(Chakra, AMessageWithoutAPeerWasSeenAtLeast) {
  ChakraBytes made;
  made.add({1, 5, {ChakraBytes::attribute("comm_size", 16)}, {}, {}}).collective(2, 9, 0);
  const Traces traces = read({made});
  EXPECT_EQ(traces.events(0)[0].state, EventState::completed);
  EXPECT_EQ(written(read_text(written(traces.scenario))), written(traces.scenario));
}

TEST(Chakra, TheOrderIsThatOfDependencies) {
  ChakraBytes made;
  made.collective(5, 0, 4, "", {9}).collective(6, 1, 4).collective(9, 5, 4, "", {6});
  EXPECT_THAT(read({made}).calls(0), ElementsAre("reduce 4 byte", "bcast 4 byte", "allreduce 4 byte"));
}

TEST(Chakra, ControlDependenciesYieldToDataDependenciesThatContradictThem) {
  ChakraBytes made;
  const auto kind = [](int number) { return std::vector{ChakraBytes::attribute("comm_type", number)}; };
  made.add({1, 7, kind(0), {2}, {}}).add({2, 7, kind(5), {}, {1}});
  const Traces traces = read({made});
  EXPECT_THAT(traces.calls(0), ElementsAre("bcast", "allreduce"));
  EXPECT_THAT(traces.notes.facts, Contains(HasSubstr("data dependencies alone")));
}

TEST(Chakra, NodesThatWaitForThemselvesComeLast) {
  ChakraBytes made;
  made.collective(1, 0, 4, "", {2}).collective(2, 1, 4, "", {1}).collective(3, 5, 4);
  const Traces traces = read({made});
  EXPECT_THAT(traces.calls(0), ElementsAre("bcast 4 byte", "allreduce 4 byte", "reduce 4 byte"));
  EXPECT_THAT(traces.notes.warnings, Contains(HasSubstr("in a circle")));
}

TEST(Chakra, LaunchesOfTheHostAndComputationAreLeftOut) {
  ChakraBytes made;
  made.add({1, 7, {ChakraBytes::attribute("is_cpu_op", 1, 27)}, {}, {}, "c10d::allreduce_(0)"});
  made.add({2, 4, {ChakraBytes::attribute("is_cpu_op", 0, 27)}, {}, {}});
  made.collective(3, 0, 8);
  const Traces traces = read({made});
  EXPECT_THAT(traces.calls(0), ElementsAre("allreduce 8 byte"));
  EXPECT_THAT(traces.notes.facts, Contains(HasSubstr("1 node of the host that launch")));
  EXPECT_THAT(traces.notes.facts, Contains(HasSubstr("1 node that compute")));
}

TEST(Chakra, AWorkloadIsAWholeJobAndAProfileIsNot) {
  EXPECT_EQ(read({ChakraBytes().collective(1, 9, 0)}).trace(0).end.kind, EndKind::finalized);
  const std::string start = bytes_field(2, ChakraBytes::attribute("start_ts", 99, 13));
  EXPECT_EQ(read({ChakraBytes("", start).collective(1, 9, 0)}).trace(0).end.kind, EndKind::running);
}

TEST(Chakra, AFileThatBreaksOffIsUsedAsFarAsItGoes) {
  const std::string whole = ChakraBytes().collective(1, 0, 8).collective(2, 9, 0).bytes();
  const std::size_t second = ChakraBytes().collective(1, 0, 8).bytes().size();
  for (std::size_t end = second + 1; end < whole.size(); ++end) {
    const TraceFile cut = memory_trace("work.0.et", whole.substr(0, end));
    EXPECT_TRUE(is_chakra_trace(cut));
    const Traces traces(read_chakra_traces, {cut});
    EXPECT_THAT(traces.calls(0), ElementsAre("allreduce 8 byte")) << end;
    EXPECT_EQ(traces.trace(0).end.kind, EndKind::cut) << end;
    EXPECT_THAT(traces.notes.warnings, ElementsAre(HasSubstr("breaks off"))) << end;
  }
}

TEST(Chakra, DamageInsideIsAnErrorWithItsByte) {
  const std::string good = ChakraBytes().collective(1, 0, 8).bytes();
  EXPECT_THAT(error_of(read_chakra_traces, {memory_trace("a.0.et", good + framed("\x0f") + framed("\x0f"))}),
              HasSubstr(fmt::format("a.0.et: at byte {}: a message of a node was expected", good.size())));
  EXPECT_THAT(error_of(read_chakra_traces, {memory_trace("a.0.et", ChakraBytes().bytes())}),
              HasSubstr("nodes of types 5, 6 or 7 were expected"));
}

TEST(Chakra, OtherFilesAreNoneOfThem) {
  const std::vector<std::string> others{
      "",       "{\"petri\":1}\n",     std::string("\x80\x02}q\0.", 6),      "node01:1:1 NCCL INFO",
      "\n\n\n", std::string(64, '\0'), std::string("\x0a\x08plain text", 12)};
  for (const std::string& other : others) EXPECT_FALSE(is_chakra_trace(memory_trace("x", other))) << other;
}

TEST(Chakra, RanksOutsideTheirGroupAreAnError) {
  ChakraBytes made;
  made.add({1, 1, {}, {}, {}, "process_group:init", R"(['[{"pg_name": "tp", "ranks": [4, 5]}]'])"});
  made.collective(2, 0, 8, "tp");
  EXPECT_THAT(error_of(read_chakra_traces, files({made})), HasSubstr("of which it is no member"));
}

}  // namespace
}  // namespace petri::test
