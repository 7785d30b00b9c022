// Writing and reading again: the same scenario, the same bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "tests/trace/text.hpp"

namespace petri::test {
namespace {

using testing::ElementsAre;
using testing::Pair;

static_assert(sizeof(Event) == 80, "what read.hpp states of the memory of an event");

// Every key, in the order in which the writer puts them.
const std::string kEverything =
    R"({"petri":1,"job":"moe \"eval\"","world":3,"backend":"mpi","hosts":["a","a","b"],"devices":["0","1","0"],)"
    R"("environment":{"OMPI_MCA_btl":"self,tcp","A":""},"origin":{"source":"big.jsonl","digest":"xxh3-128:00","ranks":[7,0,512]},)"
    R"("observed":{"verdict":"deadlock","signature":"s1"},"expect":{"signature":"s1","absent":true},"x_note":{"a" : [1, 2.50]}})"
    "\n"
    R"({"comm":"dp0","ranks":[2,0],"parent":"world","backend":"nccl","label":"data","x_c":null})"
    "\n"
    R"({"rank":0,"op":"isend","comm":"dp0","count":9007199254740993,"dtype":"float32","peer":0,"tag":0,"request":7,)"
    R"("step":12,"microbatch":3,"category":"grad","state":"completed","time":0.1,"site":"train.cpp:7"})"
    "\n"
    R"({"rank":0,"seq":5,"op":"comm_split","remote":"r","new":"half","ranks":[1,0],"color":"null","key":-4})"
    "\n"
    R"({"rank":0,"seq":9,"op":"sendrecv","sendpeer":1,"sendtag":2,"sendcount":3,"sendtype":"int8","recvpeer":"any",)"
    R"("recvtag":"any","recvcount":4,"recvtype":"2int","matched":1,"message":3})"
    "\n"
    R"({"rank":0,"seq":10,"op":"alltoallv","sendcounts":[1,2,3],"recvcounts":[4,5,6],"thread":1,"device":0,"stream":"s"})"
    "\n"
    R"({"rank":0,"end":"signal","dropped":4,"signal":9,"x_e":1})"
    "\n"
    R"({"rank":1,"op":"waitany","requests":[1,2],"flag":true,"index":1,"polls":40})"
    "\n"
    R"({"rank":1,"op":"testsome","requests":[1,2],"flag":false,"indices":[0]})"
    "\n"
    R"({"rank":1,"op":"bcast","counts":[1,0],"reduce":"user","root":"root","win":"w","target":2,"lock":"shared","file":"f",)"
    R"("coll_seq":8,"value":"stop","in":{"digest":"xxh3-128:11","min":"-inf","max":"nan","sum":1e+300,"norm":0.5,"nan":1,"inf":2},)"
    R"("out":{},"values":[1.0,"-0",1e-45,"nan"],"fill":{"generator":"pcg","seed":18446744073709551615,"scale":0.5},"npy":"a.npy",)"
    R"("state":"started","error":"MPI_ERR_TRUNCATE","site":"x.c:1","x_free":"é"})"
    "\n"
    R"({"rank":1,"end":"exited","dropped":0,"status":3})"
    "\n"
    R"({"end":true,"events":7})"
    "\n";

TEST(RoundTrip, KeepsEveryKey) {
  EXPECT_EQ(written(read_text(kEverything)), kEverything);
}

TEST(RoundTrip, IgnoresTheOrderOfKeysAndOfRanks) {
  const std::string sorted =
      "{\"petri\":1,\"world\":2}\n{\"rank\":0,\"op\":\"send\",\"peer\":1}\n{\"rank\":0,\"op\":\"barrier\"}\n"
      "{\"rank\":1,\"op\":\"recv\",\"peer\":0}\n{\"end\":true,\"events\":3}\n";
  const std::string mixed =
      "{\"world\":2,\"petri\":1}\n{\"peer\":0,\"op\":\"recv\",\"rank\":1}\r\n\n{\"op\":\"send\",\"peer\":1,\"rank\":0}"
      "\n"
      "{\"op\" : \"barrier\", \"rank\" : 0}\n{\"events\":3,\"end\":true}";
  EXPECT_EQ(written(read_text(mixed)), sorted);
}

TEST(Read, FillsTheEvent) {
  const Scenario scenario = read_text(kEverything);
  EXPECT_EQ(scenario.world(), 3);
  EXPECT_FALSE(scenario.cut);
  const Event& send = scenario.ranks[0].events[0];
  EXPECT_EQ(send.op, Op::isend);
  EXPECT_EQ(scenario.comm_of(send).name, "dp0");
  EXPECT_EQ(send.count, 9007199254740993);
  EXPECT_EQ(send.dtype, ElementType::float32);
  EXPECT_EQ(send.request, 7U);
  EXPECT_EQ(send.state, EventState::completed);
  EXPECT_EQ(scenario.site_of(send), "train.cpp:7");
  const Event& split = scenario.ranks[0].events[1];
  EXPECT_EQ(split.extras->color, kNull);
  EXPECT_FALSE(scenario.comms.at(static_cast<std::size_t>(split.new_comm)).known);
  EXPECT_EQ(scenario.ranks[0].events[2].extras->recvpeer, kAny);
  const EventExtras& bcast = scenario.ranks[1].events[2].extras.get();
  EXPECT_TRUE(std::signbit(bcast.values.at(1)));
  EXPECT_TRUE(std::isnan(bcast.values.at(3)));
  EXPECT_THAT(bcast.free_keys, ElementsAre(Pair("x_free", "\"é\"")));
  EXPECT_THAT(scenario.header.free_keys, ElementsAre(Pair("x_note", R"({"a" : [1, 2.50]})")));
  EXPECT_EQ(scenario.ranks[0].end.kind, EndKind::signal);
  EXPECT_EQ(scenario.ranks[0].end.signal, 9);
  EXPECT_FALSE(scenario.ranks[2].end.stated);
}

TEST(Read, TakesAbsentForAnOutcome) {
  const Scenario scenario = read_text("{\"petri\":1,\"world\":1,\"expect\":\"absent\"}\n{\"end\":true,\"events\":0}\n");
  EXPECT_TRUE(scenario.header.expect->absent);
  EXPECT_NE(written(scenario).find(R"("expect":"absent")"), std::string::npos);
}

TEST(Read, KeepsTheBitsOfEveryValue) {
  const double values[] = {0.1, 1e308, 5e-324, 1.0 / 3, 123456789012345680.0, -0.0};
  Scenario scenario(1);
  Event event;
  event.extras.edit().values.assign(std::begin(values), std::end(values));
  scenario.ranks[0].events.push_back(event);
  const Scenario back = read_text(written(scenario));
  const auto& got = back.ranks[0].events[0].extras->values;
  ASSERT_EQ(got.size(), std::size(values));
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(got[i]), std::bit_cast<std::uint64_t>(values[i]));
}

TEST(Write, ReplacesTextThatIsNoUtf8) {
  Scenario scenario(1);
  scenario.header.job = "a\xff";
  EXPECT_EQ(read_text(written(scenario)).header.job, "a\xef\xbf\xbd");
}

TEST(Read, LetsAnEventUseACommunicatorOnceItsCreationWasNamed) {
  const Scenario scenario = read_text(
      "{\"petri\":1,\"world\":2}\n{\"rank\":0,\"op\":\"comm_dup\",\"new\":\"d\"}\n"
      "{\"rank\":0,\"op\":\"bcast\",\"comm\":\"d\",\"root\":9}\n{\"end\":true}\n");
  EXPECT_FALSE(scenario.comm_of(scenario.ranks[0].events[1]).known);
}

}  // namespace
}  // namespace petri::test
