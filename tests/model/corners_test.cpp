// The smallest schedules on which the model and the reference once disagreed, each with the sentence that decides.
#include <gmock/gmock.h>

#include "harness/model/explore.hpp"
#include "harness/model/run.hpp"
#include "tests/support/scenario_text.hpp"

namespace petri::model {
namespace {

using test::scenario;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Assumptions kStrict{};
constexpr Assumptions kBuffered{kUnlimited, false};

// "… will complete successfully only if both a matching receive is posted with MPI_MRECV or MPI_IMRECV"
// (section 3.8.2).
TEST(Corners, AMatchedProbeAloneDoesNotCompleteASynchronousSend) {
  const auto probed = scenario(2, R"({"rank":0,"op":"ssend","peer":1}
    {"rank":0,"op":"barrier"}
    {"rank":1,"op":"mprobe","peer":0,"message":1}
    {"rank":1,"op":"barrier"}
    {"rank":1,"op":"mrecv","message":1})");
  EXPECT_THAT(run(probed, kBuffered).stuck, ElementsAre(0, 1));
  const auto received = scenario(2, R"({"rank":0,"op":"ssend","peer":1}
    {"rank":0,"op":"barrier"}
    {"rank":1,"op":"mprobe","peer":0,"message":1}
    {"rank":1,"op":"mrecv","message":1}
    {"rank":1,"op":"barrier"})");
  EXPECT_THAT(run(received, kStrict).stuck, IsEmpty());
}

// "The list may contain null or inactive handles", which are ignored (section 3.7.5).
TEST(Corners, WaitanyIgnoresWhatItCompletedBefore) {
  const char* lines = R"({"rank":0,"op":"irecv","peer":1,"request":1}
    {"rank":0,"op":"irecv","peer":1,"request":2}
    {"rank":0,"op":"waitany","requests":[1,2]}
    {"rank":0,"op":"waitany","requests":[1,2]}
    {"rank":1,"op":"send","peer":0})";
  EXPECT_THAT(run(scenario(2, lines), kStrict).stuck, ElementsAre(0, 1));
  const auto both = scenario(2, std::string(lines) + R"(
    {"rank":1,"op":"send","peer":0})");
  EXPECT_THAT(run(both, kStrict).stuck, IsEmpty());
  EXPECT_THAT(run(both, kStrict).never_completed, IsEmpty());
}

// A receive that the record shows cancelled took no message: the next one does (section 3.8.4).
TEST(Corners, ACancelledReceiveLeavesItsMessageToTheNext) {
  const auto cancelled = scenario(2, R"({"rank":0,"op":"send","peer":1}
    {"rank":1,"op":"irecv","peer":0,"request":1}
    {"rank":1,"op":"cancel","request":1,"flag":true}
    {"rank":1,"op":"wait","request":1}
    {"rank":1,"op":"recv","peer":0})");
  EXPECT_THAT(run(cancelled, kStrict).stuck, IsEmpty());
}

// "The call returns at processes in one group only after all members of the other group have entered" (section 6.3).
TEST(Corners, ABarrierBetweenGroupsNeedsOnlyTheOtherGroup) {
  const auto barrier = scenario(3, R"({"comm":"between","ranks":[0,1],"remote":[2]}
    {"rank":0,"op":"barrier","comm":"between"}
    {"rank":2,"op":"barrier","comm":"between"})");
  EXPECT_EQ(run(barrier, kBuffered).index[0], 1);
  EXPECT_EQ(run(barrier, kBuffered).index[2], 0);
}

// Who needs lower ranks only is not held up by what a higher one calls instead.
TEST(Corners, AScanDoesNotCareWhatHigherRanksCall) {
  const auto mixed = scenario(2, R"({"rank":0,"op":"barrier"}
    {"rank":0,"op":"scan"}
    {"rank":1,"op":"barrier"}
    {"rank":1,"op":"allgather"})");
  EXPECT_EQ(run(mixed, kBuffered).index[0], 2);
}

// Nothing makes the locks of a lock_all one (section 12.5.3): it may hold some while it waits for others.
TEST(Corners, LockAllTakesItsLocksOneByOne) {
  const auto crossed = scenario(2, R"({"rank":0,"op":"win_lock_all","win":"w"}
    {"rank":0,"op":"win_unlock_all","win":"w"}
    {"rank":1,"op":"win_lock","win":"w","target":0,"lock":"exclusive"}
    {"rank":1,"op":"win_lock","win":"w","target":1,"lock":"exclusive"}
    {"rank":1,"op":"win_unlock","win":"w","target":1}
    {"rank":1,"op":"win_unlock","win":"w","target":0})");
  bool both_blocked = false, neither = false;
  explore(crossed, kStrict, 1000, [&](const model::Run& run) {
    both_blocked = both_blocked || (run.index[0] == 0 && run.index[1] < 2);
    neither = neither || run.stuck.empty();
    return true;
  });
  EXPECT_TRUE(both_blocked);
  EXPECT_TRUE(neither);
}

}  // namespace
}  // namespace petri::model
