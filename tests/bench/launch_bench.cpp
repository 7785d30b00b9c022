// What a command under guard costs beside one that is merely started and waited for, by the memory (MiB) that the
// starting process holds: a shrink with a command of the user's starts thousands.
#include <benchmark/benchmark.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <vector>

#include "harness/launch/guardian.hpp"
#include "harness/launch/run_folder.hpp"

namespace petri {
namespace {

std::vector<char> held(const benchmark::State& state) {
  return std::vector<char>(static_cast<std::size_t>(state.range(0)) << 20, 'x');
}

void plain_start(benchmark::State& state) {
  const std::vector<char> memory = held(state);
  char name[] = "/bin/true";
  char* const arguments[] = {name, nullptr};
  for (auto _ : state) {
    pid_t child = 0;
    if (posix_spawn(&child, name, nullptr, nullptr, arguments, environ) != 0) std::abort();
    waitpid(child, nullptr, 0);
  }
}

void guarded_start(benchmark::State& state) {
  const std::vector<char> memory = held(state);
  for (auto _ : state) {
    Guardian guardian({{"/bin/true"}, {}, false, {}}, name_run_folder(0));
    while (!guardian.ended(1000)) continue;
  }
}

BENCHMARK(plain_start)->Arg(0)->Arg(256)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(guarded_start)->Arg(0)->Arg(256)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace petri

BENCHMARK_MAIN();
