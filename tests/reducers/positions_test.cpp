// Places of collectives in records that begin late, once calls are gone from them.
#include "reducers/positions.hpp"

#include <gmock/gmock.h>

#include "harness/trace/write.hpp"
#include "reducers/repair.hpp"
#include "tests/support/scenario_text.hpp"

namespace petri::reduce {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

Scenario late() {
  return test::scenario(2, R"(
    {"comm":"g","ranks":[0,1]}
    {"rank":0,"op":"barrier","comm":"g","state":"completed"}
    {"rank":0,"op":"allreduce","comm":"g","state":"completed"}
    {"rank":0,"op":"bcast","comm":"g","state":"scheduled"}
    {"rank":0,"end":"running","dropped":5,"joined":{"g":5}}
    {"rank":1,"op":"bcast","comm":"g","state":"scheduled"}
    {"rank":1,"end":"running","dropped":7,"joined":{"g":7}})");
}

Scenario without(const Scenario& base, const std::vector<EventRef>& events) {
  Selection keep = Selection::all(base);
  for (const EventRef ref : events) keep.drop(ref);
  return *cut(base, keep);
}

TEST(Positions, CallsThatGoFromTheFrontCountAsJoined) {
  const Scenario cut = without(late(), {{0, 0}});
  EXPECT_THAT(cut.ranks[0].end.joined, ElementsAre(Pair(1, 0)));
  EXPECT_THAT(cut.ranks[1].end.joined, ElementsAre(Pair(1, 1)));
}

TEST(Positions, ThatAllJoinedBeforeGoFromTheCount) {
  const Scenario cut = without(late(), {{0, 0}, {0, 1}});
  for (const RankTrace& rank : cut.ranks) {
    EXPECT_THAT(rank.end.joined, IsEmpty());
    EXPECT_EQ(rank.end.dropped, 0U);
  }
}

TEST(Positions, OfARankWithoutAPlaceKeepTheOthersWhereTheyAre) {
  Scenario base = late();
  base.ranks[1].end.joined.clear();
  const Scenario cut = without(base, {{0, 0}});
  EXPECT_THAT(cut.ranks[0].end.joined, ElementsAre(Pair(1, 6)));
}

TEST(Positions, GoWithTheirCommunicator) {
  const Scenario cut = without(late(), {{0, 0}, {0, 1}, {0, 2}, {1, 0}});
  for (const RankTrace& rank : cut.ranks) EXPECT_THAT(rank.end.joined, IsEmpty());
}

}  // namespace
}  // namespace petri::reduce
