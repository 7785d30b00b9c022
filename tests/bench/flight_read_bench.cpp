// How fast Flight Recorder dumps are read, as bytes a second beside passes over the same bytes that keep nothing: one
// that counts a byte, a hash. Each rank's ring is full: 2,000 entries with 20 frames each.
#include <benchmark/benchmark.h>
#include <xxhash.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "harness/import/flight_dump.hpp"
#include "tests/import/flight_job.hpp"

namespace {

using namespace petri;

// Of a few ranks: together larger than the caches, as the dumps of many are.
const std::vector<std::string>& dumps(bool pickled) {
  static const auto made = [](bool as_pickle) {
    test::FlightJobOptions options;
    options.ranks = 64;
    options.entries = 2600;
    options.fault = test::FlightFault::missing_last;
    const test::FlightJob job(options);
    std::vector<std::string> texts;
    for (std::int32_t rank = 0; rank < job.world(); ++rank) {
      const test::FlightRecord record = job.dump(rank);
      texts.push_back(as_pickle ? test::flight_pickle(record) : test::flight_json(record));
    }
    return texts;
  };
  static const std::vector<std::string> pickles = made(true), jsons = made(false);
  return pickled ? pickles : jsons;
}

template <class Pass>
void over(benchmark::State& state, bool pickled, const Pass& pass) {
  const auto& texts = dumps(pickled);
  std::int64_t bytes = 0, entries = 0;
  for (auto _ : state) {
    for (const std::string& text : texts) {
      entries += pass(text);
      bytes += static_cast<std::int64_t>(text.size());
    }
  }
  state.SetBytesProcessed(bytes);
  state.SetItemsProcessed(entries);
}

std::int64_t count(const std::string& text) {
  benchmark::DoNotOptimize(std::count(text.begin(), text.end(), '~'));
  return 0;
}

std::int64_t hash(const std::string& text) {
  benchmark::DoNotOptimize(XXH3_64bits(text.data(), text.size()));
  return 0;
}

void pickle_read(benchmark::State& state) {
  FlightReader reader;
  over(state, true, [&](const std::string& text) { return std::ssize(reader.pickle("dump", text).entries); });
}

void pickle_counted(benchmark::State& state) {
  over(state, true, count);
}

void pickle_hashed(benchmark::State& state) {
  over(state, true, hash);
}

void json_read(benchmark::State& state) {
  FlightReader reader;
  over(state, false, [&](const std::string& text) { return std::ssize(reader.json("dump", text).entries); });
}

void json_counted(benchmark::State& state) {
  over(state, false, count);
}

BENCHMARK(pickle_read);
BENCHMARK(pickle_counted);
BENCHMARK(pickle_hashed);
BENCHMARK(json_read);
BENCHMARK(json_counted);

}  // namespace

BENCHMARK_MAIN();
