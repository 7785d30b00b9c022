#include <gmock/gmock.h>

#include "harness/diagnose/diagnose.hpp"
#include "tests/support/scenario_text.hpp"

namespace petri {
namespace {

using test::scenario;
using testing::ElementsAre;
using testing::HasSubstr;

Finding root_of(const Scenario& scenario) {
  const Diagnosis diagnosis = diagnose(scenario);
  EXPECT_EQ(diagnosis.verdict, Verdict::deadlock);
  return diagnosis.findings.empty() ? Finding{} : diagnosis.findings.front();
}

TEST(Unanswered, MessageOnAnotherCommunicatorIsTheFaultOfBothSides) {
  const Finding root = root_of(scenario(2, R"({"comm":"copy","ranks":[0,1]}
    {"rank":0,"op":"send","peer":1,"comm":"copy","state":"completed"}
    {"rank":1,"op":"recv","peer":0})"));
  EXPECT_THAT(root.culprits, ElementsAre(0, 1));
  EXPECT_THAT(root.text, HasSubstr("sent with another communicator"));
}

TEST(Unanswered, MessageToTheWrongRankIsTheSendersFault) {
  const Finding root = root_of(scenario(3, R"({"rank":0,"op":"send","peer":2,"state":"completed"}
    {"rank":1,"op":"recv","peer":0})"));
  EXPECT_THAT(root.culprits, ElementsAre(0));
  EXPECT_EQ(root.call, (EventRef{0, 0}));
}

TEST(Unanswered, SendThatWaitsAtTheWrongRankIsTheSendersFault) {
  const Finding root = root_of(scenario(3, R"({"rank":0,"op":"ssend","peer":2}
    {"rank":1,"op":"recv","peer":0})"));
  EXPECT_THAT(root.culprits, ElementsAre(0));
  EXPECT_THAT(root.text, HasSubstr("Rank 0 sent to rank 2, which does not receive it, what rank 1 waits for"));
}

// That it would be received later by a rank which still waits says nothing of its destination.
TEST(Unanswered, MessageToARankThatMayStillReceiveItExplainsNothing) {
  const Finding root = root_of(scenario(3, R"({"rank":0,"op":"send","peer":2,"state":"completed"}
    {"rank":1,"op":"recv","peer":0}
    {"rank":2,"op":"recv","peer":1,"tag":5}
    {"rank":2,"op":"recv","peer":0})"));
  EXPECT_EQ(root.text.find("sent to rank 2"), std::string::npos);
}

TEST(Unanswered, WildcardThatTookTheMessageOfALaterReceiveIsTold) {
  const Finding root = root_of(scenario(3, R"({"rank":0,"op":"recv","peer":"any","matched":2}
    {"rank":0,"op":"recv","peer":2}
    {"rank":1,"op":"recv","peer":2,"tag":1}
    {"rank":1,"op":"send","peer":0,"state":"completed"}
    {"rank":2,"op":"ssend","peer":0}
    {"rank":2,"op":"send","peer":1,"tag":1})"));
  EXPECT_THAT(root.culprits, ElementsAre(0));
  EXPECT_EQ(root.call, (EventRef{0, 0}));
  EXPECT_THAT(root.text, HasSubstr("took the message of rank 2"));
}

TEST(Unanswered, RankOfARingThatTurnsTheOtherWayIsNamed) {
  const Finding root = root_of(scenario(3, R"({"rank":0,"op":"sendrecv","sendpeer":1,"recvpeer":2}
    {"rank":1,"op":"sendrecv","sendpeer":0,"recvpeer":2}
    {"rank":2,"op":"sendrecv","sendpeer":0,"recvpeer":1})"));
  EXPECT_THAT(root.culprits, ElementsAre(1));
  EXPECT_THAT(root.text, HasSubstr("sends where nobody receives from it"));
}

TEST(Unanswered, OneReceiveOfAnythingTooManyIsNotTheSendersFault) {
  const Finding root = root_of(scenario(3, R"({"rank":0,"op":"recv","peer":"any"}
    {"rank":0,"op":"recv","peer":"any"}
    {"rank":0,"op":"recv","peer":"any"}
    {"rank":1,"op":"send","peer":0}
    {"rank":2,"op":"send","peer":0})"));
  EXPECT_THAT(root.culprits, ElementsAre(0));
  EXPECT_THAT(root.text, HasSubstr("ranks 1,2 sent it one each"));
}

TEST(Unanswered, BroadcastThatItsReceiversMeetWithAReceive) {
  const Finding root = root_of(scenario(3, R"({"rank":0,"op":"bcast","root":0,"state":"completed","site":"a.c:1"}
    {"rank":1,"op":"recv","peer":0,"site":"a.c:2"}
    {"rank":1,"end":"running"}
    {"rank":2,"op":"recv","peer":0,"site":"a.c:2"}
    {"rank":2,"end":"running"})"));
  EXPECT_THAT(root.culprits, ElementsAre(0));
  EXPECT_EQ(root.events.front(), (EventRef{0, 0}));
}

// A wait for a nonblocking receive points at the call that posted it, which names the peer.
TEST(Unanswered, CallThatPostedAReceiveIsToldWithItsWait) {
  const Finding root = root_of(scenario(2, R"({"rank":0,"op":"irecv","peer":1,"request":0}
    {"rank":0,"op":"wait","request":0})"));
  EXPECT_THAT(root.culprits, ElementsAre(1));
  EXPECT_EQ(root.call, (EventRef{0, 0}));
}

// A persistent receive is told by its start as well: the call that made it names the peer, the start is what waits.
TEST(Unanswered, StartOfAPersistentReceiveIsTheCallToLookAt) {
  const Finding root = root_of(scenario(2, R"({"rank":0,"op":"recv_init","peer":1,"request":0}
    {"rank":0,"op":"start","request":0}
    {"rank":0,"op":"wait","request":0})"));
  EXPECT_THAT(root.culprits, ElementsAre(1));
  EXPECT_EQ(root.call, (EventRef{0, 1}));
}

TEST(Unanswered, WaitForTwoThingsOfOneFinishedRankNamesItOnce) {
  const Finding root = root_of(scenario(2, R"({"rank":0,"op":"issend","peer":1,"request":0}
    {"rank":0,"op":"irecv","peer":1,"request":1}
    {"rank":0,"op":"waitall","requests":[0,1]})"));
  EXPECT_THAT(root.culprits, ElementsAre(1));
}

TEST(Unanswered, SendAndReceiveThatWaitForEachOtherWithOtherTags) {
  const Finding root = root_of(scenario(2, R"({"rank":0,"op":"issend","peer":1,"tag":2,"request":0}
    {"rank":0,"op":"wait","request":0}
    {"rank":1,"op":"irecv","peer":0,"tag":1,"request":0}
    {"rank":1,"op":"wait","request":0})"));
  EXPECT_THAT(root.culprits, ElementsAre(0, 1));
  EXPECT_EQ(root.call, (EventRef{1, 0}));
  EXPECT_THAT(root.text, HasSubstr("sent with another tag"));
}

TEST(Unanswered, MessageThatAMatchedProbeTookIsNotThereForAReceive) {
  const Finding root = root_of(scenario(2, R"({"rank":0,"op":"mprobe","peer":1,"message":0}
    {"rank":0,"op":"recv","peer":1}
    {"rank":1,"op":"bsend","peer":0})"));
  EXPECT_THAT(root.culprits, ElementsAre(0));
  EXPECT_THAT(root.text, HasSubstr("which only a matched receive can have"));
}

TEST(Unanswered, SendWhoseMessageAProbeTookAndNobodyReceived) {
  const Finding root = root_of(scenario(2, R"({"rank":0,"op":"mprobe","peer":1,"message":0}
    {"rank":1,"op":"ssend","peer":0})"));
  EXPECT_THAT(root.culprits, ElementsAre(0));
  EXPECT_EQ(root.call, (EventRef{0, 0}));
}

}  // namespace
}  // namespace petri
