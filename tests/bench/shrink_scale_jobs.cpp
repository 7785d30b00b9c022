// What `shrink-scale` measures with: jobs with a fault, the phases of a diagnosis, and plain delta debugging.
//
//   shrink_scale_jobs list                              names of the generators
//   shrink_scale_jobs make GENERATOR WORLD EVENTS FILE  a job of about EVENTS a rank, of which one rank left out a call
//                                                       half-way; prints the number of events
//   shrink_scale_jobs phases FILE                       seconds of reading, and of judging
//   shrink_scale_jobs ddmin SECONDS FILE                how far plain delta debugging gets
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>

#include "harness/diagnose/diagnose.hpp"
#include "harness/trace/read.hpp"
#include "harness/trace/write.hpp"
#include "tests/bench/plain_ddmin.hpp"
#include "tests/jobs/job.hpp"

namespace {

using namespace petri;

class Watch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// As many steps as it takes for that many events on a rank, on average.
jobs::Job job_of(const jobs::Generator& generator, std::int32_t world, std::uint64_t events) {
  const auto count = [&](std::int32_t steps) { return generator.make({world, steps, 1}).scenario.event_count(); };
  const std::uint64_t once = count(1), each = std::max<std::uint64_t>(count(2) - once, 1);
  const std::uint64_t wanted = events * static_cast<std::uint64_t>(world);
  const std::uint64_t steps = wanted > once ? 1 + (wanted - once) / each : 1;
  return generator.make({world, static_cast<std::int32_t>(std::max<std::uint64_t>(steps, 3)), 1});
}

int make(std::string_view name, std::int32_t world, std::uint64_t events, const std::string& file) {
  for (const jobs::Generator& generator : jobs::generators()) {
    if (generator.name != name) continue;
    jobs::Job job = job_of(generator, world, events);
    const std::int32_t rank = world / 2 + 1;
    auto& own = job.scenario.ranks[static_cast<std::size_t>(rank)].events;
    own.erase(own.begin() + jobs::meeting_of(job, rank, job.steps / 2));
    for (std::size_t i = 0; i < own.size(); ++i) own[i].seq = static_cast<std::uint32_t>(i);
    write_scenario(job.scenario, file);
    fmt::print("{}\n", job.scenario.event_count());
    return 0;
  }
  fmt::print(stderr, "no generator is called {}\n", name);
  return 2;
}

int phases(const std::string& file) {
  const Watch reading;
  const Scenario scenario = read_scenario(file);
  const double read = reading.seconds();
  const Watch judging;
  const Diagnosis diagnosis = diagnose(scenario);
  fmt::print("{{\"load\": {:.4f}, \"diagnose\": {:.4f}, \"signature\": \"{}\"}}\n", read, judging.seconds(),
             diagnosis.signature);
  return 0;
}

int plain(double seconds, const std::string& file) {
  const Scenario scenario = read_scenario(file);
  const std::string signature = diagnose(scenario).signature;
  const Watch watch;
  const bench::PlainResult result = bench::plain_ddmin(
      scenario, [&](const Scenario& candidate) { return diagnose(candidate).signature == signature; },
      [&] { return watch.seconds() >= seconds; });
  fmt::print("{{\"ranks\": {}, \"events\": {}, \"tests\": {}, \"finished\": {}, \"seconds\": {:.2f}}}\n",
             result.scenario.world(), result.scenario.event_count(), result.tests, result.finished, watch.seconds());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "list" && argc == 2) {
    for (const jobs::Generator& generator : jobs::generators()) fmt::print("{}\n", generator.name);
    return 0;
  }
  if (what == "make" && argc == 6)
    return make(argv[2], std::atoi(argv[3]), std::strtoull(argv[4], nullptr, 10), argv[5]);
  if (what == "phases" && argc == 3) return phases(argv[2]);
  if (what == "ddmin" && argc == 4) return plain(std::atof(argv[2]), argv[3]);
  fmt::print(stderr, "usage: see shrink-scale\n");
  return 2;
}
