// OTF2 archives with the records that Score-P writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "harness/import/foreign.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/write.hpp"
#include "tests/import/otf2_file.hpp"

namespace petri::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

Imported imported(Otf2File& file) {
  return import_foreign({file.close()});
}

std::string line(const Scenario& scenario, std::int32_t rank, std::uint32_t index) {
  return line_of(scenario, {rank, index});
}

std::string error_of(const fs::path& source) {
  try {
    import_foreign({source});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Otf2Import, BlockingCallsHaveTheirPartnersTagsAndBytes) {
  Otf2File file(2);
  file.send(0, 1, 7, 40);
  file.recv(1, 0, 7, 40);
  for (const int rank : {0, 1}) file.finalize(rank);
  const Imported read = imported(file);
  EXPECT_EQ(line(read.scenario, 0, 0),
            R"({"rank":0,"op":"send","count":40,"dtype":"byte","peer":1,"tag":7,"state":"completed","time":0.0})");
  EXPECT_THAT(line(read.scenario, 1, 0), HasSubstr(R"("op":"recv","count":40,"dtype":"byte","peer":0,"tag":7)"));
  EXPECT_EQ(read.scenario.ranks[0].events[1].op, Op::finalize);
  EXPECT_EQ(read.scenario.ranks[0].end.kind, EndKind::finalized);
  EXPECT_THAT(read.notes.warnings, ElementsAre());
}

TEST(Otf2Import, AReceiveIsKnownByWhatCompletedItAndAWaitByWhatItCompleted) {
  Otf2File file(2);
  file.enter(0, "MPI_Irecv");
  OTF2_EvtWriter_MpiIrecvRequest(file.at(0), nullptr, file.tick(), 900);
  file.leave(0, "MPI_Irecv");
  file.enter(0, "MPI_Isend");
  OTF2_EvtWriter_MpiIsend(file.at(0), nullptr, file.tick(), 1, 0, 3, 8, 901);
  file.leave(0, "MPI_Isend");
  file.enter(0, "MPI_Test");
  OTF2_EvtWriter_MpiRequestTest(file.at(0), nullptr, file.tick(), 900);
  file.leave(0, "MPI_Test");
  file.enter(0, "MPI_Test");
  OTF2_EvtWriter_MpiRequestTest(file.at(0), nullptr, file.tick(), 900);
  file.leave(0, "MPI_Test");
  file.enter(0, "MPI_Waitall");
  OTF2_EvtWriter_MpiIrecv(file.at(0), nullptr, file.tick(), 1, 0, 5, 16, 900);
  OTF2_EvtWriter_MpiIsendComplete(file.at(0), nullptr, file.tick(), 901);
  file.leave(0, "MPI_Waitall");
  const Scenario scenario = imported(file).scenario;
  ASSERT_EQ(scenario.ranks[0].events.size(), 4u);
  EXPECT_THAT(line(scenario, 0, 0),
              HasSubstr(R"("op":"irecv","count":16,"dtype":"byte","peer":1,"tag":5,"request":0)"));
  EXPECT_THAT(line(scenario, 0, 1), HasSubstr(R"("op":"isend","count":8,"dtype":"byte","peer":1,"tag":3,"request":1)"));
  EXPECT_THAT(line(scenario, 0, 2), HasSubstr(R"("op":"test","request":0,"flag":false,"polls":2)"));
  EXPECT_THAT(line(scenario, 0, 3), HasSubstr(R"("op":"waitall","requests":[0,1])"));
}

// TAU: regions with parentheses, no requests, and of a receive only the message, where it is waited for.
void tau_receive(Otf2File& file, int rank, const char* region, int from, unsigned tag) {
  file.enter(rank, region);
  OTF2_EvtWriter_MpiRecv(file.at(rank), nullptr, file.tick(), static_cast<std::uint32_t>(from), 0, tag, 8);
  file.leave(rank, region);
}

TEST(Otf2Import, OfTauAMessageBelongsToTheEarliestReceiveThatIsOpen) {
  Otf2File file(2, "TAU");
  for (const int rank : {0, 1}) {
    const auto other = static_cast<std::uint32_t>(1 - rank);
    for (int time = 0; time < 2; ++time) {
      file.enter(rank, "MPI_Irecv()");
      file.leave(rank, "MPI_Irecv()");
    }
    for (const unsigned tag : {3U, 4U}) {
      file.enter(rank, "MPI_Send()");
      OTF2_EvtWriter_MpiSend(file.at(rank), nullptr, file.tick(), other, 0, tag, 8);
      file.leave(rank, "MPI_Send()");
    }
    tau_receive(file, rank, "MPI_Wait()", 1 - rank, 3);
    tau_receive(file, rank, "MPI_Waitall()", 1 - rank, 4);
    tau_receive(file, rank, "MPI_Waitall()", 1 - rank, 5);
  }
  file.misname_locations();
  const Scenario scenario = imported(file).scenario;
  ASSERT_EQ(scenario.ranks[1].events.size(), 7u);
  EXPECT_THAT(line(scenario, 1, 0), HasSubstr(R"("op":"irecv","count":8,"dtype":"byte","peer":0,"tag":3,"request":0)"));
  EXPECT_THAT(line(scenario, 1, 1), HasSubstr(R"("op":"irecv","count":8,"dtype":"byte","peer":0,"tag":4,"request":1)"));
  EXPECT_THAT(line(scenario, 1, 2), HasSubstr(R"("op":"send","count":8,"dtype":"byte","peer":0,"tag":3)"));
  EXPECT_THAT(line(scenario, 1, 4), HasSubstr(R"("op":"wait","request":0)"));
  EXPECT_THAT(line(scenario, 1, 5), HasSubstr(R"("op":"waitall","requests":[1])"));
  EXPECT_THAT(line(scenario, 1, 6), HasSubstr(R"("op":"recv","count":8,"dtype":"byte","peer":0,"tag":5)"));
}

TEST(Otf2Import, OfTauAWaitInFlightIsForTheReceivesThatAreOpen) {
  Otf2File file(2, "TAU");
  file.enter(0, "MPI_Irecv()");
  file.leave(0, "MPI_Irecv()");
  file.enter(0, "MPI_Wait()");
  file.finalize(1);
  const Scenario scenario = imported(file).scenario;
  ASSERT_EQ(scenario.ranks[0].events.size(), 2u);
  EXPECT_THAT(line(scenario, 0, 0), HasSubstr(R"("op":"irecv")"));
  EXPECT_THAT(line(scenario, 0, 1), HasSubstr(R"("op":"wait","request":0,"state":"started")"));
}

TEST(Otf2Import, NumbersOfRequestsAreUniqueThoughTheArchiveUsesThemAgain) {
  Otf2File file(2);
  for (int i = 0; i < 2; ++i) {
    file.enter(0, "MPI_Isend");
    OTF2_EvtWriter_MpiIsend(file.at(0), nullptr, file.tick(), 1, 0, 0, 1, 5);
    file.leave(0, "MPI_Isend");
    file.enter(0, "MPI_Wait");
    OTF2_EvtWriter_MpiIsendComplete(file.at(0), nullptr, file.tick(), 5);
    file.leave(0, "MPI_Wait");
  }
  const Scenario scenario = imported(file).scenario;
  std::vector<std::uint32_t> numbers;
  for (const Event& event : scenario.ranks[0].events) numbers.push_back(event.request);
  EXPECT_THAT(numbers, ElementsAre(0, 0, 1, 1));
}

TEST(Otf2Import, CollectivesHaveTheirRootAndOfABroadcastItsBytes) {
  Otf2File file(3);
  const OTF2_CommRef pair = file.comm("pair", {2, 0}, 0);
  for (const int rank : {0, 1, 2})
    file.collective(rank, "MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST, 0, 1, rank == 1 ? 24 : 0, 8);
  for (const int rank : {0, 2})
    file.collective(rank, "MPI_Reduce", OTF2_COLLECTIVE_OP_REDUCE, pair, 1, 8, rank == 0 ? 16 : 0);
  const Scenario scenario = imported(file).scenario;
  for (const int rank : {0, 1, 2})
    EXPECT_THAT(line(scenario, rank, 0), HasSubstr(R"("op":"bcast","count":8,"dtype":"byte","root":1)"));
  EXPECT_THAT(line(scenario, 0, 1), HasSubstr(R"("op":"reduce","comm":"pair","root":1,"state")"));
  EXPECT_EQ(scenario.comms[1].ranks, (std::vector<std::int32_t>{2, 0}));
  EXPECT_EQ(scenario.comms[1].parent, "world");
}

TEST(Otf2Import, ANonblockingCollectiveIsKnownWhenItIsComplete) {
  Otf2File file(2);
  for (const int rank : {0, 1}) {
    file.enter(rank, "MPI_Ibcast");
    OTF2_EvtWriter_NonBlockingCollectiveRequest(file.at(rank), nullptr, file.tick(), 3);
    file.leave(rank, "MPI_Ibcast");
    file.enter(rank, "MPI_Wait");
    OTF2_EvtWriter_NonBlockingCollectiveComplete(file.at(rank), nullptr, file.tick(), OTF2_COLLECTIVE_OP_BCAST, 0, 1, 0,
                                                 64, 3);
    file.leave(rank, "MPI_Wait");
  }
  const Scenario scenario = imported(file).scenario;
  EXPECT_THAT(line(scenario, 0, 0), HasSubstr(R"("op":"ibcast","count":64,"dtype":"byte","root":1,"request":0)"));
  EXPECT_THAT(line(scenario, 0, 1), HasSubstr(R"("op":"wait","request":0)"));
}

TEST(Otf2Import, ACallWithoutAnEndIsInFlight) {
  Otf2File file(2);
  file.enter(0, "main");
  file.begin_collective(0, "MPI_Allreduce");
  file.enter(1, "MPI_Recv");
  const Imported read = imported(file);
  EXPECT_THAT(line(read.scenario, 0, 0), HasSubstr(R"({"rank":0,"op":"allreduce","state":"started")"));
  EXPECT_THAT(line(read.scenario, 1, 0), HasSubstr(R"({"rank":1,"op":"recv","state":"started")"));
  EXPECT_EQ(read.scenario.ranks[0].end.kind, EndKind::running);
  EXPECT_THAT(read.notes.facts, testing::Contains(HasSubstr("2 calls in flight without a record of the communicator")));
}

TEST(Otf2Import, ACallInFlightIsOnNoCommunicatorWhereItMayBeOnSeveral) {
  Otf2File file(2);
  const OTF2_CommRef other = file.comm("other", {0, 1}, 0);
  for (const int rank : {0, 1}) file.collective(rank, "MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER, other);
  file.begin_collective(0, "MPI_Barrier");
  const Scenario scenario = imported(file).scenario;
  EXPECT_THAT(line(scenario, 0, 1), HasSubstr(R"("op":"barrier","comm":"unnamed/0","state":"started")"));
  EXPECT_FALSE(scenario.comm_of(scenario.ranks[0].events[1]).known);
}

TEST(Otf2Import, AWaitInFlightIsForAllThatIsOpen) {
  Otf2File file(2);
  for (const std::uint64_t request : {1, 2}) {
    file.enter(0, "MPI_Irecv");
    OTF2_EvtWriter_MpiIrecvRequest(file.at(0), nullptr, file.tick(), request);
    file.leave(0, "MPI_Irecv");
  }
  file.enter(0, "MPI_Waitall");
  const Imported read = imported(file);
  EXPECT_THAT(line(read.scenario, 0, 2), HasSubstr(R"("op":"waitall","requests":[0,1],"state":"started")"));
  EXPECT_THAT(read.notes.facts, testing::Contains(HasSubstr("taken to wait for all requests")));
}

TEST(Otf2Import, AReceiveThatNothingCompletesIsForAnyOfTheMessagesThatCame) {
  Otf2File file(2);
  const OTF2_CommRef pair = file.comm("pair", {1, 0}, 0);
  file.enter(1, "MPI_Irecv");
  OTF2_EvtWriter_MpiIrecvRequest(file.at(1), nullptr, file.tick(), 1);
  file.leave(1, "MPI_Irecv");
  file.enter(1, "MPI_Wait");
  file.leave(1, "MPI_Wait");
  file.send(0, 0, 4, 8, pair);
  const Imported read = imported(file);
  EXPECT_THAT(line(read.scenario, 1, 0), HasSubstr(R"("op":"irecv","comm":"pair","peer":"any","tag":"any","state")"));
  EXPECT_THAT(read.notes.facts, testing::Contains(HasSubstr("without a record of their completion: 1 request")));
}

TEST(Otf2Import, CreationsNameWhatTheyMakeAndTheirParent) {
  Otf2File file(2);
  const OTF2_CommRef half = file.comm("", {1}, 0);
  for (const int rank : {0, 1}) {
    file.begin_collective(rank, "MPI_Comm_split");
    if (rank == 1) OTF2_EvtWriter_CommCreate(file.at(rank), nullptr, file.tick(), half);
    OTF2_EvtWriter_MpiCollectiveEnd(file.at(rank), nullptr, file.tick(), OTF2_COLLECTIVE_OP_CREATE_HANDLE, 0,
                                    OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    file.leave(rank, "MPI_Comm_split");
  }
  file.begin_collective(1, "MPI_Comm_free");
  OTF2_EvtWriter_CommDestroy(file.at(1), nullptr, file.tick(), half);
  file.leave(1, "MPI_Comm_free");
  const Scenario scenario = imported(file).scenario;
  EXPECT_THAT(line(scenario, 0, 0), HasSubstr(R"("op":"comm_split","state")"));
  EXPECT_THAT(line(scenario, 1, 0), HasSubstr(R"("op":"comm_split","new":"comm2")"));
  EXPECT_THAT(line(scenario, 1, 1), HasSubstr(R"("op":"comm_free","comm":"comm2")"));
}

TEST(Otf2Import, OnAnIntercommunicatorPeersAreOfTheOtherGroup) {
  Otf2File file(3);
  const OTF2_CommRef bridge = file.inter_comm({0}, {1, 2});
  file.send(0, 1, 0, 4, bridge);
  file.recv(2, 0, 0, 4, bridge);
  file.collective(0, "MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST, bridge, OTF2_COLLECTIVE_ROOT_SELF);
  const Scenario scenario = imported(file).scenario;
  EXPECT_EQ(scenario.comms[1].remote, (std::vector<std::int32_t>{1, 2}));
  EXPECT_THAT(line(scenario, 0, 0), HasSubstr(R"("comm":"bridge","count":4,"dtype":"byte","peer":1)"));
  EXPECT_THAT(line(scenario, 0, 1), HasSubstr(R"("root":"root")"));
}

TEST(Otf2Import, EachRankHasACommunicatorOfItsOwn) {
  Otf2File file(2);
  for (const int rank : {0, 1}) file.collective(rank, "MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER, 1);
  const Scenario scenario = imported(file).scenario;
  EXPECT_THAT(line(scenario, 0, 0), HasSubstr(R"("comm":"self/0")"));
  EXPECT_THAT(line(scenario, 1, 0), HasSubstr(R"("comm":"self/1")"));
}

TEST(Otf2Import, ThreadsOfAProcessAreOneRankInTheOrderOfItsClock) {
  Otf2File file(2);
  const int thread = file.add_location(1);
  file.send(1, 0, 1, 1);
  file.send(thread, 0, 2, 1);
  file.send(1, 0, 3, 1);
  const Scenario scenario = imported(file).scenario;
  ASSERT_EQ(scenario.ranks[1].events.size(), 3u);
  EXPECT_THAT(line(scenario, 1, 1), HasSubstr(R"("tag":2,"thread":1)"));
  EXPECT_THAT(line(scenario, 1, 2), HasSubstr(R"("tag":3,"state")"));
}

TEST(Otf2Import, WindowsAndTheirCallsAreThere) {
  Otf2File file(2);
  const OTF2_RmaWinRef window = file.window("halo", 0);
  file.enter(0, "MPI_Win_create");
  OTF2_EvtWriter_RmaWinCreate(file.at(0), nullptr, file.tick(), window);
  file.leave(0, "MPI_Win_create");
  file.enter(0, "MPI_Win_lock");
  OTF2_EvtWriter_RmaRequestLock(file.at(0), nullptr, file.tick(), window, 1, 1, OTF2_LOCK_SHARED);
  file.leave(0, "MPI_Win_lock");
  file.enter(0, "MPI_Put");
  OTF2_EvtWriter_RmaPut(file.at(0), nullptr, file.tick(), window, 1, 32, 1);
  file.leave(0, "MPI_Put");
  file.enter(0, "MPI_Win_fence");
  file.leave(0, "MPI_Win_fence");
  const Imported read = imported(file);
  EXPECT_THAT(line(read.scenario, 0, 0), HasSubstr(R"("op":"win_create","win":"halo")"));
  EXPECT_THAT(line(read.scenario, 0, 1), HasSubstr(R"("op":"win_lock","win":"halo","target":1,"lock":"shared")"));
  EXPECT_THAT(line(read.scenario, 0, 2), HasSubstr(R"("op":"put","count":32,"dtype":"byte","win":"halo","target":1)"));
  EXPECT_EQ(read.scenario.ranks[0].events.size(), 3u);
  EXPECT_THAT(read.notes.facts, testing::Contains(HasSubstr("1 call of win_fence")));
}

TEST(Otf2Import, RecordsOfFilesConfuseNothing) {
  Otf2File file(2);
  for (const int rank : {0, 1}) {
    file.enter(rank, "MPI_File_write_at_all");
    OTF2_EvtWriter_IoOperationBegin(file.at(rank), nullptr, file.tick(), 0, OTF2_IO_OPERATION_MODE_WRITE,
                                    OTF2_IO_OPERATION_FLAG_COLLECTIVE, 64, 1);
    OTF2_EvtWriter_IoOperationComplete(file.at(rank), nullptr, file.tick(), 0, 64, 1);
    file.leave(rank, "MPI_File_write_at_all");
    file.collective(rank, "MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER);
  }
  file.enter(0, "MPI_File_close");
  const Imported read = imported(file);
  ASSERT_EQ(read.scenario.ranks[1].events.size(), 1u);
  EXPECT_EQ(read.scenario.ranks[1].events[0].op, Op::barrier);
  ASSERT_EQ(read.scenario.ranks[0].events.size(), 2u);
  EXPECT_THAT(line(read.scenario, 0, 1), HasSubstr(R"("op":"file_close")"));
  EXPECT_THAT(read.notes.facts, testing::Contains(HasSubstr("2 calls of file_write_at_all")));
}

TEST(Otf2Import, AGapInTheMeasurementIsSaid) {
  Otf2File file(1);
  OTF2_EvtWriter_MeasurementOnOff(file.at(0), nullptr, file.tick(), OTF2_MEASUREMENT_OFF);
  OTF2_EvtWriter_MeasurementOnOff(file.at(0), nullptr, file.tick(), OTF2_MEASUREMENT_ON);
  EXPECT_THAT(imported(file).notes.warnings, ElementsAre(HasSubstr("measurement was off and on again 1 time")));
}

TEST(Otf2Import, AProgramThatEndsBadlyHasExited) {
  Otf2File file(2);
  OTF2_EvtWriter_ProgramEnd(file.at(0), nullptr, file.tick(), 3);
  OTF2_EvtWriter_ProgramEnd(file.at(1), nullptr, file.tick(), 0);
  const Scenario scenario = imported(file).scenario;
  EXPECT_EQ(scenario.ranks[0].end.kind, EndKind::exited);
  EXPECT_EQ(scenario.ranks[0].end.status, 3);
  EXPECT_EQ(scenario.ranks[1].end.kind, EndKind::finalized);
}

TEST(Otf2Import, ARankThatIsNoMemberIsAnError) {
  Otf2File file(2);
  file.send(0, 5, 0, 1);
  EXPECT_THAT(error_of(file.close()), HasSubstr("rank 0 names rank 5 of the communicator \"world\", which has 2"));
}

TEST(Otf2Import, AnArchiveInATarIsReadAndLeavesNothing) {
  Otf2File file(2);
  file.send(0, 1, 7, 40);
  const fs::path folder = file.close();
  const fs::path packed = file.folder() / "scorep.tar";
  ASSERT_EQ(std::system(("tar -C '" + file.folder().string() + "' -cf '" + packed.string() + "' scorep").c_str()), 0);
  const fs::path temporary = file.folder() / "temporary";
  fs::create_directory(temporary);
  ASSERT_EQ(setenv("TMPDIR", temporary.c_str(), 1), 0);
  const Imported read = import_foreign({packed});
  unsetenv("TMPDIR");
  EXPECT_THAT(line(read.scenario, 0, 0), HasSubstr(R"("op":"send")"));
  EXPECT_TRUE(fs::is_empty(temporary));
  EXPECT_TRUE(is_foreign(folder / "traces.otf2"));
}

TEST(Otf2Import, WithoutItsAnchorFileItSaysWhatIsMissing) {
  Otf2File file(2);
  file.send(0, 1, 7, 40);
  const fs::path folder = file.close();
  fs::remove(folder / "traces.otf2");
  EXPECT_THAT(error_of(folder), HasSubstr("without its anchor file"));
}

TEST(Otf2Import, WithoutItsGlobalDefinitionsItSaysWhatIsMissing) {
  Otf2File file(2);
  file.send(0, 1, 7, 40);
  const fs::path folder = file.close();
  fs::remove(folder / "traces.def");
  EXPECT_THAT(error_of(folder), HasSubstr("global definitions"));
}

TEST(Otf2Import, AnEventFileThatBreaksOffIsUsedAsFarAsItGoes) {
  Otf2File file(2);
  for (std::uint32_t tag = 0; tag < 20; ++tag) file.send(0, 1, tag, 40);
  const fs::path folder = file.close();
  fs::resize_file(folder / "traces" / "0.evt", fs::file_size(folder / "traces" / "0.evt") / 2);
  fs::remove(folder / "traces" / "1.evt");
  const Imported read = import_foreign({folder});
  EXPECT_GT(read.scenario.ranks[0].events.size(), 5u);
  EXPECT_LT(read.scenario.ranks[0].events.size(), 20u);
  EXPECT_EQ(read.scenario.ranks[0].end.kind, EndKind::cut);
  EXPECT_EQ(read.scenario.ranks[1].end.kind, EndKind::missing);
  EXPECT_THAT(read.notes.warnings,
              ElementsAre(HasSubstr("the events of rank 0 break off"), HasSubstr("there are no events of rank 1")));
}

TEST(Otf2Import, TwoArchivesAreNotOne) {
  Otf2File one(1), other(1);
  const fs::path folder = one.close();
  fs::copy(other.close(), folder / "again", fs::copy_options::recursive);
  EXPECT_THAT(error_of(folder), HasSubstr("a second OTF2 archive"));
}

}  // namespace
}  // namespace petri::test
