#include "harness/worker/plan/plan.hpp"

#include <gmock/gmock.h>

#include <sstream>

#include "harness/trace/read.hpp"
#include "harness/worker/plan/files.hpp"
#include "harness/worker/plan/lanes.hpp"
#include "harness/worker/plan/memory.hpp"
#include "harness/worker/plan/refusal.hpp"
#include "harness/worker/plan/topology.hpp"
#include "harness/worker/plan/windows.hpp"

namespace petri {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Scenario scenario_of(const std::string& lines) {
  std::istringstream in(lines);
  return read_scenario(in, "test");
}

std::string reason_against_replay(const Scenario& scenario) {
  const auto refusal = refusal_of(scenario);
  return refusal ? refusal->reason : "";
}

TEST(Plan, NamesTheOperationThatCannotBeReplayed) {
  const Scenario scenario = scenario_of(R"({"petri":1,"job":"j","world":1}
{"rank":0,"op":"barrier"}
{"rank":0,"seq":5,"op":"comm_spawn","root":0}
{"end":true,"events":2}
)");
  EXPECT_THAT(reason_against_replay(scenario), HasSubstr("rank 0, seq 5, comm_spawn: all processes"));
}

TEST(Plan, RefusesSizesBeyondItsLimit) {
  const Scenario scenario = scenario_of(R"({"petri":1,"job":"j","world":2}
{"rank":0,"op":"allgather","count":100000000,"dtype":"float64"}
{"rank":1,"op":"alltoallv","sendcounts":[9000000000000000,9000000000000000],"recvcounts":[0,0],"dtype":"int8"}
{"end":true,"events":2}
)");
  EXPECT_THAT(reason_against_replay(scenario), HasSubstr("rank 0, seq 0, allgather: it moves more than the 1024 MiB"));
  EXPECT_EQ(reason_against_sizes(scenario, scenario.ranks[1].events[0]).has_value(), true);
}

TEST(Plan, WindowsHoldEveryAccess) {
  const Scenario scenario = scenario_of(R"({"petri":1,"job":"j","world":2}
{"rank":0,"op":"win_allocate","win":"w"}
{"rank":0,"op":"put","win":"w","target":1,"disp":64,"count":4,"dtype":"float64"}
{"rank":0,"op":"put","win":"d","target":0,"disp":140737488355328,"count":1,"dtype":"int32"}
{"rank":0,"op":"put","win":"d","target":0,"disp":140737488355336,"count":1,"dtype":"int32"}
{"rank":1,"op":"win_allocate","win":"w"}
{"rank":1,"op":"win_create_dynamic","win":"d"}
{"end":true,"events":6}
)");
  const auto windows = windows_of(scenario);
  EXPECT_THAT(windows.at("w").bytes, ElementsAre(0, 96));
  EXPECT_THAT(windows.at("d").bytes, ElementsAre(12, 0));
  EXPECT_EQ(windows.at("d").first.at(0), 140737488355328);
}

TEST(Plan, RefusesAWindowThatIsTooLarge) {
  const Scenario scenario = scenario_of(R"({"petri":1,"job":"j","world":1}
{"rank":0,"op":"win_allocate","win":"w"}
{"rank":0,"op":"put","win":"w","target":0,"disp":9000000000000000,"count":1,"dtype":"int8"}
{"end":true,"events":2}
)");
  EXPECT_THAT(reason_against_replay(scenario), HasSubstr("window w: its accesses need more than the 1024 MiB"));
}

TEST(Plan, FilesOfOnePathAreOneFileOfTheReplaysOwn) {
  const Scenario scenario = scenario_of(R"({"petri":1,"job":"j","world":1}
{"rank":0,"op":"file_open","file":"f","path":"/etc/passwd","mode":"rdonly"}
{"rank":0,"op":"file_open","file":"g","path":"/etc/passwd","mode":"rdonly"}
{"rank":0,"op":"file_open","file":"h","path":"../x","mode":"create,wronly"}
{"end":true,"events":3}
)");
  const auto files = files_of(scenario);
  EXPECT_EQ(files.at("f").name, "file-0");
  EXPECT_EQ(files.at("g").name, "file-0");
  EXPECT_EQ(files.at("h").name, "file-1");
}

TEST(Plan, FindsTheDimensionsThatACartSubKept) {
  const Scenario scenario = scenario_of(R"({"petri":1,"job":"j","world":6}
{"comm":"grid","ranks":[0,1,2,3,4,5]}
{"comm":"column","ranks":[1,4]}
{"rank":1,"op":"cart_create","new":"grid","dims":[2,3],"periods":[0,0]}
{"rank":1,"op":"cart_sub","comm":"grid","new":"column","dims":[2],"periods":[0]}
{"end":true,"events":2}
)");
  EXPECT_THAT(kept_dimensions(scenario, scenario.ranks[1].events[1]), testing::Optional(ElementsAre(1, 0)));
}

TEST(Plan, CountsWhatIsHeldAtOnce) {
  const Scenario scenario = scenario_of(R"({"petri":1,"job":"j","world":1}
{"rank":0,"op":"isend","peer":0,"request":0,"count":1000,"dtype":"int8"}
{"rank":0,"op":"isend","peer":0,"request":1,"count":1000,"dtype":"int8"}
{"rank":0,"op":"waitall","requests":[0,1]}
{"rank":0,"op":"send","peer":0,"count":500,"dtype":"int8"}
{"end":true,"events":4}
)");
  EXPECT_EQ(peak_bytes(scenario, 0), 4000u);  // room for both sides of each
}

TEST(Plan, NamesASendWithoutItsPeer) {
  const Scenario scenario = scenario_of(R"({"petri":1,"job":"j","world":1}
{"rank":0,"op":"send","count":1,"state":"completed"}
{"end":true,"events":1}
)");
  EXPECT_THAT(reason_against_replay(scenario), HasSubstr("its peer is not known"));
}

TEST(Plan, AcceptsWhatTheWorkerPerforms) {
  const Scenario scenario = scenario_of(R"({"petri":1,"job":"j","world":2}
{"rank":0,"op":"iallreduce","request":0}
{"rank":0,"op":"waitall","requests":[0]}
{"rank":1,"op":"recv","peer":"any"}
{"end":true,"events":3}
)");
  EXPECT_THAT(reason_against_replay(scenario), IsEmpty());
}

TEST(Plan, MakesOnlyUsedCommunicatorsWithoutACreation) {
  const Scenario scenario = scenario_of(R"({"petri":1,"job":"j","world":2}
{"comm":"declared","ranks":[1,0]}
{"comm":"unused","ranks":[0]}
{"comm":"created","ranks":[0,1]}
{"rank":0,"op":"comm_dup","new":"created"}
{"rank":0,"op":"barrier","comm":"created"}
{"rank":0,"op":"barrier","comm":"declared"}
{"end":true,"events":3}
)");
  EXPECT_THAT(communicators_made_at_start(scenario), ElementsAre(scenario.find_comm("declared")));
}

TEST(Plan, AThreadWaitsForWhatAnotherMakes) {
  const Scenario scenario = scenario_of(R"({"petri":1,"job":"j","world":1}
{"rank":0,"op":"irecv","peer":0,"request":0}
{"rank":0,"op":"send","peer":0,"thread":2}
{"rank":0,"op":"comm_dup","new":"c","thread":2}
{"rank":0,"op":"wait","request":0,"thread":5}
{"rank":0,"op":"barrier","comm":"c"}
{"rank":0,"op":"finalize"}
{"end":true,"events":6}
)");
  const RankTrace& rank = scenario.ranks[0];
  const std::vector<Lane> lanes = lanes_of(rank);
  ASSERT_EQ(lanes.size(), 3u);
  EXPECT_EQ(lanes[1].thread, 2);
  EXPECT_THAT(lanes[0].events, ElementsAre(0, 4, 5));
  EXPECT_THAT(prerequisites_of(rank, lanes),
              ElementsAre(IsEmpty(), IsEmpty(), IsEmpty(), ElementsAre(0), ElementsAre(2), ElementsAre(2, 3)));
}

TEST(Plan, OneThreadIsOneLaneWhateverItsNumber) {
  const Scenario scenario = scenario_of(R"({"petri":1,"job":"j","world":1}
{"rank":0,"op":"barrier","thread":3}
{"end":true,"events":1}
)");
  EXPECT_EQ(lanes_of(scenario.ranks[0]).size(), 1u);
  EXPECT_FALSE(uses_threads(scenario));
}

TEST(Plan, AFailedPollBelongsToTheNextOfItsKind) {
  const Scenario scenario = scenario_of(R"({"petri":1,"job":"j","world":1}
{"rank":0,"seq":7,"op":"test","request":0,"flag":0,"polls":3}
{"rank":0,"seq":8,"op":"test","request":0,"flag":1}
{"rank":0,"seq":9,"op":"test","request":1,"flag":0}
{"rank":0,"seq":10,"op":"barrier"}
{"end":true,"events":4}
)");
  const std::vector<Event>& events = scenario.ranks[0].events;
  EXPECT_TRUE(is_repeated_by(events[0], events[1]));
  EXPECT_FALSE(is_repeated_by(events[1], events[2]));
  EXPECT_FALSE(is_repeated_by(events[2], events[3]));
}

TEST(Plan, KnowsWhereARankStaysForEver) {
  const Scenario scenario = scenario_of(R"({"petri":1,"job":"j","world":3}
{"rank":0,"seq":4,"op":"test","request":0,"flag":0,"polls":3}
{"rank":1,"op":"sleep","state":"started"}
{"rank":1,"op":"barrier","state":"scheduled"}
{"rank":2,"seq":4,"op":"test","request":0,"flag":0,"polls":3}
{"rank":0,"end":"running"}
{"rank":1,"end":"running"}
{"rank":2,"end":"finalized"}
{"end":true,"events":4}
)");
  EXPECT_TRUE(is_endless(scenario.ranks[0], scenario.ranks[0].events[0], true));
  EXPECT_TRUE(is_endless(scenario.ranks[1], scenario.ranks[1].events[0], false));
  EXPECT_FALSE(is_endless(scenario.ranks[2], scenario.ranks[2].events[0], true));
}

}  // namespace
}  // namespace petri
