// Ranks that nobody but they themselves could release.
#include <gmock/gmock.h>

#include "harness/diagnose/diagnose.hpp"
#include "tests/support/script.hpp"

namespace petri {
namespace {

using test::scenario;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(WaitsForItself, IsNoCycleOfSeveral) {
  const Diagnosis diagnosis = diagnose(scenario(2, R"({"rank":1,"op":"ssend","peer":1}
    {"rank":1,"op":"recv","peer":1})"));
  EXPECT_THAT(diagnosis.findings.front().text, HasSubstr("Rank 1 waits for itself in ssend"));
  EXPECT_THAT(diagnosis.findings.front().culprits, ElementsAre(1));
}

TEST(WaitsForItself, AReceiveFromAnybodyWhereThereIsNobodyElseWaitsForItself) {
  const std::string own = "{\"comm\":\"own\",\"ranks\":[0]}";
  for (const std::string_view call :
       {"recv(peer=any)", "probe(peer=any tag=any)", "irecv(peer=any request=0); wait(request=0)",
        "recv(peer=any); ssend(peer=0)", "mprobe(peer=any message=1)"}) {
    const Diagnosis alone = diagnose(test::script({std::string(call)}));
    EXPECT_EQ(alone.verdict, Verdict::deadlock) << call;
    EXPECT_THAT(alone.findings.at(0).culprits, ElementsAre(0)) << call;
  }
  const Diagnosis beside = diagnose(test::script({"recv(comm=own peer=any); barrier", "barrier"}, own));
  EXPECT_EQ(beside.verdict, Verdict::deadlock);
  EXPECT_THAT(beside.findings.at(0).culprits, ElementsAre(0));
  EXPECT_EQ(diagnose(test::script({"isend(peer=0 request=0); recv(peer=any); wait(request=0)"})).verdict,
            Verdict::completes);
}

}  // namespace
}  // namespace petri
