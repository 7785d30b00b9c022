// What the recorder says of windows and one-sided data movement (operations_window.cpp holds the programs).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "tests/record/recorded.hpp"

namespace petri::test {
namespace {

using testing::ElementsAre;

TEST(RecordWindows, HaveOneNameOnAllMembersAndOutliveTheirCommunicator) {
  const Scenario& scenario = record(2, "windows");
  EXPECT_THAT(
      events_of(scenario, 0),
      ElementsAre(R"({"op":"comm_dup","new":"world/0"})", R"({"op":"win_create","comm":"world/0","win":"world/0/w0"})",
                  R"({"op":"comm_free","comm":"world/0"})", R"({"op":"win_allocate","win":"world/w0"})",
                  R"({"op":"win_allocate_shared","win":"world/w1"})", R"({"op":"win_create_dynamic","win":"world/w2"})",
                  R"({"op":"win_fence","comm":"world/0","win":"world/0/w0","assert":"noprecede"})",
                  R"({"op":"win_fence","comm":"world/0","win":"world/0/w0","assert":"nostore,noput,nosucceed"})",
                  R"({"op":"win_fence","win":"world/w0"})", R"({"op":"win_free","win":"world/w2"})",
                  R"({"op":"win_free","win":"world/w1"})", R"({"op":"win_free","win":"world/w0"})",
                  R"({"op":"win_free","comm":"world/0","win":"world/0/w0"})"));
  EXPECT_EQ(events_of(scenario, 0), events_of(scenario, 1));
}

TEST(RecordWindows, PostAndStartNameTheirGroups) {
  const Scenario& scenario = record(2, "post_start_complete_wait");
  auto exposing = events_of(scenario, 0);
  // How often it polled before the access was over is nobody's choice.
  std::erase_if(exposing, [](const std::string& event) { return event.find(R"("flag":false)") != std::string::npos; });
  EXPECT_THAT(
      exposing,
      ElementsAre(R"({"op":"win_create","win":"world/w0"})",
                  R"({"op":"win_post","ranks":[1],"win":"world/w0","assert":"nostore"})",
                  R"({"op":"win_wait","win":"world/w0"})", R"({"op":"win_post","ranks":[1],"win":"world/w0"})",
                  R"({"op":"win_test","flag":true,"win":"world/w0"})", R"({"op":"win_free","win":"world/w0"})"));
  const char* put = R"({"op":"put","count":1,"dtype":"int32","win":"world/w0","target":0,"disp":4})";
  EXPECT_THAT(
      events_of(scenario, 1),
      ElementsAre(R"({"op":"win_create","win":"world/w0"})", R"({"op":"win_start","ranks":[0],"win":"world/w0"})", put,
                  R"({"op":"win_complete","win":"world/w0"})", R"({"op":"win_start","ranks":[0],"win":"world/w0"})",
                  put, R"({"op":"win_complete","win":"world/w0"})", R"({"op":"win_free","win":"world/w0"})"));
}

TEST(RecordWindows, LocksAndFlushesNameTheirTargets) {
  EXPECT_THAT(events_of(record(2, "locks"), 1),
              ElementsAre(R"({"op":"win_create","win":"world/w0"})",
                          R"({"op":"win_lock","win":"world/w0","target":1,"lock":"exclusive"})",
                          R"({"op":"win_flush","win":"world/w0","target":1})",
                          R"({"op":"win_flush_local","win":"world/w0","target":1})",
                          R"({"op":"win_unlock","win":"world/w0","target":1})",
                          R"({"op":"win_lock","win":"world/w0","target":0,"lock":"shared","assert":"nocheck"})",
                          R"({"op":"win_unlock","win":"world/w0","target":0})",
                          R"({"op":"win_lock_all","win":"world/w0"})", R"({"op":"win_flush_all","win":"world/w0"})",
                          R"({"op":"win_flush_local_all","win":"world/w0"})", R"({"op":"win_sync","win":"world/w0"})",
                          R"({"op":"win_unlock_all","win":"world/w0"})", R"({"op":"win_free","win":"world/w0"})"));
}

TEST(RecordOneSided, DisplacementsAreBytesByTheTargetsUnit) {
  EXPECT_THAT(
      events_of(record(2, "one_sided"), 0),
      ElementsAre(
          R"({"op":"win_create","win":"world/w0"})", R"({"op":"win_lock","win":"world/w0","target":1,"lock":"shared"})",
          R"({"op":"put","count":2,"dtype":"int32","win":"world/w0","target":1})",  // to bytes that lie apart
          R"({"op":"put","count":16,"dtype":"byte","sendcount":4,"sendtype":"int32","win":"world/w0","target":1,"disp":0})",
          R"({"op":"put","count":1,"dtype":"int32","win":"world/w0","target":"null","disp":0})",
          R"({"op":"get","count":2,"dtype":"int32","recvcount":8,"recvtype":"byte","win":"world/w0","target":1,"disp":8})",
          R"({"op":"accumulate","count":1,"dtype":"int32","reduce":"sum","win":"world/w0","target":1,"disp":4})",
          R"({"op":"get_accumulate","count":1,"dtype":"int32","reduce":"no_op","win":"world/w0","target":1,"disp":4})",
          R"({"op":"get_accumulate","count":1,"dtype":"int32","reduce":"replace","win":"world/w0","target":1,"disp":4})",
          R"({"op":"fetch_and_op","count":1,"dtype":"int32","reduce":"sum","win":"world/w0","target":1,"disp":4})",
          R"({"op":"compare_and_swap","count":1,"dtype":"int32","win":"world/w0","target":1,"disp":8})",
          R"({"op":"rput","count":1,"dtype":"int32","request":0,"win":"world/w0","target":1,"disp":4})",
          R"({"op":"rget","count":1,"dtype":"int32","request":1,"win":"world/w0","target":1,"disp":8})",
          R"({"op":"raccumulate","count":1,"dtype":"int32","reduce":"max","request":2,"win":"world/w0","target":1,"disp":4})",
          R"({"op":"rget_accumulate","count":1,"dtype":"int32","reduce":"sum","request":3,"win":"world/w0","target":1,"disp":4})",
          R"({"op":"waitall","requests":[0,1,2,3]})", R"({"op":"win_unlock","win":"world/w0","target":1})",
          R"({"op":"win_free","win":"world/w0"})"));
}

// A library may grant the lock only when it is needed: then the call in which it waits is the unlock.
TEST(RecordOneSided, ALockThatIsNotGrantedLeavesAStartedEvent) {
  EXPECT_THAT(events_of(record(2, "lock_hang"), 1).back(),
              testing::AnyOf(R"({"op":"win_lock","win":"world/w0","target":0,"lock":"exclusive","state":"started"})",
                             R"({"op":"win_unlock","win":"world/w0","target":0,"state":"started"})"));
}

TEST(RecordWindows, StrictModeDoesNotChangeTheEvents) {
  EXPECT_EQ(events_of(record(2, "windows"), 0), events_of(record(2, "windows", "PETRI_STRICT=1"), 0));
}

// Where memory begins, relative to the first broadcast's, and how long it is.
struct Place {
  std::int64_t at;
  std::uint64_t bytes;
  bool operator==(const Place&) const = default;
};

std::optional<Place> place(const Scenario& scenario, int rank, Op op,
                           const std::optional<Buffer>& (EventExtras::*buffer)() const) {
  const auto& events = scenario.ranks.at(static_cast<std::size_t>(rank)).events;
  const auto find = [&](Op wanted) {
    return std::find_if(events.begin(), events.end(), [=](const Event& event) { return event.op == wanted; });
  };
  const EventExtras& origin = find(Op::bcast)->extras;
  const auto found = find(op);
  if (found == events.end() || !(found->extras.*buffer)()) return std::nullopt;
  const std::uint64_t base = (rank == 0 ? origin.sendbuffer() : origin.recvbuffer()).value().address;
  const Buffer memory = *(found->extras.*buffer)();
  return Place{static_cast<std::int64_t>(memory.address - base), memory.bytes};
}

// Bytes between those that a call touches are another's: memory with gaps is left out.
TEST(RecordBuffers, ReachFromTheFirstToTheLastByteWhereACallTouchesAll) {
  const Scenario& scenario = record(2, "buffers", "PETRI_RECORD_BUFFERS=1");
  const auto sent = &EventExtras::sendbuffer, received = &EventExtras::recvbuffer;
  EXPECT_EQ(place(scenario, 0, Op::bcast, sent), (Place{0, 16}));
  EXPECT_EQ(place(scenario, 0, Op::bcast, received), std::nullopt);
  EXPECT_EQ(place(scenario, 1, Op::allreduce, sent), (Place{32, 8}));  // in place
  EXPECT_EQ(place(scenario, 1, Op::allreduce, received), (Place{32, 8}));
  EXPECT_EQ(place(scenario, 1, Op::allgatherv, sent), (Place{64, 4}));
  EXPECT_EQ(place(scenario, 1, Op::allgatherv, received), std::nullopt);  // a gap between the pieces
  EXPECT_EQ(place(scenario, 1, Op::gatherv, received), (Place{0, 12}));
  EXPECT_EQ(place(scenario, 0, Op::send, sent), std::nullopt);  // a strided type
  EXPECT_EQ(place(scenario, 1, Op::recv, received), (Place{128, 16}));
  EXPECT_EQ(place(scenario, 1, Op::win_create, received), (Place{192, 32}));
  EXPECT_EQ(place(scenario, 1, Op::get, received), (Place{32, 4}));
  EXPECT_EQ(place(scenario, 1, Op::get, sent), std::nullopt);
}

TEST(RecordBuffers, AreNotRecordedUnlessAskedFor) {
  const Scenario& scenario = record(2, "buffers");
  EXPECT_EQ(scenario.ranks[0].events.at(1).op, Op::bcast);
  EXPECT_FALSE(scenario.ranks[0].events.at(1).extras.sendbuffer());
}

}  // namespace
}  // namespace petri::test
