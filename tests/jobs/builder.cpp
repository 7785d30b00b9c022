#include "tests/jobs/builder.hpp"

#include <fmt/format.h>

#include <numeric>
#include <stdexcept>
#include <utility>

namespace petri::jobs {

JobBuilder::JobBuilder(std::string_view name, std::string_view file, const JobSize& size)
    : job_{Scenario(size.world), 0, size.steps}, file_(file), requests_(static_cast<std::size_t>(size.world), 0) {
  if (size.world < 4 || size.steps < 1) throw std::invalid_argument("a job needs four ranks and a step");
  job_.scenario.header.job = fmt::format("{}-{}", name, size.world);
  job_.scenario.header.backend = "mpi";
}

void JobBuilder::add(std::int32_t rank, int line, Event event) {
  auto& events = job_.scenario.ranks[static_cast<std::size_t>(rank)].events;
  event.seq = static_cast<std::uint32_t>(events.size());
  event.step = step_;
  event.microbatch = microbatch_;
  event.site = job_.scenario.symbols.intern(fmt::format("{}:{}", file_, line));
  events.push_back(std::move(event));
}

void JobBuilder::add_to_all(int line, const Event& event) {
  for (std::int32_t rank = 0; rank < world(); ++rank) add(rank, line, event);
}

std::uint32_t JobBuilder::begin(std::int32_t rank, int line, Event event) {
  event.request = requests_[static_cast<std::size_t>(rank)]++;
  const std::uint32_t request = event.request;
  add(rank, line, std::move(event));
  return request;
}

void JobBuilder::wait(std::int32_t rank, int line, std::uint32_t request) {
  Event event = call(Op::wait);
  event.request = request;
  add(rank, line, std::move(event));
}

std::int32_t JobBuilder::declare(std::string name, std::vector<std::int32_t> ranks, std::int32_t parent) {
  Communicator comm;
  comm.name = std::move(name);
  comm.ranks = std::move(ranks);
  comm.parent = job_.scenario.comms[static_cast<std::size_t>(parent)].name;
  return job_.scenario.add_comm(std::move(comm));
}

std::vector<std::int32_t> JobBuilder::split(std::string_view name, int line,
                                            const std::vector<std::vector<std::int32_t>>& groups) {
  std::vector<std::int32_t> own(static_cast<std::size_t>(world()), kNoComm);
  for (std::size_t color = 0; color < groups.size(); ++color) {
    const std::int32_t comm = declare(fmt::format("{}{}", name, color), groups[color]);
    for (std::size_t key = 0; key < groups[color].size(); ++key) {
      Event event = making(comm, call(Op::comm_split));
      event.extras.set_color(static_cast<std::int32_t>(color));
      event.extras.set_key(static_cast<std::int32_t>(key));
      add(groups[color][key], line, std::move(event));
      own[static_cast<std::size_t>(groups[color][key])] = comm;
    }
  }
  return own;
}

void JobBuilder::meet(int line) {
  microbatch_ = kUnset;
  add_to_all(line, on(job_.wide, reduction(Op::allreduce, 1)));
}

Job JobBuilder::finish(int line) {
  in_step(kUnset);
  add_to_all(line, call(Op::finalize));
  for (RankTrace& rank : job_.scenario.ranks) rank.end.stated = true;
  return std::move(job_);
}

std::vector<std::vector<std::int32_t>> strided_groups(std::int32_t world, std::int32_t length, std::int32_t stride) {
  std::vector<std::vector<std::int32_t>> groups;
  for (std::int32_t block = 0; block < world; block += length * stride)
    for (std::int32_t offset = 0; offset < stride; ++offset) {
      auto& group = groups.emplace_back();
      for (std::int32_t member = 0; member < length; ++member) group.push_back(block + offset + member * stride);
    }
  return groups;
}

std::int32_t largest_divisor(std::int32_t number, std::initializer_list<std::int32_t> choices) {
  std::int32_t best = 1;
  for (const std::int32_t choice : choices)
    if (choice > best && number % choice == 0) best = choice;
  return best;
}

// The finalizer of splitmix64, once for each argument.
std::uint64_t hashed(std::uint64_t seed, std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t limit) {
  std::uint64_t state = seed;
  for (const std::uint64_t part : {a, b, c}) {
    state += 0x9e3779b97f4a7c15U + part;
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9U;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebU;
    state ^= state >> 31;
  }
  return state % limit;
}

}  // namespace petri::jobs
