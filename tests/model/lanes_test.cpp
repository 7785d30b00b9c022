// Threads of a rank and streams of its devices.
#include <gmock/gmock.h>

#include "harness/model/explore.hpp"
#include "harness/model/run.hpp"
#include "tests/model/stuck.hpp"
#include "tests/support/script.hpp"

namespace petri::model {
namespace {

using test::script;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Threads, EachHasItsOwnOrder) {
  // In the order of the lines, rank 0 would receive before it sends.
  const auto scenario = script({"recv(peer=1); send(peer=1 thread=1)", "recv(peer=0); send(peer=0)"});
  EXPECT_THAT(stuck(scenario), IsEmpty());
  EXPECT_THAT(stuck(script({"recv(peer=1); send(peer=1)", "recv(peer=0); send(peer=0)"})), ElementsAre(0, 1));
}

TEST(Threads, OneMayBeStuckWhileOthersAreDone) {
  const model::Run one = run(script({"barrier; recv(peer=1 tag=7 thread=1)", "barrier"}), kStrict);
  ASSERT_THAT(one.stuck, ElementsAre(0));  // its main thread is in finalize, where the other rank meets it
  std::size_t lanes = 0;
  for (const Wait& wait : one.waits) {
    if (wait.atoms.front().kind != Atom::message) continue;
    ++lanes;
    EXPECT_EQ(one.lanes[wait.lane].thread, 1);
  }
  EXPECT_EQ(lanes, 1u);
}

TEST(Threads, OneThatStillRunsMaySupplyWhatAnotherWaitsFor) {
  EXPECT_THAT(
      stuck(script({"recv(peer=1); end(running)", "irecv(peer=0 request=1 thread=1); recv(peer=0); end(running)"})),
      IsEmpty());
  EXPECT_THAT(stuck(script({"recv(peer=1); end(running)", "exit(thread=1); recv(peer=0); end(running)"})),
              ElementsAre(0, 1));
}

// How many orders there are, and how many of them block.
std::pair<int, int> orders(const Scenario& scenario) {
  int all = 0, blocked = 0;
  explore(scenario, kStrict, 100, [&](const Run& one) { return ++all, blocked += !one.stuck.empty(), true; });
  return {all, blocked};
}

TEST(Threads, WhichOfTwoCompetingCallsGoesFirstIsFree) {
  EXPECT_EQ(orders(script({"barrier; allreduce(thread=1)", "barrier; allreduce"})), std::pair(2, 1));
  EXPECT_EQ(orders(script({"recv(peer=1 tag=3); barrier; recv(peer=1 tag=any thread=1)",
                           "send(peer=0 tag=3); barrier; send(peer=0 tag=4)"})),
            std::pair(2, 1));
  EXPECT_EQ(
      orders(script({"send(peer=1 tag=3); send(peer=1 tag=4 thread=1)", "recv(peer=0 tag=any); recv(peer=0 tag=3)"})),
      std::pair(2, 1));
}

TEST(Threads, CallsThatCannotMeetOneAnotherHaveOneOrder) {
  EXPECT_EQ(
      orders(script({"recv(peer=1 tag=3); recv(peer=1 tag=4 thread=1)", "send(peer=0 tag=4); send(peer=0 tag=3)"})),
      std::pair(1, 0));
  EXPECT_EQ(
      orders(script({"send(peer=1 tag=3); send(peer=1 tag=4 thread=1)", "recv(peer=0 tag=4); recv(peer=0 tag=3)"})),
      std::pair(1, 0));
}

TEST(Threads, ARecordSaysTheirOrder) {
  EXPECT_EQ(orders(script({"barrier(state=completed); allreduce(thread=1 state=completed)", "barrier; allreduce"})),
            std::pair(1, 0));
  EXPECT_EQ(orders(script({"allreduce(thread=1 state=completed); barrier(state=completed)", "barrier; allreduce"})),
            std::pair(1, 1));
}

TEST(Threads, UseAHandleOnceItIsMade) {
  EXPECT_THAT(
      stuck(script({"barrier(thread=1); irecv(peer=1 request=1 thread=1); wait(request=1)", "barrier; send(peer=0)"})),
      IsEmpty());
  const model::Run one =
      run(script({"irecv(peer=1 request=1 thread=1 state=completed); wait(request=1 state=completed)", "send(peer=0)"}),
          kStrict);
  EXPECT_THAT(one.never_completed, IsEmpty());
  EXPECT_THAT(stuck(script({"mprobe(peer=1 message=1 thread=1); mrecv(message=1)", "ssend(peer=0)"})), IsEmpty());
  EXPECT_THAT(stuck(script({"comm_dup(new=c thread=1); barrier(comm=c); comm_free(comm=c thread=1)",
                            "comm_dup(new=c); barrier(comm=c); comm_free(comm=c)"},
                           R"({"comm":"c","ranks":[0,1]})")),
              IsEmpty());
}

TEST(Threads, WaitForOneThatHasStillToMakeAHandle) {
  const model::Run one = run(script({"recv(peer=1 tag=9 thread=1); irecv(peer=1 request=1 thread=1); wait(request=1)",
                                     "send(peer=0); barrier"}),
                             kStrict);
  ASSERT_FALSE(one.waits.empty());
  EXPECT_EQ(one.waits.front().atoms.front().kind, Atom::stream);
  EXPECT_EQ(one.lanes[one.waits.front().atoms.front().number].thread, 1);
}

constexpr const char* kTwo = R"({"comm":"a","ranks":[0,1]}
{"comm":"b","ranks":[0,1]})";

TEST(Streams, TheHostGoesOnAndBlocksAtASynchronization) {
  EXPECT_THAT(stuck(script({"allreduce(comm=a stream=s); barrier; stream_sync(stream=s)",
                            "barrier; allreduce(comm=a stream=s); stream_sync(stream=s)"},
                           kTwo)),
              IsEmpty());
  EXPECT_THAT(
      stuck(script(
          {"allreduce(comm=a stream=s); stream_sync(stream=s); barrier", "barrier; allreduce(comm=a stream=s)"}, kTwo)),
      ElementsAre(0, 1));
}

TEST(Streams, PerformInOrder) {
  EXPECT_THAT(stuck(script({"allreduce(comm=a stream=s); allreduce(comm=b stream=s)",
                            "allreduce(comm=b stream=s); allreduce(comm=a stream=s)"},
                           kTwo),
                    kBuffered),
              ElementsAre(0, 1));
}

TEST(Streams, SwappedOnTwoStreamsBlockOnlyWhereKernelsDoNotRunSideBySide) {
  const auto swapped = script({"allreduce(comm=a stream=s); allreduce(comm=b stream=t); device_sync",
                               "allreduce(comm=b stream=t); allreduce(comm=a stream=s); device_sync"},
                              kTwo);
  EXPECT_THAT(stuck(swapped), ElementsAre(0, 1));
  EXPECT_THAT(stuck(swapped, kBuffered), IsEmpty());
  const auto equal = script({"allreduce(comm=a stream=s); allreduce(comm=b stream=t); device_sync",
                             "allreduce(comm=a stream=s); allreduce(comm=b stream=t); device_sync"},
                            kTwo);
  EXPECT_THAT(stuck(equal), IsEmpty());
}

TEST(Streams, AGroupIsOneLaunchInNoOrder) {
  EXPECT_THAT(
      stuck(script(
          {"group_start; send(comm=a peer=1 stream=s); recv(comm=a peer=1 stream=s); group_end; stream_sync(stream=s)",
           "group_start; send(comm=a peer=0 stream=s); recv(comm=a peer=0 stream=s); group_end; stream_sync(stream=s)"},
          kTwo)),
      IsEmpty());
  EXPECT_THAT(stuck(script({"send(comm=a peer=1 stream=s); recv(comm=a peer=1 stream=s); stream_sync(stream=s)",
                            "send(comm=a peer=0 stream=s); recv(comm=a peer=0 stream=s); stream_sync(stream=s)"},
                           kTwo)),
              ElementsAre(0, 1));
}

TEST(Streams, EventsAreEdges) {
  // Rank 1's b waits for its a through an event; rank 0 performs b first on one stream.
  const auto crossed = script({"allreduce(comm=b stream=s); allreduce(comm=a stream=s)",
                               "allreduce(comm=a stream=s); event_record(event=e stream=s); stream_wait(event=e "
                               "stream=t); allreduce(comm=b stream=t)"},
                              kTwo);
  EXPECT_THAT(stuck(crossed, kBuffered), ElementsAre(0, 1));
  EXPECT_THAT(stuck(script({"allreduce(comm=b stream=s); allreduce(comm=a stream=s)",
                            "allreduce(comm=a stream=s); stream_wait(event=e stream=t); allreduce(comm=b stream=t)"},
                           kTwo),
                    kBuffered),
              IsEmpty());
}

TEST(Streams, AHostInMpiCanBeWhatAnotherWaitsForInNccl) {
  const model::Run mixed = run(script({"allreduce(comm=a stream=s); stream_sync(stream=s); send(peer=1)",
                                       "recv(peer=0); allreduce(comm=a stream=s)"},
                                      kTwo),
                               kStrict);
  EXPECT_THAT(mixed.stuck, ElementsAre(0, 1));
}

}  // namespace
}  // namespace petri::model
