// Jobs that went wrong in known ways, by what is left of their dumps: whoever is named for certain is at fault.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/diagnose/diagnose.hpp"
#include "harness/import/flight_recorder.hpp"
#include "tests/import/flight_job.hpp"
#include "tests/import/memory_trace.hpp"

namespace petri::test {
namespace {

using testing::IsSupersetOf;

enum class Left { all, one_innocent_gone, outstanding_only, small_rings };
constexpr Left kAllLeft[] = {Left::all, Left::one_innocent_gone, Left::outstanding_only, Left::small_rings};

struct Case {
  FlightFault fault = FlightFault::none;
  std::int32_t ranks = 8;
  std::uint64_t seed = 1;
  Left left = Left::all;

  std::string text() const {
    return fmt::format("{} of {}, seed {}, left {}", name_of(fault), ranks, seed, static_cast<int>(left));
  }
};

struct Told {
  std::vector<std::int32_t> planted;
  Diagnosis diagnosis;

  const std::vector<std::int32_t>& named() const {
    static const std::vector<std::int32_t> nobody;
    return diagnosis.findings.empty() ? nobody : diagnosis.findings.front().culprits;
  }
  bool is_certain() const {
    return diagnosis.verdict != Verdict::ambiguous && !diagnosis.findings.empty() &&
           !diagnosis.findings.front().text.starts_with("Two readings");
  }
};

FlightJobOptions options_of(const Case& one) {
  FlightJobOptions options;
  options.ranks = one.ranks;
  options.entries = 200;
  options.frames = 3;
  options.fault = one.fault;
  options.seed = one.seed;
  if (one.left == Left::small_rings) options.ring = 50, options.uneven_rings = true;
  return options;
}

Told told_of(const Case& one) {
  const FlightJob job(options_of(one));
  const auto& planted = job.culprits();
  std::int32_t gone = one.left == Left::one_innocent_gone ? static_cast<std::int32_t>(one.seed) % one.ranks : -1;
  while (std::find(planted.begin(), planted.end(), gone) != planted.end()) gone = (gone + 1) % one.ranks;
  std::vector<TraceFile> files;
  for (std::int32_t rank = 0; rank < job.world(); ++rank) {
    if (rank == gone || !job.has_dump(rank)) continue;
    FlightRecord record = job.dump(rank);
    if (one.left == Left::outstanding_only)
      std::erase_if(record.calls, [](const FlightCall& call) { return call.state == "completed"; });
    files.push_back(memory_trace(fmt::format("rank_{}", rank), flight_pickle(record)));
  }
  ImportNotes notes;
  return {planted, diagnose(read_flight_dumps(files, notes))};
}

template <class Check>
void for_each_case(const std::vector<FlightFault>& faults, const Check& check) {
  for (const FlightFault fault : faults)
    for (const Left left : kAllLeft)
      for (const std::int32_t ranks : {4, 8, 16})
        for (const std::uint64_t seed : {1, 4, 7, 8}) {
          const Case one{fault, ranks, seed, left};
          SCOPED_TRACE(one.text());
          check(one, told_of(one));
        }
}

TEST(FlightFaults, WhoeverIsNamedForCertainIsAtFault) {
  const std::vector<FlightFault> all(flight_faults().begin(), flight_faults().end());
  for_each_case(all, [](const Case&, const Told& told) {
    if (!told.is_certain() || told.named().empty()) return;
    EXPECT_THAT(told.named(), IsSupersetOf(told.planted));
    EXPECT_FALSE(told.planted.empty());
  });
}

TEST(FlightFaults, BothOfTwoThatStoppedAreNamedWhateverIsLost) {
  for_each_case({FlightFault::two_culprits},
                [](const Case&, const Told& told) { EXPECT_THAT(told.named(), IsSupersetOf(told.planted)); });
}

TEST(FlightFaults, ACallTooManyIsOfTheRankThatMadeIt) {
  for_each_case({FlightFault::extra_call}, [](const Case&, const Told& told) {
    EXPECT_EQ(told.named(), told.planted);
    ASSERT_FALSE(told.diagnosis.findings.empty());
    EXPECT_THAT(told.diagnosis.findings.front().text, testing::StartsWith("Two readings"));
  });
}

TEST(FlightFaults, AnOlderDumpIsOneOfThoseThatAreNamed) {
  for_each_case({FlightFault::stale}, [](const Case& one, const Told& told) {
    if (one.left != Left::outstanding_only) return;
    EXPECT_EQ(told.diagnosis.verdict, Verdict::ambiguous);
    EXPECT_THAT(told.named(), IsSupersetOf(told.planted));
  });
}

}  // namespace
}  // namespace petri::test
