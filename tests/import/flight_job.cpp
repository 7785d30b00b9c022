#include "tests/import/flight_job.hpp"

#include <algorithm>
#include <initializer_list>

namespace petri::test {

namespace {

constexpr FlightFault kFaults[] = {FlightFault::none,         FlightFault::missing_last, FlightFault::wrong_type,
                                   FlightFault::wrong_size,   FlightFault::wrong_dtype,  FlightFault::order_inverted,
                                   FlightFault::missing_rank, FlightFault::two_culprits, FlightFault::extra_call,
                                   FlightFault::stale,        FlightFault::all_arrived};
constexpr std::string_view kFaultNames[] = {"none",        "missing_last",   "wrong_type",   "wrong_size",
                                            "wrong_dtype", "order_inverted", "missing_rank", "two_culprits",
                                            "extra_call",  "stale",          "all_arrived"};

// The largest of them that divides the number, as long as its square is not larger.
std::int32_t part_of(std::int32_t number, std::initializer_list<std::int32_t> sizes) {
  for (const std::int32_t size : sizes)
    if (number % size == 0 && size * size <= number) return size;
  return 1;
}

constexpr std::size_t kUnfinished = 2;  // operations that a stale dump shows enqueued and not completed

}  // namespace

std::string_view name_of(FlightFault fault) {
  return kFaultNames[static_cast<std::size_t>(fault)];
}

std::span<const FlightFault> flight_faults() {
  return kFaults;
}

FlightJob::FlightJob(const FlightJobOptions& options) : options_(options), random_(options.seed * 2 + 1) {
  tensor_ = part_of(options.ranks, {8, 4, 2});
  pipe_ = part_of(options.ranks / tensor_, {4, 2});
  data_ = options.ranks / tensor_ / pipe_;
  expert_ = data_ % 8 == 0 ? 8 : data_ % 4 == 0 ? 4 : data_ % 2 == 0 ? 2 : 1;
  make_groups();
  std::size_t most = 1;  // entries of one step
  for (std::int32_t stage = 0; stage < pipe_; ++stage) {
    std::size_t entries = 0;
    for (const Op& op : steps_.emplace_back(step_of(stage)))
      entries += op.what != batch ? 1U : 1U + (op.to != 0 ? 1U : 0U) + (op.from != 0 ? 1U : 0U);
    most = std::max(most, entries);
  }
  step_count_ = std::max<std::size_t>(2, static_cast<std::size_t>(options.entries) / most);
  own_last_steps_.resize(static_cast<std::size_t>(options.ranks));
  plant();
  run();
}

void FlightJob::make_groups() {
  std::int32_t number = 0;
  for (const Kind kind : {kWorld, kData, kTensor, kPipe, kExpert}) {
    for (std::int32_t rank = 0; rank < options_.ranks; ++rank) {
      const std::size_t index = group_index(rank, kind);
      if (index >= groups_[kind].size()) groups_[kind].resize(index + 1);
      groups_[kind][index].ranks.push_back(rank);
    }
    for (Group& group : groups_[kind]) group.number = number++;
  }
}

// Ranks are numbered as Megatron's: tensor first, then data, then pipeline.
std::size_t FlightJob::group_index(std::int32_t rank, Kind kind) const {
  const std::int32_t t = rank % tensor_, d = rank / tensor_ % data_, p = rank / tensor_ / data_;
  std::int32_t index = 0;
  if (kind == kData) index = t + tensor_ * p;
  if (kind == kTensor) index = d + data_ * p;
  if (kind == kPipe) index = t + tensor_ * d;
  if (kind == kExpert) index = t + tensor_ * (p + pipe_ * (d / expert_));
  return static_cast<std::size_t>(index);
}

std::int32_t FlightJob::group_rank(std::int32_t rank, Kind kind) const {
  const std::int32_t d = rank / tensor_ % data_;
  switch (kind) {
    case kData: return d;
    case kTensor: return rank % tensor_;
    case kPipe: return rank / tensor_ / data_;
    case kExpert: return d % expert_;
    default: return rank;
  }
}

std::int32_t FlightJob::partner(std::int32_t rank, Kind kind, std::int32_t distance) const {
  const auto size = static_cast<std::int32_t>(group(rank, kind).ranks.size());
  return (group_rank(rank, kind) + distance + size) % size;
}

// Forward and backward passes of the microbatches one after the other, then the optimizer. Pipeline messages go one by
// one forwards and coalesced backwards; the blocks of a ring attention go coalesced both ways.
std::vector<FlightJob::Op> FlightJob::step_of(std::int32_t stage) const {
  std::vector<Op> ops;
  const auto add = [&](Kind kind, Title title, std::int64_t rows, std::int32_t place, bool half = true) {
    if (groups_[kind].front().ranks.size() > 1)
      ops.push_back({collective, kind, title, half, false, 0, 0, place, rows});
  };
  const auto message = [&](What what, Kind kind, std::int32_t to, std::int32_t from, std::int32_t place) {
    ops.push_back({what, kind, all_reduce, true, false, static_cast<std::int8_t>(to), static_cast<std::int8_t>(from),
                   place, 4096});
  };
  const auto layers = [&](std::int32_t place) {
    for (int layer = 0; layer < 2; ++layer) {
      add(kTensor, all_gather, 4096 / tensor_, place);
      add(kExpert, all_to_all, 4096, place + 1);
      add(kExpert, all_to_all, 4096, place + 2);
      add(kTensor, reduce_scatter, 4096, place + 3);
    }
  };
  const std::int32_t microbatches = std::max(2, pipe_);
  for (std::int32_t i = 0; i < microbatches; ++i) {
    if (stage > 0) message(receive, kPipe, 0, -1, 40);
    layers(50);
    if (data_ > 1) message(batch, kData, 1, -1, 60);
    if (stage + 1 < pipe_) message(send, kPipe, 1, 0, 70);
  }
  for (std::int32_t i = 0; i < microbatches; ++i) {
    if (stage + 1 < pipe_) message(batch, kPipe, 0, 1, 80);
    layers(90);
    if (stage > 0) message(batch, kPipe, -1, 0, 100);
  }
  for (int bucket = 0; bucket < 2; ++bucket) add(kData, reduce_scatter, 8192 * data_, 110, false);
  for (int bucket = 0; bucket < 2; ++bucket) add(kData, all_gather, 8192, 120);
  add(kTensor, all_reduce, 16, 130, false);
  add(kWorld, all_reduce, 1, 140, false);
  if (!ops.empty()) ops.back().host_waits = true;
  return ops;
}

std::int32_t FlightJob::any(std::int64_t below) {
  random_ ^= random_ << 13, random_ ^= random_ >> 7, random_ ^= random_ << 17;
  return static_cast<std::int32_t>(random_ % static_cast<std::uint64_t>(below));
}

std::vector<FlightJob::Op>& FlightJob::last_step(std::int32_t rank) {
  auto& own = own_last_steps_[static_cast<std::size_t>(rank)];
  if (own.empty()) own = steps_[static_cast<std::size_t>(group_rank(rank, kPipe))];
  return own;
}

// A place in the last step; of a group with fewer ranks only where there is no larger one.
std::size_t FlightJob::some_collective(std::int32_t rank, std::size_t least_ranks) {
  const std::vector<Op>& ops = last_step(rank);
  std::vector<std::size_t> fit;
  for (std::size_t i = 0; i < ops.size(); ++i)
    if (ops[i].what == collective && ops[i].title != all_to_all && group(rank, ops[i].kind).ranks.size() >= least_ranks)
      fit.push_back(i);
  return fit.empty() ? some_collective(rank, least_ranks - 1) : fit[static_cast<std::size_t>(any(std::ssize(fit)))];
}

void FlightJob::plant() {
  for (int i = 0; i < 8; ++i) any(2);
  for (std::int32_t rank = 0; rank < options_.ranks; ++rank) stops_.push_back(length(rank));
  if (options_.fault == FlightFault::none || options_.fault == FlightFault::all_arrived || options_.ranks < 2) return;
  const std::int32_t rank = any(options_.ranks);
  const std::size_t before = (step_count_ - 1) * steps_[static_cast<std::size_t>(group_rank(rank, kPipe))].size();
  std::vector<Op>& ops = last_step(rank);
  culprits_ = {rank};
  std::size_t& stop = stops_[static_cast<std::size_t>(rank)];
  switch (options_.fault) {
    case FlightFault::missing_last: stop = before + ops.size() - 1; break;
    case FlightFault::wrong_type: {
      Op& wrong = ops[some_collective(rank, 3)];
      wrong.title = wrong.title == all_reduce ? all_gather : all_reduce;
      wrong.place += 5;
      break;
    }
    case FlightFault::wrong_size: ops[some_collective(rank, 3)].rows *= 2; break;
    case FlightFault::wrong_dtype: {
      Op& wrong = ops[some_collective(rank, 3)];
      wrong.half = !wrong.half;
      break;
    }
    case FlightFault::order_inverted: std::swap(ops[ops.size() - 1], ops[ops.size() - 2]); break;
    case FlightFault::missing_rank: stop = before + some_collective(rank, 2); break;
    case FlightFault::two_culprits: {
      // of the same stage, so that neither only waits for what the other one left out
      const std::int32_t d = rank / tensor_ % data_;
      const std::int32_t other = rank + tensor_ * ((d + std::max(1, data_ / 2)) % data_ - d);
      stop = before;
      if (other == rank) break;
      culprits_.push_back(other);
      stops_[static_cast<std::size_t>(other)] =
          stops_[static_cast<std::size_t>(other)] / step_count_ * (step_count_ - 1);
      break;
    }
    case FlightFault::extra_call: ops.push_back(ops.back()), stop = before + ops.size(); break;
    case FlightFault::stale:
      stop = std::min(before + some_collective(rank, 2) + kUnfinished, before + ops.size() - 1);
      break;
    default: break;
  }
  std::sort(culprits_.begin(), culprits_.end());
}

std::size_t FlightJob::length(std::int32_t rank) const {
  const std::size_t step = steps_[static_cast<std::size_t>(group_rank(rank, kPipe))].size();
  const std::size_t own = own_last_steps_[static_cast<std::size_t>(rank)].size();
  return (step_count_ - 1) * step + (own == 0 ? step : own);
}

const FlightJob::Op& FlightJob::op(std::int32_t rank, std::size_t index) const {
  const auto& step = steps_[static_cast<std::size_t>(group_rank(rank, kPipe))];
  const std::size_t before = (step_count_ - 1) * step.size();
  const auto& own = own_last_steps_[static_cast<std::size_t>(rank)];
  return index >= before && !own.empty() ? own[index - before] : step[index % step.size()];
}

}  // namespace petri::test
