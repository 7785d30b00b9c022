// Fortran programs under the recorder: every call is there with the line of the source that made it.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "tests/record/fortran/chapters.hpp"
#include "tests/record/recorded.hpp"

namespace petri::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

using Lines = std::vector<std::string>;

// A file of the programs, in lower case, as Fortran makes no difference.
const Lines& source(const std::string& file) {
  static std::map<std::string, Lines> read;
  const auto [known, is_new] = read.try_emplace(file);
  if (!is_new) return known->second;
  std::ifstream in(std::filesystem::path(PETRI_FORTRAN_SOURCES) / file);
  for (std::string line; std::getline(in, line);) {
    std::transform(line.begin(), line.end(), line.begin(), [](unsigned char c) { return std::tolower(c); });
    known->second.push_back(line);
  }
  return known->second;
}

// The source line that a call site names; empty for a site that is in none of the programs' files.
std::string line_at(const std::string& site) {
  std::smatch match;
  if (!std::regex_search(site, match, std::regex("(\\w+\\.F90):(\\d+)$"))) return "";
  const std::string file = match[1];
  const Lines& lines = source(file);
  const auto number = static_cast<std::size_t>(std::stoul(match[2]));
  return number >= 1 && number <= lines.size() ? lines[number - 1] : "";
}

// The names that the recorder listens to, as the programs write them: with `use mpi`, win_allocate is one of two
// functions, by the type of its base.
std::set<std::string> listed_calls() {
  std::set<std::string> listed;
  std::ifstream calls(PETRI_FORTRAN_CALLS);
  for (std::string line; std::getline(calls, line);)
    if (std::smatch match; std::regex_search(line, match, std::regex("^PETRI_FORTRAN\\w*\\((\\w+?)(_cptr)?,")))
      listed.insert(match[1]);
  return listed;
}

// Whether this MPI has the call in Fortran.
bool is_in_library(const std::string& name) {
  static void* const library = dlopen(PETRI_FORTRAN_LIBRARY, RTLD_LAZY);
  EXPECT_NE(library, nullptr) << PETRI_FORTRAN_LIBRARY;
  return library != nullptr && (dlsym(library, ("mpi_" + name + "_").c_str()) != nullptr ||
                                dlsym(library, ("mpix_" + name + "_").c_str()) != nullptr);
}

class RecordFortran : public ::testing::TestWithParam<const char*> {
 protected:
  Scenario record_chapter(const std::string& chapter) const {
    return record_program(std::string(PETRI_FORTRAN_PROGRAM) + GetParam(), 2, chapter);
  }
};

TEST_P(RecordFortran, EveryCallIsThereWithItsLine) {
  std::set<std::string> seen;
  for (const char* chapter : kFortranChapters) {
    const Scenario scenario = record_chapter(chapter);
    ASSERT_EQ(scenario.ranks.size(), 2u);
    for (const RankTrace& rank : scenario.ranks) {
      EXPECT_EQ(rank.end.kind, EndKind::finalized) << chapter;
      for (const Event& event : rank.events) {
        const std::string name(name_of(event.op));
        seen.insert(name);
        // A start may be one of those that a startall makes.
        const std::regex call("\\bcall mpix?_" + (name == "start" ? "start(all)?" : name) + "\\(");
        EXPECT_TRUE(std::regex_search(line_at(scenario.site_of(event)), call))
            << chapter << ": " << name << " at " << scenario.site_of(event);
      }
    }
  }
  std::set<std::string> listed = listed_calls();
  // Left out: what ends the job (below), and what is many starts.
  for (const char* other : {"abort", "startall"}) EXPECT_EQ(listed.erase(other), 1u) << other;
  if (GetParam() == std::string("F08")) {  // mpi4.F90 says why
    for (const char* other : {"psend_init", "precv_init", "pready", "pready_range", "pready_list", "parrived"})
      EXPECT_EQ(listed.erase(other), 1u) << other;
  }
  std::erase_if(listed, [](const std::string& name) { return !is_in_library(name); });
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

TEST_P(RecordFortran, AnAbortIsThereWithItsLine) {
  const Scenario scenario = record_chapter("aborts");
  ASSERT_EQ(scenario.ranks.size(), 2u);
  EXPECT_EQ(scenario.ranks[1].end.kind, EndKind::aborted);
  EXPECT_EQ(scenario.ranks[1].end.status, 9);
  const Event& last = scenario.ranks[1].events.back();
  EXPECT_EQ(last.op, Op::abort);
  EXPECT_THAT(line_at(scenario.site_of(last)), HasSubstr("call mpi_abort("));
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
