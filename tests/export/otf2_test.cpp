// A scenario as an OTF2 archive: what other tools find in it, and what comes back of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <otf2/otf2.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "harness/diagnose/diagnose.hpp"
#include "harness/export/otf2_archive.hpp"
#include "harness/export/otf2_clock.hpp"
#include "harness/export/otf2_sizes.hpp"
#include "harness/import/foreign.hpp"
#include "harness/trace/read.hpp"
#include "harness/trace/write.hpp"
#include "tests/support/scenario_text.hpp"
#include "tests/trace/text.hpp"

namespace petri::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

class Otf2Export : public testing::Test {
 protected:
  Otf2Export() {
    std::string name = fs::temp_directory_path() / "petri-otf2-export-XXXXXX";
    top_ = mkdtemp(name.data());
  }
  ~Otf2Export() override { fs::remove_all(top_); }

  fs::path exported(const Scenario& scenario) {
    const fs::path folder = top_ / std::to_string(++count_);
    write_otf2_archive(scenario, folder, {diagnose(scenario).blocked});
    return folder;
  }

  // What otf2-print says of it.
  std::string printed(const fs::path& folder) {
    const fs::path text = top_ / "printed";
    if (std::system(("otf2-print '" + (folder / "traces.otf2").string() + "' >'" + text.string() + "' 2>&1").c_str()) !=
        0)
      return "";
    std::ifstream in(text);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path top_;
  int count_ = 0;
};

// The lines of a scenario but its header, of which an archive has only job and backend.
std::string body(const Scenario& scenario) {
  const std::string text = written(scenario);
  return text.substr(text.find('\n') + 1);
}

constexpr const char* kCalls = R"(
  {"comm":"pair","ranks":[2,0],"parent":"world"}
  {"comm":"bridge","ranks":[0],"remote":[1,2]}
  {"rank":0,"op":"isend","count":4,"dtype":"float32","peer":1,"tag":9,"request":7}
  {"rank":0,"op":"irecv","peer":"any","tag":"any","request":8,"matched":1}
  {"rank":0,"op":"waitall","requests":[7,8],"state":"completed"}
  {"rank":0,"op":"iallreduce","comm":"pair","count":3,"dtype":"int64","reduce":"max","request":9,"step":4}
  {"rank":0,"op":"wait","request":9,"site":"solve.c:12"}
  {"rank":0,"op":"sendrecv","sendpeer":1,"recvpeer":"null","sendtag":3,"count":1,"dtype":"byte"}
  {"rank":0,"op":"bcast","comm":"bridge","count":2,"dtype":"int32","root":"root"}
  {"rank":1,"op":"recv","count":4,"dtype":"float32","peer":0,"tag":9}
  {"rank":1,"op":"send","count":2,"dtype":"int8","peer":0,"tag":1}
  {"rank":1,"op":"recv","count":1,"dtype":"byte","peer":0,"tag":3,"thread":2}
  {"rank":1,"op":"bcast","comm":"bridge","count":2,"dtype":"int32","root":0}
  {"rank":2,"op":"iallreduce","comm":"pair","count":3,"dtype":"int64","reduce":"max","request":1}
  {"rank":2,"op":"wait","request":1}
  {"rank":2,"op":"bcast","comm":"bridge","count":2,"dtype":"int32","root":0}
  {"rank":0,"end":"finalized","dropped":0}
  {"rank":1,"end":"exited","dropped":0,"status":3}
)";

TEST_F(Otf2Export, ComesBackAsItWas) {
  const Scenario scenario = test::scenario(3, kCalls, R"("backend":"mpi","hosts":["a","a","b"])");
  const Imported back = import_foreign({exported(scenario)});
  EXPECT_EQ(body(back.scenario), body(scenario));
  EXPECT_EQ(back.scenario.header.hosts, scenario.header.hosts);
  EXPECT_EQ(back.scenario.header.backend, "mpi");
  EXPECT_EQ(back.scenario.header.job, "test");
}

// Whose verdict rests on what an archive has no place for: payload, and results by their digests.
const std::set<std::string> kResting{"c15-number-becomes-control-flow",
                                     "f01-own-contribution-first",
                                     "f02-sequential-and-doubling",
                                     "f03-rounded-at-each-hop",
                                     "f04-nan-in-max",
                                     "f05-signed-zero-in-min",
                                     "f06-block-sums",
                                     "f07-arrival-order"};

TEST_F(Otf2Export, EveryReproducerKeepsItsVerdict) {
  int seen = 0;
  for (const auto& entry : fs::directory_iterator(PETRI_SCENARIOS)) {
    const fs::path file = entry.path() / "scenario.jsonl";
    if (!fs::exists(file) || kResting.count(entry.path().filename().string()) != 0) continue;
    SCOPED_TRACE(file.string());
    const Scenario scenario = read_scenario(file);
    const Diagnosis before = diagnose(scenario);
    const Diagnosis after = diagnose(import_foreign({exported(scenario)}).scenario);
    EXPECT_EQ(name_of(after.verdict), name_of(before.verdict));
    EXPECT_EQ(after.signature, before.signature);
    ++seen;
  }
  EXPECT_GT(seen, 60);
}

TEST_F(Otf2Export, OtherToolsFindMessagesCollectivesAndRequests) {
  if (std::system("otf2-print --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "otf2-print is not installed";
  const std::string text = printed(exported(test::scenario(3, kCalls, R"("backend":"mpi")")));
  for (const char* const record : {"MPI_ISEND ", "MPI_ISEND_COMPLETE ", "MPI_IRECV_REQUEST ", "MPI_IRECV ",
                                   "NON_BLOCKING_COLLECTIVE_REQUEST ", "NON_BLOCKING_COLLECTIVE_COMPLETE ", "MPI_RECV ",
                                   "Region: \"MPI_Waitall\"", "Length: 16", "\"pair\"", "Tag: 9"})
    EXPECT_THAT(text, HasSubstr(record));
  EXPECT_THAT(text, testing::Not(HasSubstr("INVALID")));
}

TEST_F(Otf2Export, ACallThatCannotBeLeftHasNoEndAndNothingFollowsIt) {
  const Scenario scenario = test::scenario(2, R"(
    {"rank":0,"op":"barrier"}
    {"rank":0,"op":"recv","peer":1,"count":1,"dtype":"byte"}
    {"rank":0,"op":"barrier"}
    {"rank":1,"op":"barrier"}
    {"rank":1,"op":"recv","peer":0,"count":1,"dtype":"byte"}
    {"rank":1,"op":"barrier"}
  )");
  const CallTimes times = call_times(scenario, diagnose(scenario).blocked);
  for (const auto& spans : times.spans) {
    EXPECT_TRUE(spans[0].ended);
    EXPECT_TRUE(spans[1].reached);
    EXPECT_FALSE(spans[1].ended);
    EXPECT_FALSE(spans[2].reached);
  }
  EXPECT_EQ(body(import_foreign({exported(scenario)}).scenario), body(scenario));
}

TEST_F(Otf2Export, TheClockFollowsCauses) {
  const Scenario scenario = test::scenario(3, R"(
    {"rank":0,"op":"recv","peer":1,"tag":2}
    {"rank":0,"op":"barrier"}
    {"rank":1,"op":"compute"}
    {"rank":1,"op":"compute"}
    {"rank":1,"op":"send","peer":0,"tag":2}
    {"rank":1,"op":"barrier"}
    {"rank":2,"op":"barrier"}
  )");
  const CallTimes times = call_times(scenario, {});
  EXPECT_FALSE(times.recorded);
  EXPECT_GT(times.spans[0][0].leave, times.spans[1][2].enter);
  const std::uint64_t last = std::max({times.spans[0][1].enter, times.spans[1][3].enter, times.spans[2][0].enter});
  for (const CallSpan& span : {times.spans[0][1], times.spans[1][3], times.spans[2][0]}) EXPECT_GT(span.leave, last);
}

TEST_F(Otf2Export, WhereAllEventsHaveTimesThoseAreKept) {
  const Scenario scenario = test::scenario(2, R"(
    {"rank":0,"op":"barrier","time":100.5}
    {"rank":0,"op":"barrier","time":101.0}
    {"rank":1,"op":"barrier","time":100.25}
    {"rank":1,"op":"barrier","time":100.75}
  )");
  const CallTimes times = call_times(scenario, {});
  EXPECT_TRUE(times.recorded);
  EXPECT_EQ(times.spans[0][0].enter, 250000000u);
  EXPECT_EQ(times.spans[1][0].leave, 250000001u);  // when rank 0 was there
  EXPECT_EQ(body(import_foreign({exported(scenario)}).scenario), body(scenario));
}

TEST_F(Otf2Export, SizesAreThoseThatScorePReckons) {
  const Scenario scenario = test::scenario(3, R"(
    {"rank":1,"op":"allreduce","count":2,"dtype":"float64","reduce":"sum"}
    {"rank":1,"op":"bcast","count":2,"dtype":"float64","root":1}
    {"rank":1,"op":"reduce","count":2,"dtype":"float64","root":0,"reduce":"sum"}
    {"rank":1,"op":"scan","count":2,"dtype":"float64","reduce":"sum"}
    {"rank":1,"op":"alltoallv","sendcounts":[1,2,3],"recvcounts":[2,2,2],"dtype":"float64"}
  )");
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes;
  for (const Event& event : scenario.ranks[1].events) {
    const CollectiveSizes size = collective_sizes(scenario, 1, event);
    sizes.emplace_back(size.sent, size.received);
  }
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_THAT(sizes, ElementsAre(Pair(48, 48), Pair(48, 16), Pair(16, 0), Pair(32, 32), Pair(48, 48)));
}

TEST_F(Otf2Export, OverwritesNothingAndLeavesNothingHalfWritten) {
  const Scenario scenario = test::scenario(2, R"({"rank":0,"op":"barrier"})");
  const fs::path folder = top_ / "taken";
  fs::create_directory(folder);
  std::ofstream(folder / "mine") << "x";
  EXPECT_THROW(write_otf2_archive(scenario, folder), EnvironmentError);
  EXPECT_TRUE(fs::exists(folder / "mine"));
  EXPECT_THROW(write_otf2_archive(scenario, top_ / "no" / "where"), std::system_error);
  fs::create_directory(top_ / "empty");
  write_otf2_archive(scenario, top_ / "empty");
  EXPECT_TRUE(fs::exists(top_ / "empty" / "traces.otf2"));
  fs::create_directory_symlink("linked", top_ / "link");
  write_otf2_archive(scenario, top_ / "link" / "");
  EXPECT_TRUE(fs::is_symlink(top_ / "link"));
  EXPECT_TRUE(fs::exists(top_ / "linked" / "traces.otf2"));
  for (const auto& entry : fs::directory_iterator(top_))
    EXPECT_FALSE(entry.path().filename().string().starts_with(".")) << entry.path();
}

}  // namespace
}  // namespace petri::test
