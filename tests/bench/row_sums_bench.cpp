// Exact sums of columns against rounded ones: the arithmetic of a reproducible reduction over 2 to 8 ranks.
#include <benchmark/benchmark.h>

#include <random>
#include <span>
#include <vector>

#include "kernels/cpu/row_sums.hpp"

namespace {

constexpr std::size_t kCount = 16384;

template <class T>
std::vector<std::vector<T>> rows(std::int64_t count) {
  std::mt19937_64 chance(1);
  std::normal_distribution<T> normal;
  std::vector<std::vector<T>> all(static_cast<std::size_t>(count), std::vector<T>(kCount));
  for (auto& row : all)
    for (T& x : row) x = normal(chance);
  return all;
}

template <class T>
void rounded(benchmark::State& state) {
  const auto all = rows<T>(state.range(0));
  std::vector<T> result(kCount);
  for (auto _ : state) {
    result = all[0];
    for (std::size_t r = 1; r < all.size(); ++r)
      for (std::size_t i = 0; i < kCount; ++i) result[i] += all[r][i];
    benchmark::DoNotOptimize(result.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0) * static_cast<std::int64_t>(kCount * sizeof(T)));
}

template <class T>
void exact(benchmark::State& state) {
  const auto all = rows<T>(state.range(0));
  std::vector<const T*> pointers;
  for (const auto& row : all) pointers.push_back(row.data());
  std::vector<T> result(kCount);
  for (auto _ : state) {
    petri::kernels::exact_sum_rows<T>(pointers, kCount, result.data());
    benchmark::DoNotOptimize(result.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0) * static_cast<std::int64_t>(kCount * sizeof(T)));
}

BENCHMARK(rounded<float>)->Arg(2)->Arg(4)->Arg(8);
BENCHMARK(exact<float>)->Arg(2)->Arg(4)->Arg(8);
BENCHMARK(rounded<double>)->Arg(2)->Arg(4)->Arg(8);
BENCHMARK(exact<double>)->Arg(2)->Arg(4)->Arg(8);

}  // namespace

BENCHMARK_MAIN();
