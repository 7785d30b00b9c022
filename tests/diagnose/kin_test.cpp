// What the other groups of a kind did decides between two ranks.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

#include "harness/diagnose/diagnose.hpp"
#include "tests/support/scenario_text.hpp"

namespace petri {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// Three tensor-parallel groups of two; rank 3 does `odd` where the others gather.
std::string groups(const std::string& label, const std::string& odd) {
  std::string lines;
  for (int group = 0; group < 3; ++group)
    lines += fmt::format(R"({{"comm":"tp{0}","ranks":[{1},{2}],"label":"{3}"}})"
                         "\n",
                         group, 2 * group, 2 * group + 1, label.empty() ? fmt::format("tp{}", group) : label);
  for (int rank = 0; rank < 6; ++rank)
    lines += fmt::format(R"({{"rank":{},"op":"{}","comm":"tp{}","count":8,"dtype":"float32"}})"
                         "\n",
                         rank, rank == 3 ? odd : "allgather", rank / 2);
  return lines;
}

TEST(Kin, NameTheOneOfTwoThatMadeAnotherCall) {
  const Diagnosis found = diagnose(test::scenario(6, groups("TENSOR", "alltoall")));
  EXPECT_EQ(found.verdict, Verdict::deadlock);
  EXPECT_THAT(found.findings.at(0).culprits, ElementsAre(3));
  EXPECT_THAT(found.findings.at(0).evidence, Contains(HasSubstr("the other 2 groups TENSOR made allgather")));
}

TEST(Kin, SayNothingWhereGroupsAreOfDifferentKinds) {
  EXPECT_THAT(diagnose(test::scenario(6, groups("", "alltoall"))).findings.at(0).culprits, ElementsAre(2, 3));
}

TEST(Kin, NameTheOneOfTwoWithAnotherSize) {
  std::string lines = groups("TENSOR", "allgather");
  const std::size_t at = lines.find(R"("rank":3)");
  lines.replace(lines.find(R"("count":8)", at), 9, R"("count":9)");
  const Diagnosis found = diagnose(test::scenario(6, lines));
  EXPECT_EQ(found.verdict, Verdict::mismatch);
  EXPECT_THAT(found.findings.at(0).culprits, ElementsAre(3));
}

TEST(Kin, NameTheOneOfACycleThatDidNotComeWhereAllGroupsOfTheKindCame) {
  // Rank 1 goes to the world before its group; only what the other group joined before its record begins tells.
  const Diagnosis found = diagnose(test::scenario(4, R"(
    {"comm":"dp0","ranks":[0,1],"label":"DATA"}
    {"comm":"dp1","ranks":[2,3],"label":"DATA"}
    {"rank":0,"op":"allreduce","comm":"dp0","count":4,"state":"scheduled"}
    {"rank":0,"end":"running","dropped":9,"joined":{"dp0":7,"world":2}}
    {"rank":1,"op":"allreduce","count":4,"state":"scheduled"}
    {"rank":1,"end":"running","dropped":9,"joined":{"dp0":7,"world":2}}
    {"rank":2,"op":"allreduce","count":4,"state":"scheduled"}
    {"rank":2,"end":"running","dropped":9,"joined":{"dp1":8,"world":2}}
    {"rank":3,"op":"allreduce","count":4,"state":"scheduled"}
    {"rank":3,"end":"running","dropped":9,"joined":{"dp1":8,"world":2}})",
                                                  R"("backend":"nccl")"));
  EXPECT_EQ(found.verdict, Verdict::deadlock);
  EXPECT_THAT(found.findings.at(0).culprits, ElementsAre(1));
}

}  // namespace
}  // namespace petri
