// Fortran programs under the recorder: every call is there with the line of the source that made it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "tests/record/recorded.hpp"

namespace petri::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

const std::vector<std::string>& source() {
  static const std::vector<std::string> lines = [] {
    std::vector<std::string> read;
    std::ifstream in(PETRI_FORTRAN_SOURCE);
    for (std::string line; std::getline(in, line);) {
      std::transform(line.begin(), line.end(), line.begin(), [](unsigned char c) { return std::tolower(c); });
      read.push_back(line);
    }
    return read;
  }();
  return lines;
}

// The source line that a call site names; empty for a site that is none of this source.
std::string line_at(const std::string& site) {
  const std::size_t colon = site.rfind(':');
  if (colon == std::string::npos || site.substr(0, colon).find("chapters.F90") == std::string::npos) return "";
  const auto number = static_cast<std::size_t>(std::stoul(site.substr(colon + 1)));
  return number >= 1 && number <= source().size() ? source()[number - 1] : "";
}

class RecordFortran : public ::testing::TestWithParam<const char*> {
 protected:
  Scenario record_chapter(const std::string& chapter) const {
    return record_program(std::string(PETRI_FORTRAN_PROGRAM) + GetParam(), 2, chapter);
  }
};

constexpr const char* kChapters[] = {"point_to_point",          "nonblocking",   "persistent", "collectives",
                                     "nonblocking_collectives", "communicators", "threads"};

TEST_P(RecordFortran, EveryCallIsThereWithItsLine) {
  std::set<std::string> seen;
  for (const char* chapter : kChapters) {
    const Scenario scenario = record_chapter(chapter);
    ASSERT_EQ(scenario.ranks.size(), 2u);
    for (const RankTrace& rank : scenario.ranks) {
      EXPECT_EQ(rank.end.kind, EndKind::finalized) << chapter;
      for (const Event& event : rank.events) {
        const std::string name(name_of(event.op));
        seen.insert(name);
        // A start may be one of those that a startall makes.
        const std::regex call("\\bcall mpi_" + (name == "start" ? "start(all)?" : name) + "\\(");
        EXPECT_TRUE(std::regex_search(line_at(scenario.site_of(event)), call))
            << chapter << ": " << name << " at " << scenario.site_of(event);
      }
    }
  }
  std::set<std::string> listed;
  std::ifstream calls(PETRI_FORTRAN_CALLS);
  for (std::string line; std::getline(calls, line);)
    if (std::smatch match; std::regex_search(line, match, std::regex("^PETRI_FORTRAN\\((\\w+),")))
      listed.insert(match[1]);
  // Left out: what ends the job, what is many starts, and what came with MPI 4.0.
  for (const char* other : {"abort", "startall", "isendrecv", "isendrecv_replace", "comm_idup_with_info"})
    EXPECT_EQ(listed.erase(other), 1u) << other;
  EXPECT_THAT(seen, IsSupersetOf(listed));
}

TEST_P(RecordFortran, SpecialArgumentsAreThoseOfC) {
  const auto collectives = events_of(record_chapter("collectives"), 0);
  EXPECT_THAT(collectives, Contains(R"({"op":"allreduce","count":3,"dtype":"int32","reduce":"max"})"));
  EXPECT_THAT(collectives, Contains(R"({"op":"allgather","count":1,"dtype":"int32"})"));
  const auto messages = events_of(record_chapter("point_to_point"), 1);
  EXPECT_THAT(messages,
              Contains(HasSubstr(R"("op":"recv","count":4,"dtype":"int32","peer":"any","tag":2,"matched":0)")));
  EXPECT_THAT(messages, Contains(HasSubstr(R"("peer":"null")")));
}

// Their handles do not tell them apart, and in C their places do: here that is where the program keeps its INTEGERs.
TEST_P(RecordFortran, SendsThatCompletedAtOnceAreToldApart) {
  const Scenario scenario = record_chapter("nonblocking");
  std::map<std::int32_t, std::uint32_t> by_tag;
  std::vector<std::uint32_t> waits;
  for (const Event& event : scenario.ranks[0].events) {
    if (event.op == Op::isend) by_tag[event.tag] = event.request;
    if (event.op == Op::wait) waits.push_back(event.request);
  }
  ASSERT_GE(waits.size(), 3u);
  EXPECT_EQ(waits[0], by_tag[2]);
  EXPECT_EQ(waits[1], by_tag[3]);
  EXPECT_EQ(waits[2], by_tag[1]);
}

TEST_P(RecordFortran, StepsComeByPcontrol) {
  const auto events = events_of(record_chapter("steps"), 1);
  ASSERT_GE(events.size(), 2u);
  EXPECT_EQ(events[0], R"({"op":"bcast","count":1,"dtype":"int32","root":0,"step":3})");
  EXPECT_EQ(events[1], R"({"op":"bcast","count":1,"dtype":"int32","root":0,"step":3,"microbatch":2})");
}

INSTANTIATE_TEST_SUITE_P(Bindings, RecordFortran, ::testing::Values(PETRI_FORTRAN_BINDINGS),
                         [](const auto& binding) { return std::string(binding.param); });

}  // namespace
}  // namespace petri::test
