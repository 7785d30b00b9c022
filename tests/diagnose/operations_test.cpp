// Diagnosis of windows, files, topologies and intercommunicators: arguments that clash, epochs, buffers in use.
#include <gmock/gmock.h>

#include "harness/diagnose/diagnose.hpp"
#include "tests/support/script.hpp"

namespace petri {
namespace {

using test::script;
using testing::ElementsAre;
using testing::HasSubstr;

void expect(const Scenario& scenario, Verdict verdict, std::vector<std::int32_t> culprits, const std::string& text) {
  const Diagnosis diagnosis = diagnose(scenario);
  EXPECT_EQ(diagnosis.verdict, verdict);
  ASSERT_FALSE(diagnosis.findings.empty()) << name_of(diagnosis.verdict);
  EXPECT_EQ(diagnosis.findings.front().culprits, culprits) << diagnosis.findings.front().text;
  EXPECT_THAT(diagnosis.findings.front().text, HasSubstr(text));
}

void expect_legal(const Scenario& scenario) {
  const Diagnosis diagnosis = diagnose(scenario);
  EXPECT_EQ(diagnosis.verdict, Verdict::completes)
      << (diagnosis.findings.empty() ? "" : diagnosis.findings.front().text);
}

const std::string kWin = "win_create(win=w); ";

TEST(Epochs, AccessNeedsOne) {
  expect(script({kWin + "put(win=w target=1)", kWin}), Verdict::misuse, {0}, "no epoch is open");
  expect_legal(script({kWin + "win_fence(win=w); put(win=w target=1); win_fence(win=w assert=nosucceed)",
                       kWin + "win_fence(win=w); win_fence(win=w assert=nosucceed)"}));
  expect(script({kWin + "win_fence(win=w); win_fence(win=w assert=nosucceed); put(win=w target=1)",
                 kWin + "win_fence(win=w); win_fence(win=w assert=nosucceed)"}),
         Verdict::misuse, {0}, "no epoch is open");
  expect(script({kWin + "win_start(win=w ranks=[1]); put(win=w target=2); win_complete(win=w)",
                 kWin + "win_post(win=w ranks=[0]); win_wait(win=w)", kWin}),
         Verdict::misuse, {0}, "does not name this target");
}

TEST(Epochs, AreOpenedBeforeTheyAreClosed) {
  expect(script({kWin + "win_unlock(win=w target=1)", kWin}), Verdict::misuse, {0}, "no lock is held");
  expect(script({kWin, kWin + "win_complete(win=w)"}), Verdict::misuse, {1}, "no win_start");
  expect(script({kWin, kWin + "win_lock(win=w target=0 lock=shared); win_free(win=w)"}), Verdict::deadlock, {0, 1},
         "win_free");
}

TEST(Epochs, WhoFreesTheWindowInsteadIsNamed) {
  const std::string free = "win_free(win=w)";
  expect(script({kWin + "win_post(win=w ranks=[1]); win_wait(win=w); " + free, kWin + free}), Verdict::deadlock, {1},
         "left out a win_start");
  expect(script({kWin + free, kWin + "win_start(win=w ranks=[0]); win_complete(win=w); " + free}), Verdict::deadlock,
         {0}, "left out a win_post");
  expect(script({kWin + "win_lock(win=w target=2 lock=exclusive); barrier; " + free,
                 kWin + "barrier; win_lock(win=w target=2 lock=exclusive); win_unlock(win=w target=2); " + free,
                 kWin + "barrier; " + free}),
         Verdict::deadlock, {0}, "never unlocks");
}

TEST(Files, MustBeTheSameOnAllRanks) {
  const std::string rest = "; file_close(file=f)";
  expect(script({"file_open(file=f path=a mode=rdonly)" + rest, "file_open(file=f path=a mode=rdonly)" + rest,
                 "file_open(file=f path=a mode=wronly)" + rest}),
         Verdict::mismatch, {2}, "file argument");
}

TEST(Files, AreAtomicForAllOrForNone) {
  const auto set = [](const std::string& flag) {
    return "file_open(file=f path=a mode=rdwr); file_set_atomicity(file=f flag=" + flag + "); file_close(file=f)";
  };
  expect(script({set("true"), set("true"), set("false")}), Verdict::mismatch, {2}, "file argument");
  expect_legal(script({set("true"), set("true"), set("true")}));
}

TEST(Files, OneThatLeavesOutACollectiveIsNamed) {
  const std::string open = "file_open(file=f path=a); file_write_all(file=f); ";
  const std::string close = "file_write_all(file=f); file_close(file=f)";
  expect(script({open + close, open + close, open + "file_close(file=f)"}), Verdict::deadlock, {2}, "on f");
}

TEST(Neighbours, CountsFitAlongTheEdges) {
  const std::string comm = R"({"comm":"t","ranks":[0,1,2]})";
  const auto ring = [&](const std::string& zero, const std::string& one, const std::string& two) {
    return script(
        {"dist_graph_create_adjacent(new=t sources=[2] destinations=[1]); neighbor_alltoallv(comm=t " + zero + ")",
         "dist_graph_create_adjacent(new=t sources=[0] destinations=[2]); neighbor_alltoallv(comm=t " + one + ")",
         "dist_graph_create_adjacent(new=t sources=[1] destinations=[0]); neighbor_alltoallv(comm=t " + two + ")"},
        comm);
  };
  expect_legal(ring("sendcounts=[1] recvcounts=[3]", "sendcounts=[2] recvcounts=[1]", "sendcounts=[3] recvcounts=[2]"));
  const Diagnosis wrong =
      diagnose(ring("sendcounts=[1] recvcounts=[3]", "sendcounts=[2] recvcounts=[5]", "sendcounts=[3] recvcounts=[2]"));
  EXPECT_EQ(wrong.verdict, Verdict::mismatch);
}

TEST(Neighbours, NameEachOther) {
  const std::string comm = R"({"comm":"t","ranks":[0,1]})";
  const Diagnosis wrong = diagnose(
      script({"dist_graph_create_adjacent(new=t destinations=[1])", "dist_graph_create_adjacent(new=t)"}, comm));
  EXPECT_EQ(wrong.verdict, Verdict::mismatch);
  EXPECT_THAT(wrong.findings.front().text, HasSubstr("topology"));
}

TEST(Buffers, AreBusyUntilTheirRequestIsComplete) {
  const std::string peer = "send(peer=1); send(peer=1)";
  expect(script({"irecv(peer=1 request=1 recvbuffer=[4096,64]); recv(peer=1 recvbuffer=[4128,8]); wait(request=1)",
                 "send(peer=0); send(peer=0)"}),
         Verdict::misuse, {0}, "has not given back");
  expect_legal(
      script({"irecv(peer=1 request=1 recvbuffer=[4096,64]); wait(request=1); recv(peer=1 recvbuffer=[4128,8])",
              "send(peer=0); send(peer=0)"}));
  expect_legal(
      script({"isend(peer=1 request=1 sendbuffer=[4096,64]); send(peer=1 sendbuffer=[4096,64]); wait(request=1)",
              "recv(peer=0); recv(peer=0)"}));
}

TEST(Buffers, OfAnAccessAreBusyUntilItsWindowIsSynchronized) {
  const std::string fence = "win_fence(win=w); ";
  expect(script({kWin + fence + "get(win=w target=1 recvbuffer=[4096,8]); recv(peer=1 recvbuffer=[4100,8]); " + fence +
                     fence,
                 kWin + fence + "send(peer=0); " + fence + fence}),
         Verdict::misuse, {0}, "has not given back");
  expect_legal(script({kWin + fence + "get(win=w target=1 recvbuffer=[4096,8]); " + fence +
                           "recv(peer=1 recvbuffer=[4100,8]); " + fence,
                       kWin + fence + fence + "send(peer=0); " + fence}));
}

// An access with a request gives its memory back when that is complete, or with its epoch.
TEST(Buffers, OfAnAccessWithARequestAreBusyUntilItsWait) {
  const std::string get =
      kWin + "win_lock(win=w target=1 lock=shared); " + "rget(win=w target=1 request=1 recvbuffer=[4096,8]); ";
  const std::string use = "send(peer=1 sendbuffer=[4096,8]); ", wait = "wait(request=1); ";
  const std::string unlock = "win_unlock(win=w target=1); ";
  const std::string target = kWin + "recv(peer=0)";
  expect(script({get + use + wait + unlock, target}), Verdict::misuse, {0}, "has not given back");
  expect_legal(script({get + wait + use + unlock, target}));
  expect_legal(script({get + unlock + use + wait, target}));
}

TEST(Buffers, OfMessagesToNobodyAreNotTouched) {
  const auto pending = [](const std::string& peer) {
    return "irecv(peer=" + peer + " request=1 recvbuffer=[4096,8]); recv(peer=1 recvbuffer=[4096,8]); wait(request=1)";
  };
  expect(script({pending("1"), "send(peer=0); send(peer=0)"}), Verdict::misuse, {0}, "has not given back");
  expect_legal(script({pending("null"), "send(peer=0)"}));
  const auto both = [](const std::string& from) {
    return "isend(peer=1 request=1 sendbuffer=[4096,8]); sendrecv(sendpeer=1 recvpeer=" + from +
           " sendbuffer=[64,8] recvbuffer=[4096,8]); wait(request=1)";
  };
  expect(script({both("1"), "recv(peer=0); recv(peer=0); send(peer=0)"}), Verdict::misuse, {0}, "has not given back");
  expect_legal(script({both("null"), "recv(peer=0); recv(peer=0)"}));
}

TEST(Buffers, OfPartitionsAreFilledUntilReadyAndReadOnceArrived) {
  const std::string send =
      "psend_init(peer=1 request=1 partitions=1 sendbuffer=[4096,8]); start(request=1); "
      "recv(peer=1 recvbuffer=[4096,8]); pready(request=1 index=0); wait(request=1); recv(peer=1)";
  const auto receive = [](const std::string& flag) {
    return "precv_init(peer=0 request=1 partitions=1 recvbuffer=[4096,8]); start(request=1); send(peer=0); "
           "parrived(request=1 index=0 flag=" +
           flag + "); send(peer=0 sendbuffer=[4096,8]); wait(request=1)";
  };
  expect(script({send, receive("false")}), Verdict::misuse, {1}, "has not given back");
  expect_legal(script({send, receive("true")}));
}

TEST(SeveralFaults, AreEachFound) {
  const std::string pairs = R"({"comm":"a","ranks":[0,1]}
{"comm":"b","ranks":[2,3]}
{"comm":"c","ranks":[4,5]})";
  const Diagnosis all = diagnose(script(
      {"recv(peer=1)", "recv(peer=0)", "recv(peer=3)", "recv(peer=2)", "bcast(comm=c root=0)", "bcast(comm=c root=1)"},
      pairs));
  EXPECT_EQ(all.verdict, Verdict::deadlock);
  ASSERT_EQ(all.findings.size(), 2u);
  EXPECT_THAT(all.findings[0].evidence, testing::Contains(HasSubstr("once more, by itself, among ranks 2,3")));
  EXPECT_EQ(all.findings[1].kind, Verdict::mismatch);
}

TEST(Intercommunicators, AllgatherNeedOnlyFitAcross) {
  const std::string comm = R"({"comm":"i","ranks":[0],"remote":[1,2]})";
  expect_legal(script({"allgather(comm=i sendcount=2 recvcount=3)", "allgather(comm=i sendcount=3 recvcount=2)",
                       "allgather(comm=i sendcount=3 recvcount=2)"},
                      comm));
  const Diagnosis wrong =
      diagnose(script({"allgather(comm=i sendcount=2 recvcount=3)", "allgather(comm=i sendcount=3 recvcount=2)",
                       "allgather(comm=i sendcount=4 recvcount=2)"},
                      comm));
  EXPECT_EQ(wrong.verdict, Verdict::mismatch);
}

TEST(Intercommunicators, RootsAreComparedAcross) {
  const std::string comm = R"({"comm":"i","ranks":[0,1],"remote":[2,3]})";
  expect_legal(script(
      {"bcast(comm=i root=null)", "bcast(comm=i root=root)", "bcast(comm=i root=1)", "bcast(comm=i root=1)"}, comm));
  const Diagnosis wrong = diagnose(script(
      {"bcast(comm=i root=null)", "bcast(comm=i root=root)", "bcast(comm=i root=1)", "bcast(comm=i root=0)"}, comm));
  EXPECT_EQ(wrong.verdict, Verdict::mismatch);
  EXPECT_THAT(wrong.findings.front().culprits, ElementsAre(3));
}

TEST(PersistentCollectives, ClashOnceAtTheirInit) {
  const auto calls = [](const std::string& count) {
    return "allreduce_init(count=" + count +
           " request=1); start(request=1); wait(request=1); start(request=1); wait(request=1)";
  };
  const Diagnosis wrong = diagnose(script({calls("4"), calls("4"), calls("5")}));
  EXPECT_EQ(wrong.verdict, Verdict::mismatch);
  EXPECT_EQ(wrong.findings.size(), 1u);
}

TEST(Streams, DifferentCollectivesThatMeetHaveTheirSignature) {
  const std::string comm = R"({"comm":"dp","ranks":[0,1]})";
  const Diagnosis differ = diagnose(script(
      {"allgather(comm=dp stream=s); stream_sync(stream=s)", "allreduce(comm=dp stream=s); stream_sync(stream=s)"},
      comm));
  EXPECT_EQ(differ.signature, "deadlock: A(allgather@0 meets B) B(allreduce@0 meets A)");
}

TEST(Streams, AnotherOrderOfKernelsThatWouldBlockIsANote) {
  const std::string comms = R"({"comm":"dp","ranks":[0,1]}
{"comm":"tp","ranks":[0,1]})";
  const auto calls = [&](const std::string& between) {
    const std::string one = "allreduce(comm=dp stream=s); " + between + "allreduce(comm=tp stream=t); device_sync";
    return diagnose(script({one, one}, comms));
  };
  const Diagnosis free = calls(""), bound = calls("event_record(event=e stream=s); stream_wait(event=e stream=t); ");
  const auto noted = Contains(HasSubstr("which the kernel on stream s holds"));
  EXPECT_EQ(free.verdict, Verdict::completes);
  EXPECT_THAT(free.notes, noted);
  EXPECT_EQ(free.certainty, Certainty::not_found);
  EXPECT_THAT(bound.notes, Not(noted));
  EXPECT_EQ(bound.certainty, Certainty::proved);
}

TEST(Windows, StayWithTheCommunicatorOverWhichTheyWereMade) {
  const std::string comm = R"({"comm":"s","ranks":[0,1]})";
  expect_legal(script({"win_create(win=w comm=s); win_fence(win=w); win_free(win=w)",
                       "win_create(win=w comm=s); win_fence(win=w); win_free(win=w)", ""},
                      comm));
}

TEST(Locks, WhoKeepsOneWhileItWaitsForTheOthersIsNamed) {
  const Diagnosis c19 = diagnose(script(
      {"win_create(win=w); win_lock(win=w target=0 lock=exclusive); barrier; barrier; win_unlock(win=w target=0)",
       "win_create(win=w); barrier; win_lock(win=w target=0 lock=exclusive); put(win=w target=0); barrier; "
       "win_unlock(win=w target=0)"}));
  EXPECT_EQ(c19.verdict, Verdict::deadlock);
  EXPECT_THAT(c19.findings.front().culprits, ElementsAre(0));
  EXPECT_THAT(c19.findings.front().text, HasSubstr("keeps win_lock at 0 exclusive on w (event 1) while it waits"));
  EXPECT_THAT(c19.findings.front().text, HasSubstr("unlocks only after that (event 4)"));
}

// Whichever of the two is granted the lock first, the one that keeps it is named.
TEST(Locks, ForgottenBeforeABarrierAreTheirHoldersFault) {
  const std::string lock = kWin + "win_lock(win=w target=0 lock=exclusive); put(win=w target=0 disp=0); ";
  const std::string unlock = "win_unlock(win=w target=0); ", rest = "barrier; win_free(win=w)";
  expect(script({lock + rest, lock + unlock + rest}), Verdict::deadlock, {0}, "keeps win_lock");
  expect(script({lock + unlock + rest, lock + rest}), Verdict::deadlock, {1}, "keeps win_lock");
  expect_legal(script({lock + unlock + rest, lock + unlock + rest}));
}

TEST(Locks, TakenTwiceAreMisusedBeforeTheyBlock) {
  const std::string lock = "win_lock(win=w target=0 lock=exclusive); ", unlock = "win_unlock(win=w target=0); ";
  const Diagnosis twice = diagnose(script({kWin + lock + lock + unlock + "win_free(win=w)", kWin + "win_free(win=w)"}));
  EXPECT_EQ(twice.verdict, Verdict::misuse);
  ASSERT_EQ(twice.findings.size(), 2u);
  EXPECT_THAT(twice.findings[0].text, HasSubstr("locked already"));
  EXPECT_EQ(twice.findings[1].kind, Verdict::deadlock);
  expect_legal(script({kWin + lock + unlock + lock + unlock + "win_free(win=w)", kWin + "win_free(win=w)"}));
}

TEST(Signatures, OfOneRankThatWaitsForItselfIsNoCycleOfRanks) {
  EXPECT_EQ(diagnose(script({"recv(peer=0); send(peer=0)", ""})).signature, "deadlock: A(recv@0 waits for itself)");
  EXPECT_EQ(diagnose(script({"recv(peer=1); send(peer=1)", "recv(peer=0); send(peer=0)"})).signature,
            "deadlock: A(recv@0 waits for A)");
}

TEST(Epochs, AccessesWithRequestsNeedALock) {
  const std::string fence = "win_fence(win=w); ";
  const std::string access = "rput(win=w target=1 disp=0 count=1 dtype=int32 request=1); wait(request=1); ";
  expect(script({kWin + fence + access + fence, kWin + fence + fence}), Verdict::misuse, {0}, "no lock is held");
  expect(script({kWin + "win_start(win=w ranks=[1]); " + access + "win_complete(win=w)",
                 kWin + "win_post(win=w ranks=[0]); win_wait(win=w)"}),
         Verdict::misuse, {0}, "no lock is held");
  expect_legal(script({kWin + "win_lock(win=w target=1 lock=shared); " + access + "win_unlock(win=w target=1)", kWin}));
}

TEST(Epochs, OfAFenceIsClosedBeforeTheWindowIsFreed) {
  const std::string fence = "win_fence(win=w); ", put = "put(win=w target=1 disp=0 count=1 dtype=int32); ";
  const std::string free = "win_free(win=w)";
  expect(script({kWin + fence + put + free, kWin + fence + free}), Verdict::misuse, {0}, "no win_fence has completed");
  expect_legal(script({kWin + fence + put + fence + free, kWin + fence + fence + free}));
  expect_legal(script({kWin + fence + free, kWin + fence + free}));
}

// Access epochs of one window are disjoint (MPI 4.1, section 12.5).
TEST(Epochs, OfAFenceIsClosedBeforeAnotherIsOpened) {
  const std::string fence = "win_fence(win=w); ", put = "put(win=w target=1 disp=0 count=1 dtype=int32); ";
  for (const char* other : {"win_lock_all(win=w); win_unlock_all(win=w); ",
                            "win_lock(win=w target=1 lock=shared); win_unlock(win=w target=1); "}) {
    expect(script({kWin + fence + put + other + fence, kWin + fence + fence}), Verdict::misuse, {0},
           "no win_fence has completed");
    expect_legal(script({kWin + fence + put + fence + other + fence, kWin + fence + fence + fence}));
    expect_legal(script({kWin + fence + other + fence, kWin + fence + fence}));
  }
  const std::string start = "win_start(win=w ranks=[1]); win_complete(win=w); ";
  const std::string exposes = "win_post(win=w ranks=[0]); win_wait(win=w); ";
  expect(script({kWin + fence + put + start + fence, kWin + fence + exposes + fence}), Verdict::misuse, {0},
         "no win_fence has completed");
  expect_legal(script({kWin + fence + put + fence + start, kWin + fence + fence + exposes}));
}

TEST(Reductions, TakeTheTypesOfTheirOperation) {
  const auto both = [](const std::string& what) {
    return script({"allreduce(count=1 " + what + ")", "allreduce(count=1 " + what + ")"});
  };
  for (const char* wrong : {"dtype=float32 reduce=band", "dtype=float64 reduce=lxor", "dtype=int32 reduce=maxloc",
                            "dtype=complex64 reduce=max", "dtype=double_int reduce=sum", "dtype=byte reduce=sum",
                            "dtype=int32 reduce=replace"})
    expect(both(wrong), Verdict::misuse, {0, 1}, "does not take");
  for (const char* right : {"dtype=int32 reduce=band", "dtype=byte reduce=bor", "dtype=bool reduce=land",
                            "dtype=2int reduce=maxloc", "dtype=double_int reduce=minloc", "dtype=complex128 reduce=sum",
                            "dtype=float32 reduce=user", "reduce=band", "dtype=aint reduce=max"})
    expect_legal(both(right));
  expect_legal(script(
      {"allreduce(comm=n count=1 dtype=float32 reduce=avg)", "allreduce(comm=n count=1 dtype=float32 reduce=avg)"},
      R"({"comm":"n","ranks":[0,1],"backend":"nccl"})"));
}

TEST(Intercommunicators, TheRootThatTheOtherGroupNamesSaysSo) {
  const std::string comm = R"({"comm":"i","ranks":[0,1],"remote":[2,3]})";
  const std::string named = "bcast(comm=i root=0 count=1 dtype=int32)", null = "bcast(comm=i root=null)";
  expect(script({null, null, named, named}, comm), Verdict::mismatch, {0}, "root");
  expect_legal(script({"bcast(comm=i root=root count=1 dtype=int32)", null, named, named}, comm));
}

TEST(Intercommunicators, GroupsThatDifferAreOneAgainstOne) {
  const std::string comm = R"({"comm":"i","ranks":[0],"remote":[1,2]})";
  expect(script({"barrier(comm=i)", "allgather(comm=i)", "allgather(comm=i)"}, comm), Verdict::deadlock, {0, 1, 2},
         "do different things");
  expect(script({"barrier(comm=i)", "barrier(comm=i)", "allgather(comm=i)"}, comm), Verdict::deadlock, {2},
         "do different things");
}

TEST(Cycles, WhereAsManyCameAsDidNotNameBoth) {
  const std::string comms = "{\"comm\":\"i\",\"ranks\":[0,1],\"remote\":[2]}\n{\"comm\":\"l\",\"ranks\":[0,1]}";
  expect(script({"barrier(comm=l); barrier(comm=i)", "barrier(comm=i); barrier(comm=l)", "barrier(comm=i)"}, comms),
         Verdict::deadlock, {0, 1}, "wait for each other");
}

// NCCL user guide, Group Operation Ordering Semantics: its second wrong example, and the right one.
TEST(Streams, CommunicatorsOfAGroupAreCalledInOneOrder) {
  const std::string comms =
      "{\"comm\":\"a\",\"ranks\":[0,1],\"backend\":\"nccl\"}\n"
      "{\"comm\":\"b\",\"ranks\":[0,1],\"backend\":\"nccl\"}";
  const auto group = [](const std::string& one, const std::string& other) {
    return "group_start; allreduce(comm=" + one + " count=4 stream=s); allreduce(comm=" + other +
           " count=4 stream=s); group_end; stream_sync(stream=s)";
  };
  EXPECT_EQ(diagnose(script({group("a", "b"), group("b", "a")}, comms)).verdict, Verdict::deadlock);
  expect_legal(script({group("a", "b"), group("a", "b")}, comms));
  // Sends and receives of one communicator stay in no order.
  const std::string exchange = "group_start; send(comm=a peer=1 stream=s); recv(comm=a peer=1 stream=s); group_end";
  expect_legal(
      script({exchange, "group_start; send(comm=a peer=0 stream=s); recv(comm=a peer=0 stream=s); group_end"}, comms));
}

TEST(Partitions, FitIntoTheirReceive) {
  const auto send = [](const std::string& what) {
    return "psend_init(peer=1 dtype=int32 request=1 " + what +
           "); start(request=1); pready_range(request=1 indices=[0,1]); wait(request=1); request_free(request=1)";
  };
  const auto receive = [](const std::string& what) {
    return "precv_init(peer=0 dtype=int32 request=1 " + what +
           "); start(request=1); wait(request=1); request_free(request=1)";
  };
  expect(script({send("count=8 partitions=2"), receive("count=4 partitions=2")}), Verdict::mismatch, {0, 1},
         "longer than the receive");
  expect_legal(script({send("count=8 partitions=2"), receive("count=4 partitions=4")}));
  expect_legal(script({send("count=8 partitions=2"), receive("count=9 partitions=2")}));
}

}  // namespace
}  // namespace petri
