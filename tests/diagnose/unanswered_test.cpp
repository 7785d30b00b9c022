#include <gmock/gmock.h>

#include "harness/diagnose/diagnose.hpp"
#include "tests/support/scenario_text.hpp"
#include "tests/support/script.hpp"

namespace petri {
namespace {

using test::scenario;
using test::script;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

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

// Rank 0 sends three times and then receives: that its loop of sends ends is no fault of it.
TEST(Unanswered, LoopThatEndsIsNoBrokenHabit) {
  const Finding root =
      root_of(script({"send(peer=1 site=a:1); send(peer=1 site=a:1); send(peer=1 site=a:1); recv(peer=1 site=a:2); "
                      "barrier(site=a:3)",
                      "recv(peer=0 site=b:1); recv(peer=0 site=b:1); recv(peer=0 site=b:1); barrier(site=b:3)"}));
  EXPECT_THAT(root.culprits, ElementsAre(0, 1));
  EXPECT_THAT(root.text, Not(HasSubstr("left out")));
}

// The message that is waited for may have been left out, and may be one that nobody was to send.
TEST(Unanswered, LoopThatEndsInACallThatIsWaitedForIsNoBrokenHabit) {
  const Finding root = root_of(script({"recv(peer=1); recv(peer=1); recv(peer=1); recv(peer=1); barrier",
                                       "send(peer=0); send(peer=0); send(peer=0); barrier"}));
  EXPECT_THAT(root.culprits, ElementsAre(0, 1));
}

// Rank 2 of the pipeline has one gradient less to send than it received; the loops of rank 0 say nothing.
TEST(Unanswered, AnswerLeftOutInAPipelineIsFoundAtItsSender) {
  std::string first, middle, last;
  for (int i = 0; i < 4; ++i) first += "bsend(peer=1 tag=1 site=p:2); ";
  for (int i = 0; i < 4; ++i) {
    first += "recv(peer=1 tag=2 site=p:3); ";
    middle += "recv(peer=0 tag=1 site=p:1); bsend(peer=2 tag=1 site=p:2); ";
    last += i == 2 ? "recv(peer=1 tag=1 site=p:1); " : "recv(peer=1 tag=1 site=p:1); bsend(peer=1 tag=2 site=p:4); ";
  }
  for (int i = 0; i < 4; ++i) middle += "recv(peer=2 tag=2 site=p:3); bsend(peer=0 tag=2 site=p:4); ";
  const std::string end = "allreduce(count=1 site=p:9)";
  const Finding root = root_of(script({first + end, middle + end, last + end}));
  EXPECT_THAT(root.culprits, ElementsAre(2));
  EXPECT_THAT(root.text, HasSubstr("Rank 2 left out bsend"));
}

TEST(Unanswered, AnswerThatOneOfManyLeavesOutIsFoundByTheOthers) {
  const std::string worker = "recv(peer=0 tag=1); send(peer=0 tag=2); recv(peer=0 tag=1)";
  const Finding root =
      root_of(script({"send(peer=1 tag=1); send(peer=2 tag=1); send(peer=3 tag=1); recv(peer=any tag=2); "
                      "recv(peer=any tag=2); recv(peer=any tag=2)",
                      worker, "recv(peer=0 tag=1); recv(peer=0 tag=1)", worker}));
  EXPECT_THAT(root.culprits, ElementsAre(2));
  EXPECT_THAT(root.text, HasSubstr("Rank 2 left out send"));
}

// A rare branch before a collective that both came through has nothing to do with what is missing after it.
TEST(Unanswered, RareBranchBeforeALaterMeetingIsNoBrokenHabit) {
  const std::string asks = "send(peer=1 tag=1 site=p:1); recv(peer=1 tag=2 site=p:2); ";
  const std::string answers = "recv(peer=0 tag=1 site=q:1); send(peer=0 tag=2 site=q:2); ";
  const std::string silent = "recv(peer=0 tag=1 site=q:1); ";
  const std::string meet = "barrier(site=p:3); ";
  const Finding root = root_of(
      script({asks + asks + "send(peer=1 tag=1 site=p:7); " + meet + asks + "recv(peer=1 tag=2 site=p:2); " + meet,
              answers + answers + silent + meet + answers + meet}));
  EXPECT_THAT(root.culprits, ElementsAre(0, 1));
}

}  // namespace
}  // namespace petri
