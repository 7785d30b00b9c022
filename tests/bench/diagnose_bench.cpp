// What judging a record costs for each event, beside a plain pass over the same events: training on a grid of ranks,
// where one rank makes an extra barrier half-way. Time grows linearly with events when the ratio stays the same.
#include <benchmark/benchmark.h>

#include <string>

#include "harness/diagnose/diagnose.hpp"
#include "harness/model/run.hpp"

namespace petri {
namespace {

constexpr int kGroup = 8;

Event call(Op op, std::int32_t comm) {
  Event event;
  event.op = op;
  event.comm = comm;
  event.count = 4;
  event.dtype = ElementType::float32;
  return event;
}

// Each step: an allreduce in a group of eight, a halo exchange with the neighbours, an allreduce of all.
Scenario training(std::int32_t world, std::int32_t steps) {
  Scenario scenario(world);
  for (std::int32_t first = 0; first < world; first += kGroup) {
    Communicator group;
    group.name = "group" + std::to_string(first / kGroup);
    for (std::int32_t rank = first; rank < first + kGroup; ++rank) group.ranks.push_back(rank);
    scenario.add_comm(std::move(group));
  }
  for (std::int32_t rank = 0; rank < world; ++rank) {
    auto& events = scenario.ranks[static_cast<std::size_t>(rank)].events;
    const auto add = [&](Event event) {
      event.seq = static_cast<std::uint32_t>(events.size());
      events.push_back(std::move(event));
    };
    for (std::int32_t step = 0; step < steps; ++step) {
      add(call(Op::allreduce, 1 + rank / kGroup));
      Event recv = call(Op::irecv, 0), send = call(Op::send, 0), wait = call(Op::wait, 0);
      recv.peer = (rank + world - 1) % world;
      send.peer = (rank + 1) % world;
      recv.request = wait.request = static_cast<std::uint32_t>(step);
      add(recv);
      add(send);
      add(wait);
      if (rank == world / 3 && step == steps / 2) add(call(Op::barrier, 0));
      add(call(Op::allreduce, 0));
    }
  }
  return scenario;
}

constexpr std::int32_t kSteps = 40;

void plain_pass(benchmark::State& state) {
  const Scenario scenario = training(static_cast<std::int32_t>(state.range(0)), kSteps);
  for (auto _ : state) {
    std::int64_t sum = 0;
    for (const RankTrace& rank : scenario.ranks)
      for (const Event& event : rank.events) sum += event.count;
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * scenario.event_count()));
}

void one_run(benchmark::State& state) {
  const Scenario scenario = training(static_cast<std::int32_t>(state.range(0)), kSteps);
  for (auto _ : state) benchmark::DoNotOptimize(model::run(scenario, {}).stuck.size());
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * scenario.event_count()));
}

void whole_diagnosis(benchmark::State& state) {
  const Scenario scenario = training(static_cast<std::int32_t>(state.range(0)), kSteps);
  for (auto _ : state) benchmark::DoNotOptimize(diagnose(scenario).findings.size());
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * scenario.event_count()));
}

BENCHMARK(plain_pass)->Arg(64)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK(one_run)->Arg(64)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK(whole_diagnosis)->Arg(64)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace petri

BENCHMARK_MAIN();
