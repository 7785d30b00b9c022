// Reading recordings: what they say, and that a damaged one is an error or a missing rank and nothing worse.
#include "harness/import/recording.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <random>
#include <sstream>

#include "harness/trace/read.hpp"
#include "harness/trace/record_view.hpp"
#include "harness/trace/write.hpp"
#include "tests/import/record_file.hpp"

namespace petri::test {
namespace {

using record::Part;
using testing::ElementsAre;
using testing::HasSubstr;

class Recording : public testing::Test {
 protected:
  Recording() {
    std::string name = std::filesystem::temp_directory_path() / "petri-import-test-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~Recording() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(const std::string& name) const { return folder_ / (name + record::kFileSuffix); }
  Scenario imported() const { return import_recording(folder_); }

  std::string error() const {
    try {
      imported();
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  // The error for one file that `damage` has changed.
  template <class Damage>
  std::string error_after(const Damage& damage) {
    RecordFile made(0, 1);
    made.event(Op::init);
    damage(made);
    made.write(file("a"));
    return error();
  }

  std::filesystem::path folder_;
};

TEST_F(Recording, RanksWithoutARecordAreMissing) {
  RecordFile made(1, 3);
  made.event(Op::barrier);
  made.write(file("a"));
  const Scenario scenario = imported();
  EXPECT_EQ(scenario.world(), 3);
  EXPECT_EQ(scenario.ranks[0].end.kind, EndKind::missing);
  EXPECT_EQ(scenario.ranks[1].end.kind, EndKind::finalized);
  EXPECT_TRUE(scenario.ranks[2].end.stated);
  EXPECT_THAT(scenario.header.hosts, ElementsAre("unknown", "host", "unknown"));
}

TEST_F(Recording, AnEventInFlightIsStarted) {
  RecordFile made(0, 1);
  made.event(Op::recv).state = static_cast<std::uint8_t>(EventState::started);
  made.header().ended = record::Ended::running;
  made.write(file("a"));
  const Scenario scenario = imported();
  EXPECT_EQ(scenario.ranks[0].events.at(0).state, EventState::started);
  EXPECT_EQ(scenario.ranks[0].end.kind, EndKind::running);
}

TEST_F(Recording, AnEventCommittedBeforeTheHeadMovedCounts) {
  RecordFile made(0, 1);
  made.event(Op::init);
  made.event(Op::barrier);
  made.header().ring_head = 1;
  made.write(file("a"));
  EXPECT_EQ(imported().ranks[0].events.size(), 2u);
}

TEST_F(Recording, ATornLastSlotLosesThatEventOnly) {
  RecordFile made(0, 1);
  made.event(Op::init);
  made.event(Op::barrier).stamp = 0;
  made.header().ring_head = 1;
  made.write(file("a"));
  EXPECT_EQ(imported().ranks[0].events.size(), 1u);
}

TEST_F(Recording, AFullRingKeepsTheLatestAndStatesPositions) {
  RecordFile made(0, 1, 16);
  for (int i = 0; i < 40; ++i) made.event(Op::barrier).matched = i;
  made.write(file("a"));
  const Scenario scenario = imported();
  EXPECT_EQ(scenario.ranks[0].events.size(), 16u);
  EXPECT_EQ(scenario.ranks[0].end.dropped, 24u);
  EXPECT_EQ(scenario.ranks[0].events.front().extras.coll_seq(), 24);
  EXPECT_EQ(scenario.ranks[0].events.front().seq, 24u);
}

TEST_F(Recording, WhatComesBeforeAnOverwrittenSlotIsDropped) {
  RecordFile made(0, 1);
  for (int i = 0; i < 5; ++i) made.event(Op::barrier);
  made.slot(2).stamp = 99;
  made.write(file("a"));
  const Scenario scenario = imported();
  EXPECT_EQ(scenario.ranks[0].events.size(), 2u);
  EXPECT_EQ(scenario.ranks[0].end.dropped, 3u);
}

TEST_F(Recording, OneCommunicatorHasOneNameOnAllRanks) {
  // Rank 0 made another communicator for itself first, so that local numbers differ.
  RecordFile zero(0, 4), one(1, 4);
  zero.comm(2, record::kSelfComm, 0, {});
  zero.comm(3, record::kWorldComm, 0, {});
  zero.comm(4, 3, 0, {0, 1});
  zero.event(Op::barrier, 4);
  one.comm(2, record::kWorldComm, 0, {});
  one.comm(3, 2, 0, {0, 1});
  one.event(Op::barrier, 3);
  zero.write(file("a"));
  one.write(file("b"));
  const Scenario scenario = imported();
  EXPECT_EQ(scenario.comm_of(scenario.ranks[0].events.at(0)).name, "world/0/0:0");
  EXPECT_EQ(scenario.ranks[0].events.at(0).comm, scenario.ranks[1].events.at(0).comm);
}

TEST_F(Recording, CommunicatorsByGroupAreToldApartByHowOftenTheyWereMade) {
  RecordFile made(0, 2);
  made.comm(2, record::kWorldComm, -1, {0, 1}, 5);
  made.comm(3, record::kWorldComm, -1, {0, 1}, 5);
  made.event(Op::barrier, 3);
  made.event(Op::barrier, 2);
  made.write(file("a"));
  const Scenario scenario = imported();
  EXPECT_EQ(scenario.comm_of(scenario.ranks[0].events.at(0)).name, "world/g5#1");
  EXPECT_EQ(scenario.comm_of(scenario.ranks[0].events.at(1)).name, "world/g5");
}

TEST_F(Recording, ArgumentsThatNoCallAcceptsAreUnknown) {
  RecordFile made(0, 2);
  record::Slot& send = made.event(Op::send);
  send.peer = 2;
  send.tag = -7;
  send.count = -3;
  made.write(file("a"));
  const Event event = imported().ranks[0].events.at(0);
  EXPECT_EQ(event.peer, kUnset);
  EXPECT_EQ(event.tag, kUnset);
  EXPECT_EQ(event.count, kUnknownCount);
}

TEST_F(Recording, ListsOfCompletedRequestsBecomeIndices) {
  RecordFile made(0, 1);
  record::Slot& some = made.event(Op::waitsome);
  const std::uint32_t list[] = {4, record::kNullRequest, 6 | record::kRequestDone};
  made.part(some, Part::requests, list, sizeof list);
  made.write(file("a"));
  const Event event = imported().ranks[0].events.at(0);
  EXPECT_THAT(event.extras.requests(), ElementsAre(4, 6));
  EXPECT_THAT(event.extras.indices(), ElementsAre(1));
}

TEST_F(Recording, DeathIsNotedOnceAndNeverOverAnotherEnd) {
  RecordFile alive(0, 2), done(1, 2);
  alive.header().ended = record::Ended::running;
  alive.write(file("a"));
  done.write(file("b"));
  record::note_death(file("a"), 9);
  record::note_death(file("b"), 9);
  const Scenario scenario = imported();
  EXPECT_EQ(scenario.ranks[0].end.kind, EndKind::signal);
  EXPECT_EQ(scenario.ranks[0].end.signal, 9);
  EXPECT_EQ(scenario.ranks[1].end.kind, EndKind::finalized);
}

TEST_F(Recording, AFileThatIsStillBeingMadeIsNoError) {
  RecordFile made(0, 2), half(1, 2);
  made.write(file("a"));
  std::memset(half.header().magic, 0, sizeof half.header().magic);
  half.write(file("b"));
  std::ofstream(file("c")).flush();
  EXPECT_EQ(imported().ranks[1].end.kind, EndKind::missing);
}

TEST_F(Recording, EventsWhoseOwnMarkIsOverwrittenKeepTheirStep) {
  RecordFile made(0, 1, 4);
  made.mark(1, kUnset);
  made.event(Op::init);
  made.mark(2, 0);
  made.event(Op::barrier);  // the oldest that is kept
  made.mark(2, 1);
  made.event(Op::barrier);
  made.event(Op::finalize);
  made.write(file("a"));
  const Scenario scenario = imported();
  const std::vector<Event>& events = scenario.ranks[0].events;
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].step, 2);
  EXPECT_EQ(events[0].microbatch, 0);
  EXPECT_EQ(events[2].step, 2);
  EXPECT_EQ(events[2].microbatch, 1);
}

TEST_F(Recording, EmptyAndMissingFoldersSayWhatIsMissing) {
  EXPECT_THAT(error(), HasSubstr("no recording there"));
  std::filesystem::remove_all(folder_);
  EXPECT_THAT(error(), HasSubstr("no recording there"));
}

TEST_F(Recording, BrokenFilesAreNamedWithTheReason) {
  EXPECT_THAT(error_after([](RecordFile& made) { made.header().magic[0] = 'X'; }), HasSubstr("not a record"));
  EXPECT_THAT(error_after([](RecordFile& made) { made.header().layout = 77; }), HasSubstr("another version"));
  EXPECT_THAT(error_after([](RecordFile& made) { made.header().op_table ^= 1; }), HasSubstr("another version"));
  EXPECT_THAT(error_after([](RecordFile& made) { made.header().ring_slots = 3; }), HasSubstr("a ring of 3 slots"));
  EXPECT_THAT(error_after([](RecordFile& made) { made.header().ring_slots = 1 << 20; }), HasSubstr("outside the file"));
  EXPECT_THAT(error_after([](RecordFile& made) { made.header().ring_offset = ~0ull / 64 * 64; }),
              HasSubstr("outside the file"));
  EXPECT_THAT(error_after([](RecordFile& made) { made.header().fact_bytes = ~0ull; }), HasSubstr("outside the file"));
  EXPECT_THAT(error_after([](RecordFile& made) { made.header().world_rank = 5; }), HasSubstr("rank 5 of 1"));
  EXPECT_THAT(error_after([](RecordFile& made) { made.header().world_size = 1 << 30; }), HasSubstr("damaged"));
  EXPECT_THAT(error_after([](RecordFile& made) { made.header().ended = static_cast<record::Ended>(9); }),
              HasSubstr("unknown way"));
  EXPECT_THAT(error_after([](RecordFile& made) { made.event(Op::init).op = 253; }), HasSubstr("names operation 253"));
  EXPECT_THAT(error_after([](RecordFile& made) {
                record::Slot& wait = made.event(Op::waitall);
                made.part(wait, static_cast<Part>(99), "", 0);
              }),
              HasSubstr("unknown kind 99"));
  EXPECT_THAT(error_after([](RecordFile& made) {
                made.event(Op::waitall).parts = 1;
                made.event(Op::barrier);
              }),
              HasSubstr("lacks its continuation"));
  EXPECT_THAT(error(), HasSubstr(file("a").string()));
}

TEST_F(Recording, BrokenFactsAreNamedWithTheReason) {
  EXPECT_THAT(error_after([](RecordFile& made) { made.header().facts_used = 4; }), HasSubstr("in the middle of one"));
  EXPECT_THAT(error_after([](RecordFile& made) { made.header().facts_used = ~0ull; }), HasSubstr("a fact of 0 bytes"));
  EXPECT_THAT(error_after([](RecordFile& made) {
                made.add_fact(static_cast<record::FactKind>(50), record::TextFact{}, "x", 2);
              }),
              HasSubstr("unknown kind 50"));
  EXPECT_THAT(error_after([](RecordFile& made) {
                record::CommFact fact{};
                fact.listed = 1 << 30;
                made.add_fact(record::FactKind::comm, fact, nullptr, 0);
              }),
              HasSubstr("do not fit"));
  EXPECT_THAT(error_after([](RecordFile& made) {
                record::CommFact fact{};
                fact.remote_listed = -1;
                made.add_fact(record::FactKind::comm, fact, nullptr, 0);
              }),
              HasSubstr("do not fit"));
  EXPECT_THAT(error_after([](RecordFile& made) {
                record::TopologyFact fact{};
                fact.destinations = 3;
                made.add_fact(record::FactKind::topology, fact, "\0\0\0\0", 4);
              }),
              HasSubstr("do not fit"));
  EXPECT_THAT(error_after([](RecordFile& made) {
                made.comm(2, 0, 0, {0, 9});
                made.event(Op::barrier, 2);
              }),
              HasSubstr("with the member 9"));
}

TEST_F(Recording, TwoJobsInOneFolderAreAnError) {
  RecordFile(0, 2).write(file("a"));
  RecordFile(0, 2).write(file("b"));
  EXPECT_THAT(error(), HasSubstr("two processes say that they are rank 0"));
  RecordFile(1, 3).write(file("b"));
  EXPECT_THAT(error(), HasSubstr("two MPI jobs"));
}

TEST_F(Recording, ShortAndForeignFilesAreErrors) {
  std::ofstream(file("a")) << "not a record";
  EXPECT_THAT(error(), HasSubstr("shorter than its header"));
  std::ofstream(file("a")) << std::string(10000, 'x');
  EXPECT_THAT(error(), HasSubstr("not a record"));
}

TEST_F(Recording, DeeplyNestedCommunicatorsDoNotExhaustTheStack) {
  RecordFile made(0, 1);
  const int deepest = 1300;  // as many as fit
  for (int id = 2; id < deepest; ++id) made.comm(id, id == 2 ? 0 : id - 1, 0, {});
  made.event(Op::barrier, deepest - 1);
  made.write(file("a"));
  EXPECT_EQ(imported().ranks[0].events.size(), 1u);
}

// A record with something of everything.
RecordFile rich(int rank) {
  RecordFile made(rank, 2);
  made.comm(2, record::kWorldComm, 0, {});
  made.comm(3, 2, -1, {1, 0}, 4);
  record::ErrorFact error{};
  error.error_class = 15;
  made.add_fact(record::FactKind::error, error, "MPI_ERR_TRUNCATE", 17);
  made.add_fact(record::FactKind::text, record::TextFact{}, "a=b", 4);
  made.event(Op::init);
  made.event(Op::comm_dup).result = 2;
  record::Slot& recv = made.event(Op::recv, 2);
  recv.peer = kAny;
  recv.tag = kAny;
  recv.matched = 1 - rank;
  recv.result = 3;
  recv.error = 15;
  record::Slot& both = made.event(Op::sendrecv, 3);
  const record::Sides sides{1, 2, 0, 1, 5, 5, 3, 4};
  made.part(both, Part::sides, &sides, sizeof sides);
  record::Slot& poll = made.event(Op::iprobe);
  poll.flags = record::kFlagKnown;
  poll.result = 12;
  record::Slot& all = made.event(Op::waitall);
  const std::uint32_t list[] = {1, 2, 3};
  made.part(all, Part::requests, list, sizeof list);
  return made;
}

TEST_F(Recording, WhateverIsFlippedInAFileIsReadOrRejectedAndCanBeWrittenAndReadAgain) {
  std::mt19937 random(7);
  const RecordFile whole = rich(1);
  whole.write(file("b"));
  int accepted = 0;
  for (int round = 0; round < 1000; ++round) {
    RecordFile made = rich(0);
    const std::size_t facts_end = record::kHeaderBytes + made.header().facts_used;
    for (int flips = 0; flips < 3; ++flips) {
      // Where something is: header, facts, the first slots.
      const std::size_t ring = made.header().ring_offset < made.bytes().size() ? made.header().ring_offset : 0;
      const std::size_t places[] = {
          random() % 512, record::kHeaderBytes + random() % (facts_end - record::kHeaderBytes), ring + random() % 640};
      made.bytes()[places[random() % 3]] ^= static_cast<char>(1u << random() % 8);
    }
    made.write(file("a"));
    try {
      std::stringstream text;
      write_scenario(imported(), text);
      read_scenario(text, "again");
      ++accepted;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::Not(HasSubstr("again"))) << "round " << round;
    }
  }
  EXPECT_GT(accepted, 100);
  EXPECT_LT(accepted, 1000);
}

}  // namespace
}  // namespace petri::test
