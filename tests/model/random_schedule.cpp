#include "tests/model/random_schedule.hpp"

#include <algorithm>
#include <sstream>

#include "harness/trace/write.hpp"
#include "tests/model/random_builder.hpp"

namespace petri::test {
namespace {

void renumber(Scenario& scenario) {
  for (RankTrace& rank : scenario.ranks)
    for (std::size_t i = 0; i < rank.events.size(); ++i) rank.events[i].seq = static_cast<std::uint32_t>(i);
}

void add_action(Builder& builder, Family family) {
  switch (family) {
    case Family::messages:
      return builder.one_in(3) ? add_exchange(builder) : add_message(builder, builder.any_comm(), false);
    case Family::wildcards: return add_message(builder, builder.any_comm(), true);
    case Family::probes: return add_probed_message(builder);
    case Family::persistent: return add_persistent_message(builder);
    case Family::completion: return add_message(builder, builder.any_comm(), builder.one_in(3));
    case Family::cancels: return add_cancel(builder);
    case Family::collectives: return add_collective(builder, builder.any_comm());
    case Family::persistent_collectives: return add_persistent_collective(builder);
    case Family::creations: return void(add_creation(builder));
    case Family::intercommunicators: return add_intercommunicator(builder);
    case Family::neighbours: return add_neighbours(builder);
    case Family::fences: return add_fences(builder);
    case Family::exposures: return add_exposures(builder);
    case Family::locks: return add_locks(builder);
    case Family::files: return add_files(builder);
    case Family::partitions: return add_partitions(builder);
    case Family::streams: return add_streams(builder);
    case Family::threads: {
      // "If concurrent threads issue such calls on the same communicator, it is up to the user to make sure the calls
      // are correctly ordered" (section 11.6.2): legal ones stay in one thread.
      const bool collective = builder.one_in(3), race = collective && builder.one_in(6);
      if (race) builder.not_legal();
      builder.on_thread(collective && !race ? 0 : builder.below(2));
      return collective ? add_collective(builder, 0) : add_message(builder, 0, builder.one_in(3));
    }
  }
}

// These bring several events for each rank themselves.
bool is_long(Family family) {
  return family == Family::intercommunicators || family == Family::neighbours || family == Family::fences ||
         family == Family::exposures || family == Family::locks || family == Family::files ||
         family == Family::partitions || family == Family::streams;
}

}  // namespace

std::string_view name_of(Family family) {
  static constexpr std::string_view kNames[] = {"messages",    "wildcards",
                                                "probes",      "persistent",
                                                "completion",  "cancels",
                                                "collectives", "persistent collectives",
                                                "creations",   "intercommunicators",
                                                "neighbours",  "fences",
                                                "exposures",   "locks",
                                                "files",       "partitions",
                                                "threads",     "streams"};
  return kNames[static_cast<std::size_t>(family)];
}

RandomSchedule random_schedule(Family family, std::uint64_t seed) {
  Builder builder(seed * kFamilies + static_cast<std::uint64_t>(family), 2);
  builder.result().family = family;
  const int actions = is_long(family) ? 1 : 1 + builder.below(builder.world() > 2 ? 3 : 4);
  for (int i = 0; i < actions; ++i) {
    add_action(builder, family);
    const std::int32_t rank = builder.below(builder.world());
    if (builder.one_in(4)) builder.complete(rank);
  }
  builder.on_thread(0);
  const bool more = is_long(family) ? builder.one_in(4) : builder.one_in(2);
  if (more) builder.one_in(2) ? add_collective(builder, builder.any_comm()) : add_message(builder, 0, false);
  builder.complete_all();
  for (int changes = std::max(0, builder.below(4) - 1); changes > 0; --changes)
    if (mutate(builder)) ++builder.result().mutations;
  if (builder.result().mutations > 0) builder.not_legal();
  renumber(builder.scenario());
  return std::move(builder.result());
}

Scenario shrink_schedule(Scenario scenario, const std::function<bool(const Scenario&)>& disagrees) {
  const auto keep = [&](Scenario candidate) {
    renumber(candidate);
    if (!disagrees(candidate)) return false;
    scenario = std::move(candidate);
    return true;
  };
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank) {
      if (scenario.ranks[rank].events.empty()) continue;
      Scenario without = scenario;
      without.ranks[rank].events.clear();
      smaller = keep(std::move(without)) || smaller;
    }
    for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank)
      for (std::size_t i = scenario.ranks[rank].events.size(); i-- > 0;) {
        Scenario without = scenario;
        without.ranks[rank].events.erase(without.ranks[rank].events.begin() + static_cast<std::ptrdiff_t>(i));
        smaller = keep(std::move(without)) || smaller;
      }
  }
  return scenario;
}

std::string text_of(const Scenario& scenario) {
  std::ostringstream text;
  write_scenario(scenario, text);
  return text.str();
}

}  // namespace petri::test
