// Which rank a Flight Recorder dump is of: by what its file is called, held against its groups.
#include "harness/import/flight_ranks.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/trace/error.hpp"

namespace petri {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<FlightFile> files(const std::vector<std::string>& leaves) {
  std::vector<FlightFile> all;
  for (const std::string& leaf : leaves) all.push_back({"dumps/" + leaf, leaf, {}});
  return all;
}

std::vector<std::int32_t> ranks(const std::vector<FlightFile>& all) {
  FlightRanks found = ranks_of_files(all);
  EXPECT_THAT(found.doubts, IsEmpty());
  return std::move(found.ranks);
}

std::string refusal(const std::vector<FlightFile>& all) {
  try {
    ranks_of_files(all);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(FlightRanks, AreTheNumbersBehindTheUsualPrefixes) {
  EXPECT_THAT(ranks(files({"nccl_trace_rank_0", "nccl_trace_rank_12"})), ElementsAre(0, 12));
  EXPECT_THAT(ranks(files({"_dump_3", "_dump_2"})), ElementsAre(3, 2));
  EXPECT_THAT(ranks(files({"0", "1", "2"})), ElementsAre(0, 1, 2));
}

TEST(FlightRanks, StandBehindTheWordRankWhateverElseIsNumbered) {
  EXPECT_THAT(ranks(files({"rank3_gpu-node-07.1699", "rank4_gpu-node-07.1700"})), ElementsAre(3, 4));
  EXPECT_THAT(ranks(files({"job7-Rank=10-v2", "job7-Rank=9-v2"})), ElementsAre(10, 9));
}

TEST(FlightRanks, AreTheNumberThatDiffersAndFitsTheGroups) {
  // Both hosts count their local ranks from 0; the number of the host is no rank either.
  std::vector<FlightFile> all = files({"host0_local0_2", "host0_local1_3", "host1_local0_4", "host1_local1_5"});
  EXPECT_THAT(ranks(all), ElementsAre(2, 3, 4, 5));
  all = files({"0_of_4.pkl", "1_of_4.pkl"});
  all[0].members = {0, 2};
  all[1].members = {1, 3};
  EXPECT_THAT(ranks(all), ElementsAre(0, 1));
}

TEST(FlightRanks, AreToldByGroupsWhereNamesSayNothing) {
  std::vector<FlightFile> all = files({"first", "second"});
  all[0].members = {5};
  all[1].members = {2};
  EXPECT_THAT(ranks(all), ElementsAre(5, 2));
}

TEST(FlightRanks, AreDoubtedWhereAnotherNumberWouldDoAsWell) {
  const FlightRanks found = ranks_of_files(files({"node0-gpu1", "node1-gpu0"}));
  EXPECT_THAT(found.ranks, ElementsAre(1, 0));
  EXPECT_THAT(found.doubts, ElementsAre(AllOf(HasSubstr("dumps/node0-gpu1 is taken for rank 1"),
                                              HasSubstr("it would be rank 0"), HasSubstr("as in rank_0"))));
}

TEST(FlightRanks, DumpWhoseGroupsHaveNoSuchMemberIsLeftOut) {
  std::vector<FlightFile> all = files({"rank_0", "rank_1", "rank_2"});
  for (FlightFile& file : all) file.members = {0, 1, 2};
  all[2].members = {0, 1};
  const FlightRanks found = ranks_of_files(all);
  EXPECT_THAT(found.ranks, ElementsAre(0, 1, -1));
  EXPECT_THAT(found.doubts, ElementsAre(HasSubstr("dumps/rank_2: by its name this is rank 2, but its groups have no")));
}

TEST(FlightRanks, ThatCannotBeToldAreRefusedWithTheReasonAndWhatToDo) {
  EXPECT_THAT(refusal(files({"dump", "rank_1"})), HasSubstr("dumps/dump"));
  EXPECT_THAT(refusal(files({"a/rank_1", "b/rank_1"})), HasSubstr("one of each rank"));
  std::vector<FlightFile> all = files({"rank_7"});
  all[0].members = {0, 1};
  EXPECT_THAT(refusal(all), HasSubstr("this is rank 7, but its groups have no such member"));
  EXPECT_THAT(refusal(files({"rank_99999999999", "rank_99999999998"})), HasSubstr("the number in its name is no rank"));
  EXPECT_THAT(refusal(files({"host0-gpu0", "host0-gpu1", "host1-gpu0", "host1-gpu1"})),
              AllOf(HasSubstr("dumps/host1-gpu0: by its name this is rank 0, as dumps/host0-gpu0 is"),
                    HasSubstr("name the files by the ranks of the whole job, as in rank_0")));
}

}  // namespace
}  // namespace petri
