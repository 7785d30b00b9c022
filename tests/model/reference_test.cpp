// The fast model against the exponential one on random small schedules: legal ones by construction, and mutated ones.
#include "tests/model/reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <sstream>

#include "harness/model/explore.hpp"
#include "harness/trace/write.hpp"

namespace petri {
namespace {

using Rng = std::mt19937_64;

int pick(Rng& rng, int below) {
  return std::uniform_int_distribution<int>(0, below - 1)(rng);
}

Event call(Op op, std::int32_t comm) {
  Event event;
  event.op = op;
  event.comm = comm;
  return event;
}

void append(Scenario& scenario, std::int32_t rank, Event event) {
  auto& events = scenario.ranks[static_cast<std::size_t>(rank)].events;
  event.seq = static_cast<std::uint32_t>(events.size());
  events.push_back(std::move(event));
}

// A message from one rank to another; either side blocking or not, sometimes received as a wildcard.
void add_message(Scenario& scenario, Rng& rng, std::uint32_t& request, std::vector<std::vector<std::uint32_t>>& open) {
  const std::int32_t from = pick(rng, scenario.world());
  const std::int32_t to = (from + 1 + pick(rng, scenario.world() - 1)) % scenario.world();
  Event send = call(pick(rng, 2) ? Op::send : Op::isend, 0), recv = call(pick(rng, 2) ? Op::recv : Op::irecv, 0);
  send.peer = to;
  send.tag = recv.tag = pick(rng, 2);
  recv.peer = pick(rng, 3) == 0 ? kAny : from;
  if (pick(rng, 5) == 0) recv.tag = kAny;
  for (auto [event, rank] : {std::pair(&send, from), std::pair(&recv, to)})
    if (form_of(event->op) == OpForm::nonblocking) {
      event->request = ++request;
      open[static_cast<std::size_t>(rank)].push_back(request);
    }
  append(scenario, from, send);
  append(scenario, to, recv);
}

void add_collective(Scenario& scenario, Rng& rng, std::uint32_t& request,
                    std::vector<std::vector<std::uint32_t>>& open) {
  const std::int32_t comm = pick(rng, static_cast<int>(scenario.comms.size()));
  static constexpr Op kOps[] = {Op::barrier, Op::allreduce, Op::ibarrier};
  const Op op = kOps[pick(rng, 3)];
  for (const std::int32_t rank : scenario.comms[static_cast<std::size_t>(comm)].ranks) {
    Event event = call(op, comm);
    if (op == Op::ibarrier) {
      event.request = ++request;
      open[static_cast<std::size_t>(rank)].push_back(request);
    }
    append(scenario, rank, event);
  }
}

void mutate(Scenario& scenario, Rng& rng) {
  auto& events = scenario.ranks[static_cast<std::size_t>(pick(rng, scenario.world()))].events;
  if (events.empty()) return;
  const auto at = static_cast<std::size_t>(pick(rng, static_cast<int>(events.size())));
  Event& event = events[at];
  switch (pick(rng, 5)) {
    case 0: events.erase(events.begin() + static_cast<std::ptrdiff_t>(at)); break;
    case 1:
      if (form_of(event.op) == OpForm::blocking && kind_of(event.op) != OpKind::wait)
        events.insert(events.begin() + static_cast<std::ptrdiff_t>(at), Event(event));
      break;
    case 2:
      if (at + 1 < events.size() && kind_of(events[at + 1].op) != OpKind::wait) std::swap(events[at], events[at + 1]);
      break;
    case 3:
      if (kind_of(event.op) == OpKind::recv) event.peer = kAny;
      break;
    default:
      if (kind_of(event.op) == OpKind::send || kind_of(event.op) == OpKind::recv)
        event.tag = 1 - std::max(event.tag, 0);
  }
  for (std::size_t i = 0; i < events.size(); ++i) events[i].seq = static_cast<std::uint32_t>(i);
}

Scenario random_schedule(Rng& rng) {
  Scenario scenario(2 + pick(rng, 2));
  if (scenario.world() == 3) scenario.add_comm({"pair", {0, 2}, {}, true, "", "", "", {}});
  std::vector<std::vector<std::uint32_t>> open(scenario.ranks.size());
  std::uint32_t request = 0;
  for (int calls = 1 + pick(rng, 4); calls > 0; --calls) {
    if (pick(rng, 3) == 0)
      add_collective(scenario, rng, request, open);
    else
      add_message(scenario, rng, request, open);
  }
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank)
    for (const std::uint32_t number : open[static_cast<std::size_t>(rank)]) {
      Event wait = call(Op::wait, 0);
      wait.request = number;
      append(scenario, rank, wait);
    }
  for (int changes = pick(rng, 3); changes > 0; --changes) mutate(scenario, rng);
  return scenario;
}

// Ranks that the model leaves blocked in a call; the reference knows no finalize.
std::vector<std::int32_t> blocked_in_calls(const Scenario& scenario, const model::Run& run) {
  std::vector<std::int32_t> ranks;
  for (const model::Wait& wait : run.waits)
    if (wait.index < scenario.ranks[static_cast<std::size_t>(wait.rank)].events.size()) ranks.push_back(wait.rank);
  return ranks;
}

// What both judges say of the first `schedules` random schedules.
void compare(int schedules, const model::Assumptions& assumptions) {
  int completing = 0, blocking = 0, both = 0;
  for (int seed = 0; seed < schedules; ++seed) {
    Rng rng(static_cast<std::uint64_t>(seed));
    const Scenario scenario = random_schedule(rng);
    std::set<std::vector<std::int32_t>> found;
    const auto seen = model::explore(scenario, assumptions, 100000, [&](const model::Run& run) {
      found.insert(blocked_in_calls(scenario, run));
      return true;
    });
    ASSERT_TRUE(seen.complete);
    const auto expected = test::all_endings(scenario, assumptions.buffered.has_value());
    std::ostringstream text;
    write_scenario(scenario, text);
    ASSERT_EQ(found, expected) << "seed " << seed << "\n" << text.str();
    const bool completes = expected.count({}) != 0;
    ++(completes && expected.size() > 1 ? both : completes ? completing : blocking);
  }
  testing::Test::RecordProperty("completing", completing);
  testing::Test::RecordProperty("blocking", blocking);
  testing::Test::RecordProperty("in_some_orders", both);
  EXPECT_GT(std::min(completing, blocking), schedules / 20);
}

int wanted_schedules() {
  const char* wanted = std::getenv("PETRI_RANDOM_SCHEDULES");
  return wanted != nullptr ? std::atoi(wanted) : 3000;
}

TEST(Reference, AgreesWithTheStrictModelOnRandomSchedules) {
  compare(wanted_schedules(), {});
}

TEST(Reference, AgreesWithTheBufferedModelOnRandomSchedules) {
  compare(wanted_schedules(), {model::kUnlimited, false});
}

}  // namespace
}  // namespace petri
