// Random small schedules: legal by construction (actions in one global order, each projected to its ranks), and
// mutated.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::test {

// clang-format off
enum class Family : std::uint8_t {
  messages, wildcards, probes, persistent, completion, cancels, collectives, persistent_collectives, creations,
  intercommunicators, neighbours, fences, exposures, locks, files, partitions, threads, streams,
};
// clang-format on
inline constexpr int kFamilies = static_cast<int>(Family::streams) + 1;
std::string_view name_of(Family family);

struct RandomSchedule {
  Scenario scenario;
  Family family = Family::messages;  // the one that it is about; others stand in between
  // Completes in all orders, with no fault, whatever the library buffers.
  bool legal = true;
  int mutations = 0;
};

// The same seed and family always give the same schedule.
RandomSchedule random_schedule(Family family, std::uint64_t seed);

// Drops ranks' events and single events while `disagrees` holds; returns the smallest one found.
Scenario shrink_schedule(Scenario scenario, const std::function<bool(const Scenario&)>& disagrees);

std::string text_of(const Scenario& scenario);

}  // namespace petri::test
