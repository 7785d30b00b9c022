// Objects used in a state that does not allow it: each wrong use beside its legal twin.
#include <gmock/gmock.h>

#include "harness/diagnose/diagnose.hpp"
#include "tests/support/script.hpp"

namespace petri {
namespace {

using test::script;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// The misuse of rank 0 that is told first; its signature does not name ranks or numbers.
void expect_misuse(const Scenario& scenario, const std::string& form, std::vector<std::uint32_t> events) {
  const Diagnosis diagnosis = diagnose(scenario);
  EXPECT_EQ(diagnosis.signature, "misuse: " + form);
  ASSERT_FALSE(diagnosis.findings.empty()) << form;
  const Finding& finding = diagnosis.findings.front();
  EXPECT_EQ(finding.kind, Verdict::misuse);
  EXPECT_THAT(finding.culprits, ElementsAre(0)) << finding.text;
  std::vector<std::uint32_t> told;
  for (const EventRef ref : finding.events) told.push_back(ref.index);
  EXPECT_EQ(told, events) << finding.text;
  EXPECT_EQ(diagnosis.findings.size(), 1u) << diagnosis.findings.back().text;
}

void expect_legal(const Scenario& scenario) {
  const Diagnosis diagnosis = diagnose(scenario);
  EXPECT_EQ(diagnosis.verdict, Verdict::completes)
      << (diagnosis.findings.empty() ? "" : diagnosis.findings.front().text);
}

// Partitioned messages from rank 0 to rank 1.
Scenario partitioned(const std::string& sender, const std::string& receiver = "") {
  return script({"psend_init(peer=1 request=1 partitions=2); " + sender,
                 "precv_init(peer=0 request=1 partitions=2); " +
                     (receiver.empty() ? "start(request=1); wait(request=1)" : receiver)});
}

const std::string kBoth = "pready(request=1 index=0); pready(request=1 index=1); ";

TEST(Partitions, AreMarkedOnceInEachStart) {
  expect_misuse(partitioned("start(request=1); pready(request=1 index=0); pready(request=1 index=0); pready(request=1 "
                            "index=1); wait(request=1)"),
                "pready@0 partition is marked ready already", {3, 2});
  expect_misuse(partitioned("start(request=1); pready(request=1 index=0); pready_list(request=1 indices=[1,0]); "
                            "wait(request=1)"),
                "pready_list@0 partition is marked ready already", {3, 2});
  const std::string round = "start(request=1); " + kBoth + "wait(request=1); ";
  const std::string taken = "start(request=1); wait(request=1); ";
  expect_legal(partitioned(round + round, taken + taken));
}

TEST(Partitions, AreThoseOfTheRequest) {
  expect_misuse(partitioned("start(request=1); " + kBoth + "pready(request=1 index=2); wait(request=1)"),
                "pready@0 partition does not exist", {4, 0});
  const Diagnosis asked = diagnose(partitioned("start(request=1); " + kBoth + "wait(request=1)",
                                               "start(request=1); parrived(request=1 index=5 flag=false); "
                                               "wait(request=1)"));
  EXPECT_EQ(asked.signature, "misuse: parrived@0 partition does not exist");
  expect_legal(partitioned("start(request=1); " + kBoth + "wait(request=1)",
                           "start(request=1); parrived(request=1 index=1 flag=false); wait(request=1); "
                           "parrived(request=1 index=1 flag=true)"));  // an inactive request has arrived
}

TEST(Partitions, AreMarkedOfAStartedSendOnly) {
  expect_misuse(partitioned("pready(request=1 index=0); start(request=1); " + kBoth + "wait(request=1)"),
                "pready@0 request is not started", {1, 0});
  expect_misuse(partitioned("start(request=1); " + kBoth + "wait(request=1); pready(request=1 index=0)"),
                "pready@0 request is not started", {5, 4});
  expect_misuse(script({"precv_init(peer=1 request=1 partitions=1); start(request=1); pready(request=1 index=0); "
                        "wait(request=1)",
                        "psend_init(peer=0 request=1 partitions=1); start(request=1); pready(request=1 index=0); "
                        "wait(request=1)"}),
                "pready@0 request is no partitioned send", {2, 1});
}

TEST(Partitions, ThatAreNeverMarkedLeaveTheSendIncomplete) {
  const Diagnosis left = diagnose(partitioned("start(request=1); pready(request=1 index=0)", "start(request=1)"));
  EXPECT_EQ(left.signature, "misuse: psend_init@0 never completed");
}

TEST(Partitions, MarkedTooEarlyExplainTheHang) {
  const Diagnosis hang = diagnose(partitioned(kBoth + "start(request=1); wait(request=1)"));
  EXPECT_EQ(hang.signature, "misuse: pready@0 request is not started");
  EXPECT_THAT(hang.findings, Contains(testing::Field(&Finding::kind, Verdict::deadlock)));
}

const std::string kInit = "send_init(peer=1 request=1); ";
const std::string kTaken = "recv(peer=0); ";

TEST(PersistentRequests, AreCompleteBeforeTheyStartAgain) {
  const std::string start = "start(request=1); ", wait = "wait(request=1); ";
  expect_misuse(script({kInit + start + start + wait, kTaken + kTaken}), "start@0 request is still active", {2, 1});
  expect_legal(script({kInit + start + wait + start + wait, kTaken + kTaken}));
  expect_legal(script({kInit + start + "test(request=1 flag=true); " + start + wait, kTaken + kTaken}));
  // A failed test leaves it active, and one without its outcome may have completed it.
  expect_misuse(script({kInit + start + "test(request=1 flag=false); " + start + wait, kTaken + kTaken}),
                "start@0 request is still active", {3, 1});
  expect_legal(script({kInit + start + "test(request=1); " + start + wait, kTaken + kTaken}));
}

TEST(PersistentRequests, ExistWhenTheyStart) {
  expect_misuse(script({"start(request=1)"}), "start@0 request was never made", {0});
  expect_misuse(script({kInit + "request_free(request=1); start(request=1)", ""}), "start@0 request no longer exists",
                {2, 1});
  expect_misuse(script({"isend(peer=1 request=1); start(request=1); wait(request=1)", kTaken}),
                "start@0 request is not persistent", {1, 0});
  // A new request may have the number of one that is freed.
  expect_legal(script({kInit + "request_free(request=1); " + kInit + "start(request=1); wait(request=1)", kTaken}));
}

TEST(PersistentRequests, MayBeFreedWhileActiveButForCollectivesAndPartitions) {
  expect_legal(script({kInit + "start(request=1); request_free(request=1)", kTaken}));
  expect_legal(script({"isend(peer=1 request=1); request_free(request=1)", kTaken}));
  expect_misuse(partitioned("start(request=1); " + kBoth + "request_free(request=1)"),
                "request_free@0 request is still active", {4, 1});
  const std::string once = "barrier_init(request=1); start(request=1); ";
  expect_misuse(script({once + "request_free(request=1)", once + "wait(request=1); request_free(request=1)"}),
                "request_free@0 request is still active", {2, 1});
  expect_misuse(script({"ibarrier(request=1); request_free(request=1)", "ibarrier(request=1); wait(request=1)"}),
                "request_free@0 request is of a collective", {1, 0});
}

TEST(Requests, OfCollectivesAndAccessesAreNeitherFreedNorCancelled) {
  const std::string barrier = "ibarrier(request=1); ", wait = "wait(request=1)";
  expect_misuse(script({barrier + "cancel(request=1); " + wait, barrier + wait}), "cancel@0 request is of a collective",
                {1, 0});
  const std::string made = "win_create(win=w); win_lock_all(win=w); ",
                    freed = "; win_unlock_all(win=w); win_free(win=w)";
  const std::string put = "rput(win=w target=1 request=1); ";
  expect_misuse(script({made + put + "request_free(request=1)" + freed, made + freed}),
                "request_free@0 request is of an access to a window", {3, 2});
  expect_legal(script({made + put + wait + freed, made + freed}));
  expect_misuse(partitioned("start(request=1); " + kBoth + "cancel(request=1); " + wait),
                "cancel@0 request is a partitioned one", {4, 1});
  expect_legal(script({"irecv(peer=1 request=1); cancel(request=1 flag=false); " + wait, "send(peer=0)"}));
}

TEST(PersistentRequests, OfARingThatLostTheirInitAreNotJudged) {
  const std::string lost = R"({"rank":0,"end":"finalized","dropped":7})";
  expect_legal(test::scenario(1, R"({"rank":0,"op":"start","request":1})"
                                 "\n"
                                 R"({"rank":0,"op":"start","request":1})"
                                 "\n" +
                                     lost + "\n"));
  // Nor those of a piece that was cut out of a record.
  expect_legal(script({"start(request=1 seq=70)"}));
}

TEST(PersistentRequests, ThatOneThreadWaitsForAnotherMayStart) {
  // The record has the beginning of the wait only; the other thread starts the request after its end.
  expect_legal(script({kInit + "start(request=1); wait(request=1 thread=1); start(request=1); wait(request=1); "
                               "barrier(thread=1)",
                       kTaken + kTaken + "barrier"}));
}

TEST(Messages, AreProbedAndThenReceivedOnce) {
  const std::string probe = "mprobe(peer=1 message=1); ", receive = "mrecv(message=1); ";
  const std::string sent = "send(peer=0); ";
  expect_legal(script({probe + receive + probe + receive, sent + sent}));
  expect_legal(script({"mprobe(peer=null message=1); " + receive + "mprobe(peer=null message=2)", ""}));
  expect_misuse(script({receive, ""}), "mrecv@0 message was taken by no matched probe", {0});
  expect_misuse(script({"improbe(peer=1 message=1 flag=false); " + receive + "recv(peer=1)", sent}),
                "mrecv@0 message was taken by no matched probe", {1});
  expect_misuse(script({probe + receive + receive, sent}), "mrecv@0 message was received already", {2, 1});
  expect_misuse(script({probe, "bsend(peer=0)"}), "mprobe@0 never received", {0});
}

TEST(Windows, AreNotUsedBeforeTheyAreMade) {
  expect_misuse(script({"win_sync(win=w); win_create(win=w); win_free(win=w)", "win_create(win=w); win_free(win=w)"}),
                "win_sync@0 window is not made yet", {0});
  expect_legal(script({"win_create(win=w); win_sync(win=w); win_free(win=w)", "win_create(win=w); win_free(win=w)"}));
}

TEST(Windows, AreNotUsedOnceFreed) {
  const std::string made = "win_create(win=w); ", freed = "win_free(win=w); ", fence = "win_fence(win=w); ";
  expect_misuse(script({made + freed + "put(win=w target=1)", made + freed}), "put@0 window was freed", {2, 1});
  const Diagnosis both = diagnose(script({made + freed + fence, made + freed + fence}));
  EXPECT_EQ(both.signature, "misuse: win_fence@0 window was freed");
  EXPECT_THAT(both.findings.front().culprits, ElementsAre(0, 1));
  expect_legal(script({made + fence + freed + made + fence + freed, made + fence + freed + made + fence + freed}));
}

TEST(Communicators, AreNotUsedOnceFreed) {
  const std::string comm = R"({"comm":"a","ranks":[0,1]})";
  const std::string dup = "comm_dup(new=a); ", freed = "comm_free(comm=a); ";
  expect_misuse(script({dup + freed + "barrier(comm=a)"}, R"({"comm":"a","ranks":[0]})"),
                "barrier@0 communicator was freed", {2, 1});
  // What is pending completes, and windows and files outlive the communicator that they were made over.
  const std::string over = "win_create(comm=a win=w); file_open(comm=a file=f); ";
  const std::string rest = freed + "win_fence(win=w); file_sync(file=f); win_free(win=w); file_close(file=f)";
  expect_legal(script({dup + over + "isend(comm=a peer=1 request=1); " + rest + "; wait(request=1)",
                       dup + over + "irecv(comm=a peer=0 request=1); " + rest + "; wait(request=1)"},
                      comm));
  expect_legal(script({dup + freed + dup + freed, dup + freed + dup + freed}, comm));
  // A call that does not say what it made may have made it again.
  expect_legal(script({dup + freed + "comm_dup; " + freed, dup + freed + "comm_dup; " + freed}, comm));
}

TEST(Communicators, AreThereBeforeTheyAreUsed) {
  const std::string comm = R"({"comm":"a","ranks":[0]})";
  expect_misuse(script({"comm_idup(new=a request=1); barrier(comm=a); wait(request=1)"}, comm),
                "barrier@0 communicator is not made yet", {1, 0});
  expect_legal(script({"comm_idup(new=a request=1); wait(request=1); barrier(comm=a)"}, comm));
  expect_misuse(script({"comm_free"}), "comm_free@0 communicator is predefined", {0});
}

TEST(Communicators, OfNcclEndWithTheirDestruction) {
  const std::string comm = R"({"comm":"a","ranks":[0],"backend":"nccl"})";
  const std::string reduce = "allreduce(comm=a stream=s); ";
  expect_misuse(script({"comm_init_rank(new=a); comm_destroy(comm=a); " + reduce}, comm),
                "allreduce@0 communicator was freed", {2, 1});
  expect_misuse(script({"comm_init_rank(new=a); comm_abort(comm=a); comm_destroy(comm=a)"}, comm),
                "comm_destroy@0 communicator was freed", {2, 1});
  expect_misuse(script({"comm_init_rank(new=a); comm_finalize(comm=a); " + reduce + "comm_destroy(comm=a)"}, comm),
                "allreduce@0 communicator is being finalized", {2, 1});
  expect_legal(script({"comm_init_rank(new=a); " + reduce + "comm_finalize(comm=a); comm_destroy(comm=a)"}, comm));
}

const std::string kOpen = "file_open(file=f path=a); ", kClose = "file_close(file=f); ";

TEST(SplitCollectives, AreOneAtATime) {
  const std::string begin = "file_read_all_begin(file=f); ", end = "file_read_all_end(file=f); ";
  expect_legal(script({kOpen + begin + end + begin + "barrier; " + end + kClose}));
  expect_misuse(script({kOpen + begin + begin + end + kClose}),
                "file_read_all_begin@0 file has a split collective open", {2, 1});
  expect_misuse(script({kOpen + begin + "file_write_all(file=f); " + end + kClose}),
                "file_write_all@0 file has a split collective open", {2, 1});
  expect_misuse(script({kOpen + begin + kClose}), "file_close@0 file has a split collective open", {2, 1});
  expect_misuse(script({kOpen + end + kClose}), "file_read_all_end@0 file has no split collective open", {1});
  expect_misuse(script({kOpen + begin + "file_read_at_all_end(file=f); " + kClose}),
                "file_read_at_all_end@0 file has a split collective of another kind open", {2, 1});
  expect_misuse(script({kOpen + begin}), "file_read_all_begin@0 never ended", {1});
}

TEST(Files, AreAtRestWhenTheyAreClosed) {
  const std::string write = "file_iwrite_all(file=f request=1); ", wait = "wait(request=1); ";
  expect_misuse(script({kOpen + write + kClose + wait}), "file_close@0 file has an operation pending", {2, 1});
  expect_misuse(script({kOpen + write + "file_set_view(file=f); " + wait + kClose}),
                "file_set_view@0 file has an operation pending", {2, 1});
  expect_misuse(script({kOpen + kClose + "file_write_all(file=f)"}), "file_write_all@0 file was closed", {2, 1});
  expect_legal(script({kOpen + write + wait + "file_set_view(file=f); " + write + "waitall(requests=[1]); " + kClose}));
}

TEST(Groups, AreOpenedAndEnded) {
  const std::string comm = R"({"comm":"a","ranks":[0,1]})";
  const std::string reduce = "allreduce(comm=a stream=s); ", sync = "stream_sync(stream=s); ";
  const std::string whole = "group_start; " + reduce + "group_end; " + sync;
  expect_legal(script({whole, whole}, comm));
  expect_legal(script({"group_start; group_start; " + reduce + "group_end; group_end; " + sync, whole}, comm));
  expect_misuse(script({whole + "group_end", whole}, comm), "group_end@0 no group is open", {4});
  const Diagnosis all = diagnose(script({"group_start; " + reduce, "group_start; " + reduce}, comm));
  EXPECT_EQ(all.signature, "misuse: group_start@0 never ended");
  EXPECT_THAT(all.findings.front().culprits, ElementsAre(0, 1));
  EXPECT_THAT(all.findings.front().text, HasSubstr("is never launched"));
}

TEST(Groups, LaunchNothingBeforeTheirEnd) {
  const std::string comm = R"({"comm":"a","ranks":[0]})";
  const std::string reduce = "allreduce(comm=a stream=s); ", end = "group_end; ";
  const std::string held = " stream has calls in a group that is still open";
  expect_misuse(script({"group_start; " + reduce + "stream_sync(stream=s); " + end}, comm), "stream_sync@0" + held,
                {2, 1});
  expect_misuse(script({"group_start; " + reduce + "device_sync; " + end}, comm), "device_sync@0" + held, {2, 1});
  expect_misuse(
      script({"group_start; " + reduce + "event_record(event=e stream=s); event_sync(event=e); " + end}, comm),
      "event_sync@0" + held, {3, 1});
  // Another stream, and what was recorded before, hold nothing of the group.
  expect_legal(script({"event_record(event=e stream=s); group_start; " + reduce +
                       "stream_sync(stream=t); event_sync(event=e); " + end + "stream_sync(stream=s)"},
                      comm));
}

TEST(Groups, ThatAreNotEndedExplainTheHang) {
  const std::string comm = R"({"comm":"a","ranks":[0,1,2]})";
  const std::string open = "group_start; allreduce(comm=a stream=s); ";
  const std::string whole = open + "group_end; stream_sync(stream=s)";
  const auto expect_told = [&](const std::string& zero, const std::string& text) {
    const Diagnosis hang = diagnose(script({zero, whole, whole}, comm));
    EXPECT_EQ(hang.verdict, Verdict::deadlock);
    EXPECT_THAT(hang.findings.front().evidence, Contains(HasSubstr(text)));
  };
  expect_told(open, "rank 0 goes on without ending the group");
  expect_told(open + "recv(peer=1)", "rank 0 goes on without ending the group");
  const Diagnosis many = diagnose(script({open, open, whole}, comm));
  EXPECT_EQ(many.verdict, Verdict::deadlock);
  EXPECT_THAT(many.findings.front().evidence, Contains(HasSubstr("ranks 0,1 go on without ending the group")));
}

TEST(Groups, ThatAProgramLeavesByItsExitAreTold) {
  const std::string comm = R"({"comm":"a","ranks":[0]})";
  const Diagnosis left = diagnose(script({"group_start; allreduce(comm=a stream=s); exit"}, comm));
  EXPECT_EQ(left.verdict, Verdict::rank_error);
  EXPECT_THAT(left.findings, Contains(testing::Field(&Finding::text, HasSubstr("without ending the group"))));
}

TEST(Finalize, IsTheLastCallOfMpi) {
  expect_misuse(script({"finalize; barrier"}), "barrier@0 MPI is finalized", {1, 0});
  expect_legal(script({"barrier; finalize; stream_sync(stream=s); exit"}));
}

TEST(WrongUses, ExplainTheErrorOfTheirCall) {
  const Diagnosis told = diagnose(script({kInit + "start(request=1); start(request=1 error=MPI_ERR_REQUEST); "
                                                  "end(aborted)",
                                          kTaken + "recv(peer=0 state=started); end(signal)"}));
  EXPECT_EQ(told.signature, "misuse: start@0 request is still active");
  EXPECT_THAT(told.findings.front().evidence, Contains(HasSubstr("MPI_ERR_REQUEST")));
}

// Nobody can meet a call on what is not there: the deadlock follows from the misuse.
TEST(Lifetimes, CallOnWhatIsNotThereIsTheCauseOfTheDeadlockInIt) {
  const std::string pair = R"({"comm":"d","ranks":[0,1]})", nccl = R"({"comm":"d","ranks":[0,1],"backend":"nccl"})";
  const auto caused = [](const Scenario& scenario, const std::string& form) {
    const Diagnosis diagnosis = diagnose(scenario);
    EXPECT_EQ(diagnosis.signature, "misuse: " + form);
    ASSERT_EQ(diagnosis.findings.size(), 2u) << form;
    EXPECT_THAT(diagnosis.findings.front().culprits, ElementsAre(0)) << form;
    EXPECT_EQ(diagnosis.findings.back().kind, Verdict::deadlock) << form;
  };
  const std::string made = "comm_dup(new=d); ", freed = made + "comm_free(comm=d)";
  caused(script({freed + "; barrier(comm=d)", freed}, pair), "barrier@0 communicator was freed");
  expect_legal(
      script({made + "barrier(comm=d); comm_free(comm=d)", made + "barrier(comm=d); comm_free(comm=d)"}, pair));
  expect_legal(script({freed + "; " + made + "barrier(comm=d)", freed + "; " + made + "barrier(comm=d)"}, pair));

  const std::string inited = "comm_init_rank(new=d ranks=[0,1]); ", gone = "comm_destroy(comm=d)";
  const std::string reduced = "allreduce(comm=d count=4 dtype=float32 reduce=sum device=0 stream=s); ";
  const std::string synced = "stream_sync(device=0 stream=s); ";
  caused(script({inited + gone + "; " + reduced + synced, inited + reduced + synced + gone}, nccl),
         "allreduce@0 communicator was freed");
  expect_legal(script({inited + reduced + synced + gone, inited + reduced + synced + gone}, nccl));

  const std::string opened = "file_open(file=f path=o mode=create,rdwr); ", closed = "file_close(file=f)";
  caused(script({opened + closed + "; file_sync(file=f)", opened + closed}), "file_sync@0 file was closed");
  const std::string begun = opened + "file_write_all_begin(file=f count=1 dtype=int32); ";
  const std::string written = begun + "file_write_all_end(file=f); " + closed;
  caused(script({begun + "file_read_all_end(file=f); " + closed, written}),
         "file_read_all_end@0 file has a split collective of another kind open");
  expect_legal(script({written, written}));
}

// A file that is there can be closed by all, also where one has an operation pending: who left the closing out is the
// cause.
TEST(Lifetimes, CallThatOnlyComesTooEarlyIsNoCauseOfTheDeadlockInIt) {
  const std::string opened = "file_open(file=f path=o mode=create,rdwr); ";
  const std::string written = opened + "file_iwrite_all(file=f count=1 dtype=int32 request=1); ";
  const std::string wait = "wait(request=1); ", close = "file_close(file=f); ";
  const Diagnosis diagnosis = diagnose(script({written + close + wait, written + wait}));
  EXPECT_EQ(diagnosis.verdict, Verdict::deadlock);
}

}  // namespace
}  // namespace petri
