// The job's run: which operations of each rank complete before nothing moves any more.
#include <algorithm>

#include "tests/import/flight_job.hpp"

namespace petri::test {

namespace {

constexpr std::size_t kUnfinished = 2;  // operations that a stale dump shows enqueued and not completed

}  // namespace

void FlightJob::run() {
  const auto world = static_cast<std::size_t>(options_.ranks);
  for (std::size_t kind = 0; kind < kKinds; ++kind) collectives_[kind].resize(groups_[kind].size());
  messages_.assign(world * kKinds * 2, 0);
  pending_.assign(world, 0);
  completed_.assign(world, 0);
  std::vector<std::int32_t> ready;
  for (std::int32_t rank = 0; rank < options_.ranks; ++rank) ready.push_back(rank);
  while (!ready.empty()) {
    const std::int32_t rank = ready.back();
    ready.pop_back();
    launch(rank, ready);
  }
  for (std::int32_t rank = 0; rank < options_.ranks; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    progress_.push_back({enqueued(rank), completed_[at]});
    if (options_.fault == FlightFault::stale && !culprits_.empty() && rank == culprits_.front())
      progress_.back().completed -= std::min(kUnfinished, completed_[at]);
  }
}

// The first operation that has not completed starts on the rank's device.
void FlightJob::launch(std::int32_t rank, std::vector<std::int32_t>& ready) {
  const std::size_t index = completed_[static_cast<std::size_t>(rank)];
  if (index >= stops_[static_cast<std::size_t>(rank)]) return;
  const Op& op = this->op(rank, index);
  const bool never = options_.fault == FlightFault::all_arrived && index + 1 == length(rank);
  std::int32_t& pending = pending_[static_cast<std::size_t>(rank)];
  pending = op.what == collective ? 1 : (op.to != 0 ? 1 : 0) + (op.from != 0 ? 1 : 0);
  if (never) return;
  if (op.what == collective) return arrive(rank, op, ready);
  if (op.to != 0) meet(rank, op.kind, op.to, true, ready);
  if (op.from != 0) meet(rank, op.kind, op.from, false, ready);
}

// Collectives of a group that are not the same never complete, whatever the network makes of them.
void FlightJob::arrive(std::int32_t rank, const Op& op, std::vector<std::int32_t>& ready) {
  Meeting& meeting = collectives_[op.kind][group_index(rank, op.kind)];
  if (meeting.as == nullptr) meeting.as = &op;
  meeting.broken = meeting.broken || meeting.as->title != op.title || meeting.as->half != op.half ||
                   (meeting.as->rows != op.rows && op.title != all_to_all);
  const auto& members = group(rank, op.kind).ranks;
  if (++meeting.arrived != std::ssize(members) || meeting.broken) return;
  meeting = Meeting();
  for (const std::int32_t member : members) advance(member, ready);
}

// A message completes when both sides have started; neither waits for another one between them, as there is none.
void FlightJob::meet(std::int32_t rank, Kind kind, std::int32_t distance, bool sends,
                     std::vector<std::int32_t>& ready) {
  const auto& members = group(rank, kind).ranks;
  const std::int32_t other = members[static_cast<std::size_t>(partner(rank, kind, distance))];
  const auto sender = static_cast<std::size_t>(sends ? rank : other);
  const bool upwards = (distance > 0) == sends;
  std::int8_t& message = messages_[(sender * kKinds + kind) * 2 + (upwards ? 1 : 0)];
  message = static_cast<std::int8_t>(message | (sends ? 1 : 2));
  if (message != 3) return;
  message = 0;
  advance(rank, ready);
  advance(other, ready);
}

void FlightJob::advance(std::int32_t rank, std::vector<std::int32_t>& ready) {
  if (--pending_[static_cast<std::size_t>(rank)] != 0) return;
  ++completed_[static_cast<std::size_t>(rank)];
  ready.push_back(rank);
}

// What the host has enqueued by then: all up to the next value that it waits for.
std::size_t FlightJob::enqueued(std::int32_t rank) const {
  const std::size_t stop = stops_[static_cast<std::size_t>(rank)];
  for (std::size_t index = completed_[static_cast<std::size_t>(rank)]; index < stop; ++index)
    if (op(rank, index).host_waits) return index + 1;
  return stop;
}

}  // namespace petri::test
