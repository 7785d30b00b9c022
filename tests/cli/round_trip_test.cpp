// A replay does what its scenario says: what the recorder sees of it, event by event, is the scenario.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "harness/cli/live.hpp"
#include "harness/cli/live_limits.hpp"
#include "harness/trace/read.hpp"
#include "harness/worker/plan/refusal.hpp"
#include "harness/worker/plan/windows.hpp"
#include "tests/cli/round_trip.hpp"

namespace petri::cli::testing {
namespace {

namespace fs = std::filesystem;

// What a recording says otherwise than the scenario by nature. Whatever is not here is a fault of worker or recorder.
struct ByNature {
  std::string_view what;
  bool (*is)(const Scenario& scenario, EventRef at);
  std::string_view reason;
};

bool is_startall(const Scenario& scenario, EventRef place) {
  const Event& event = at(scenario, place);
  return event.op == Op::startall;
}
bool makes_graph(const Scenario& scenario, EventRef place) {
  const Event& event = at(scenario, place);
  return event.op == Op::graph_create || event.op == Op::dist_graph_create;
}
bool is_late_cancel(const Scenario& scenario, EventRef place) {
  const Event& event = at(scenario, place);
  return event.op == Op::cancel && event.flag == 0;
}
bool is_in_dynamic_window(const Scenario& scenario, EventRef place) {
  const Event& event = at(scenario, place);
  return kind_of(event.op) == OpKind::rma && windows_of(scenario).at(event.extras.win()).dynamic;
}

bool is_on_freed_window(const Scenario& scenario, EventRef place) {
  const std::vector<Event>& events = scenario.ranks[static_cast<std::size_t>(place.rank)].events;
  return std::any_of(events.begin(), events.begin() + place.index, [&](const Event& earlier) {
    return earlier.op == Op::win_free && earlier.extras.win() == events[place.index].extras.win();
  });
}

constexpr ByNature kByNature[] = {
    {"op", is_startall, "each start is an event of its own, for each has its own match"},
    {"op", makes_graph, "what is recorded of a graph is this rank's neighbours, and a replay makes it from those"},
    {"event", is_late_cancel, "a cancel that came too late did nothing; in a replay it might come in time"},
    {"disp", is_in_dynamic_window, "displacements are addresses (MPI 4.1, section 12.2.4), and a replay has its own"},
    {"win", is_on_freed_window, "a handle of what was freed is not known any more"},
    {"comm", is_on_freed_window, "a handle of what was freed is not known any more"},
};

bool is_by_nature(const Scenario& scenario, const Difference& difference) {
  return std::any_of(std::begin(kByNature), std::end(kByNature), [&](const ByNature& one) {
    return one.what == difference.what && one.is(scenario, difference.at);
  });
}

void collect(const fs::path& folder, std::vector<std::string>& files) {
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
}

// All chapters of MPI; with PETRI_LONG_RUNS, every scenario.
std::vector<std::string> scenarios() {
  std::vector<std::string> files;
  collect(PETRI_OPERATIONS, files);
  if (std::getenv("PETRI_LONG_RUNS") != nullptr) collect(PETRI_SCENARIOS, files);
  std::sort(files.begin(), files.end());
  return files;
}

TEST(RoundTrip, WhatIsRecordedOfAReplayIsItsScenario) {
  int replayed = 0, events = 0;
  for (const std::string& file : scenarios()) {
    const Scenario scenario = read_scenario(file);
    if (!why_not_live(scenario).empty() || refusal_of(scenario) || missing_for_replay(scenario)) continue;
    ReplayOptions options;
    options.strict = true;
    options.timeout_s = 20;
    const ReplayResult replay = replay_scenario(scenario, options);
    const RoundTrip trip(scenario, replay.recording, replay.state);
    EXPECT_GT(trip.compared(), 0) << file;
    ++replayed;
    events += trip.compared();
    for (const Difference& one : trip.differences())
      if (!is_by_nature(scenario, one))
        ADD_FAILURE() << fmt::format("{}: rank {}, event {}, {}: {} is {}, recorded as {}", file, one.at.rank,
                                     one.at.index, name_of(one.op), one.what, one.said, one.seen);
  }
  fmt::print("{} scenarios, {} events compared\n", replayed, events);
  EXPECT_GT(replayed, 0);
}

}  // namespace
}  // namespace petri::cli::testing
