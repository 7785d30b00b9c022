// The generated jobs are what they say: they end without a fault, hang with one, and their dumps are those of a ring.
#include "tests/import/flight_job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "harness/import/flight_dump.hpp"

namespace petri::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

struct Dumps {
  FlightJob job;
  std::map<std::int32_t, FlightDump> by_rank;

  explicit Dumps(const FlightJobOptions& options) : job(options) {
    FlightReader reader;
    for (std::int32_t rank = 0; rank < job.world(); ++rank)
      if (job.has_dump(rank)) by_rank[rank] = reader.pickle("dump", flight_pickle(job.dump(rank)));
  }
};

// Entries that have not completed; not those of a coalesced launch's members, which never do.
std::size_t open_entries(const FlightDump& dump) {
  return static_cast<std::size_t>(
      std::count_if(dump.entries.begin(), dump.entries.end(), [&](const FlightEntry& entry) {
        const std::string& site = dump.text(entry.site);
        const bool member = entry.is_p2p && dump.text(entry.name) != "nccl:coalesced" &&
                            (site.ends_with(":60") || site.ends_with(":80") || site.ends_with(":100"));
        return entry.state != EventState::completed && !member;
      }));
}

FlightJobOptions options_of(std::int32_t ranks, FlightFault fault) {
  FlightJobOptions options;
  options.ranks = ranks;
  options.entries = 300;
  options.frames = 5;
  options.fault = fault;
  return options;
}

TEST(FlightJob, CompletesWithoutAFault) {
  for (const std::int32_t ranks : {1, 2, 3, 6, 8, 16, 32, 64, 96}) {
    const Dumps dumps(options_of(ranks, FlightFault::none));
    EXPECT_THAT(dumps.job.culprits(), IsEmpty());
    ASSERT_THAT(dumps.by_rank, SizeIs(ranks));
    for (const auto& [rank, dump] : dumps.by_rank) EXPECT_EQ(open_entries(dump), 0u) << rank << " of " << ranks;
  }
}

TEST(FlightJob, HangsWithEachFault) {
  for (const FlightFault fault : flight_faults()) {
    if (fault == FlightFault::none) continue;
    for (const std::int32_t ranks : {8, 16, 64}) {
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        FlightJobOptions options = options_of(ranks, fault);
        options.seed = seed;
        const Dumps dumps(options);
        const std::size_t expected = fault == FlightFault::all_arrived ? 0 : fault == FlightFault::two_culprits ? 2 : 1;
        ASSERT_THAT(dumps.job.culprits(), SizeIs(expected)) << name_of(fault);
        std::int32_t waiting = 0;
        for (const auto& [rank, dump] : dumps.by_rank) waiting += open_entries(dump) > 0 ? 1 : 0;
        EXPECT_GE(waiting, fault == FlightFault::extra_call ? 1 : 2) << name_of(fault) << " of " << ranks;
      }
    }
  }
}

TEST(FlightJob, ARankThatStopsHasNothingPending) {
  const Dumps last(options_of(16, FlightFault::missing_last));
  EXPECT_EQ(open_entries(last.by_rank.at(last.job.culprits()[0])), 0u);
  const Dumps two(options_of(16, FlightFault::two_culprits));
  for (const std::int32_t culprit : two.job.culprits()) EXPECT_EQ(open_entries(two.by_rank.at(culprit)), 0u);
  const Dumps gone(options_of(16, FlightFault::missing_rank));
  EXPECT_THAT(gone.by_rank, SizeIs(15));
  EXPECT_FALSE(gone.job.has_dump(gone.job.culprits()[0]));
}

TEST(FlightJob, ARingHoldsTheLatestEntries) {
  FlightJobOptions options = options_of(16, FlightFault::missing_last);
  options.ring = 100;
  options.uneven_rings = true;
  const Dumps dumps(options);
  std::set<std::size_t> sizes;
  for (const auto& [rank, dump] : dumps.by_rank) {
    sizes.insert(dump.entries.size());
    EXPECT_LE(dump.entries.size(), 100u);
    EXPECT_GE(dump.entries.size(), 50u);
    EXPECT_GT(dump.entries.front().record_id, 0);
    for (std::size_t i = 1; i < dump.entries.size(); ++i)
      EXPECT_EQ(dump.entries[i].record_id, dump.entries[i - 1].record_id + 1);
  }
  EXPECT_GT(sizes.size(), 1u);
}

TEST(FlightJob, WithoutTimingNothingIsSeenStarted) {
  FlightJobOptions options = options_of(16, FlightFault::wrong_type);
  const auto started = [](const Dumps& dumps) {
    std::size_t count = 0;
    for (const auto& [rank, dump] : dumps.by_rank) {
      for (const FlightEntry& entry : dump.entries) count += entry.state == EventState::started ? 1 : 0;
      for (const auto& [id, status] : dump.status) count += status.last_started >= 0 ? 1 : 0;
    }
    return count;
  };
  EXPECT_GT(started(Dumps(options)), 16u);
  options.timing = false;
  EXPECT_EQ(started(Dumps(options)), 0u);
}

TEST(FlightJob, IsTheSameForTheSameSeed) {
  const FlightJob once(options_of(16, FlightFault::wrong_size)), again(options_of(16, FlightFault::wrong_size));
  EXPECT_EQ(once.culprits(), again.culprits());
  for (std::int32_t rank = 0; rank < 16; ++rank)
    EXPECT_EQ(flight_pickle(once.dump(rank)), flight_pickle(again.dump(rank)));
}

}  // namespace
}  // namespace petri::test
