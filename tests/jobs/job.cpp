#include "tests/jobs/job.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace petri::jobs {

const std::vector<Generator>& generators() {
  static const std::vector<Generator> all{
      {"training_3d", training_3d},
      {"training_3d_interleaved", training_3d_interleaved},
      {"moe", moe},
      {"sharded_dp", sharded_dp},
      {"halo_3d", halo_3d},
      {"master_worker", master_worker},
  };
  return all;
}

std::uint32_t meeting_of(const Job& job, std::int32_t rank, std::int32_t step) {
  const auto& events = job.scenario.ranks.at(static_cast<std::size_t>(rank)).events;
  for (std::uint32_t index = 0; index < events.size(); ++index) {
    const Event& event = events[index];
    if (event.step == step && event.comm == job.wide && event.op == Op::allreduce && event.count == 1) return index;
  }
  throw std::out_of_range(fmt::format("rank {} does not meet the others in step {}", rank, step));
}

}  // namespace petri::jobs
