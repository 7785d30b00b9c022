#include "harness/worker/plan/memory.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "harness/worker/plan/topology.hpp"

namespace petri {
namespace {

constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kAll : sum;
}

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kAll : product;
}

std::uint64_t sum_of(const std::vector<std::int64_t>& counts) {
  std::uint64_t sum = 0;
  for (const std::int64_t count : counts) sum = plus(sum, count < 0 ? kAll : static_cast<std::uint64_t>(count));
  return sum;
}

// Elements of one block of a side; one where the scenario does not say.
std::uint64_t block(std::int64_t count, std::int64_t standard) {
  const std::int64_t known = count != kUnknownCount ? count : standard;
  return known == kUnknownCount ? 1 : known < 0 ? kAll : static_cast<std::uint64_t>(known);
}

// Blocks of the larger side of a collective whose members have a block each.
std::uint64_t blocks_of(const Scenario& scenario, const Event& event) {
  constexpr std::string_view kOneBlock[] = {"barrier", "bcast", "reduce", "allreduce", "scan", "exscan"};
  if (event.extras.partitions()) return std::max<std::int32_t>(1, *event.extras.partitions());
  if (kind_of(event.op) != OpKind::collective) return 1;
  if (std::find(std::begin(kOneBlock), std::end(kOneBlock), info(event.op).family) != std::end(kOneBlock)) return 1;
  if ((info(event.op).traits & kNeighbor) != 0) return std::max<std::uint64_t>(1, highest_degree(scenario));
  const Communicator& comm = scenario.comm_of(event);
  return std::max<std::uint64_t>({1, comm.ranks.size(), comm.remote.size()});
}

struct Sides {
  std::uint64_t sent, received;  // bytes
};

Sides sides_of(const Scenario& scenario, const Event& event) {
  const EventExtras& extras = event.extras;
  const std::uint64_t blocks = blocks_of(scenario, event);
  const auto side = [&](std::int64_t count, ElementType type, const std::vector<std::int64_t>& own) {
    const std::vector<std::int64_t>& listed = own.empty() ? extras.counts() : own;
    const std::uint64_t elements = std::max(sum_of(listed), times(blocks, block(count, event.count)));
    return times(elements, bytes_of_element(type != ElementType::unknown ? type : event.dtype));
  };
  return {side(extras.sendcount(), extras.sendtype(), extras.sendcounts()),
          side(extras.recvcount(), extras.recvtype(), extras.recvcounts())};
}

// Calls after which none of the rank's accesses to a window is under way any more.
bool ends_accesses(Op op) {
  using enum Op;
  constexpr Op kEnds[] = {win_fence,     win_complete,    win_unlock,          win_unlock_all, win_flush,
                          win_flush_all, win_flush_local, win_flush_local_all, win_free};
  return std::find(std::begin(kEnds), std::end(kEnds), op) != std::end(kEnds);
}

bool completes_requests(Op op) {
  const OpKind kind = kind_of(op);
  return kind == OpKind::wait || (kind == OpKind::test && op != Op::request_get_status) || op == Op::request_free;
}

}  // namespace

std::uint64_t bytes_of_element(ElementType type) {
  const std::size_t size = size_of(type);
  return size == 0 ? sizeof(std::int32_t) : size;
}

std::uint64_t bytes_of_call(const Scenario& scenario, const Event& event) {
  const Sides sides = sides_of(scenario, event);
  return plus(sides.sent, sides.received);
}

std::uint64_t peak_bytes(const Scenario& scenario, std::int32_t rank) {
  std::unordered_map<std::uint32_t, std::uint64_t> open;
  std::unordered_map<std::string, std::uint64_t> accesses;  // by window
  std::uint64_t held = 0, peak = 0;
  for (const Event& event : scenario.ranks[static_cast<std::size_t>(rank)].events) {
    const auto release = [&](std::uint32_t number) {
      const auto found = open.find(number);
      if (found == open.end()) return;
      held -= found->second;
      open.erase(found);
    };
    if (completes_requests(event.op)) {
      release(event.request);
      for (const std::uint32_t number : event.extras.requests()) release(number);
      continue;
    }
    if (ends_accesses(event.op)) held -= std::exchange(accesses[event.extras.win()], 0);
    const std::uint64_t bytes = bytes_of_call(scenario, event);
    peak = std::max(peak, plus(held, bytes));
    if (plus(held, bytes) == kAll) return kAll;
    const bool access = kind_of(event.op) == OpKind::rma && form_of(event.op) == OpForm::blocking;
    if (!access && (form_of(event.op) == OpForm::blocking || event.request == kNoRequest)) continue;
    held += bytes;
    (access ? accesses[event.extras.win()] : open[event.request]) += bytes;
  }
  return peak;
}

std::optional<std::string> reason_against_sizes(const Scenario& scenario, const Event& event) {
  const Sides sides = sides_of(scenario, event);
  if (std::max(sides.sent, sides.received) <= kMostBytesAtOnce) return std::nullopt;
  return "it moves more than the " + std::to_string(kMostBytesAtOnce >> 20) + " MiB that a replay allows a call";
}

}  // namespace petri
