// Collectives as calls of torch.distributed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "harness/export/pytorch_rank.hpp"
#include "harness/export/pytorch_text.hpp"

namespace petri::pytorch {

std::string RankWriter::reduction(const Event& event) {
  const Word word = reduce_word(event.reduce);
  if (word.name.empty()) reject(fmt::format("cannot be written: torch has no {}", petri::name_of(event.reduce)));
  note(word.loss);
  return word.name == "SUM" ? "" : fmt::format(", op=dist.ReduceOp.{}", word.name);
}

// By member in the order of torch's group, which is that of the global ranks whatever order was recorded.
std::vector<std::int64_t> RankWriter::counts_of(const Event& event, bool sent) const {
  const EventExtras& extras = event.extras;
  std::vector<std::int64_t> counts = sent ? extras.sendcounts() : extras.recvcounts();
  if (counts.empty()) counts = extras.counts();
  if (counts.empty()) return {};
  for (const std::int64_t count : counts) require_count(count);
  const std::vector<std::int32_t>& members = scenario_.comm_of(event).ranks;
  if (counts.size() != size(event)) reject(fmt::format("has {} counts for {} members", counts.size(), members.size()));
  std::vector<std::size_t> order(members.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return members[a] < members[b]; });
  std::vector<std::int64_t> sorted;
  for (const std::size_t member : order) sorted.push_back(counts[member]);
  return sorted;
}

std::string RankWriter::allgather_call(const Event& event) {
  Amount own = sent(event);
  const std::vector<std::int64_t> counts = counts_of(event, false);
  if (!counts.empty()) {
    const std::int64_t most = *std::max_element(counts.begin(), counts.end());
    if (*std::min_element(counts.begin(), counts.end()) != most)
      note("uneven counts: torch gathers equal ones, so all as large as the largest");
    take_counts(counts, most, own);
  }
  return fmt::format("dist.all_gather({}, {}", rooms(size(event), own), room(own));
}

std::string RankWriter::reduce_scatter_call(const Event& event) {
  Amount each = info(event.op).family == "reduce_scatter_block" ? received(event) : sent(event);
  const std::vector<std::int64_t> counts = counts_of(event, false);
  if (!counts.empty()) {
    const std::int64_t most = *std::max_element(counts.begin(), counts.end());
    if (*std::min_element(counts.begin(), counts.end()) != most)
      note("uneven counts: torch scatters equal ones, so all as large as the largest");
    take_counts(counts, most, each);
  }
  return fmt::format("dist.reduce_scatter({}, {}{}", room(each), rooms(size(event), each), reduction(event));
}

std::string RankWriter::gather_call(const Event& event) {
  const std::int32_t to = global_root(event);
  Amount own = sent(event);
  if (to != rank_) return fmt::format("dist.gather({}, dst={}", room(own), to);
  const std::vector<std::int64_t> counts = counts_of(event, false);
  if (!counts.empty() && std::adjacent_find(counts.begin(), counts.end(), std::not_equal_to<>()) != counts.end())
    reject("cannot be written: torch gathers equal counts only");
  Amount each = received(event);
  for (Amount* amount : {&own, &each}) take_counts(counts, counts.empty() ? 0 : counts.front(), *amount);
  return fmt::format("dist.gather({}, {}, dst={}", room(own), rooms(size(event), each), to);
}

std::string RankWriter::scatter_call(const Event& event) {
  const std::int32_t from = global_root(event);
  Amount own = received(event);
  if (from != rank_) return fmt::format("dist.scatter({}, src={}", room(own), from);
  const std::vector<std::int64_t> counts = counts_of(event, true);
  if (!counts.empty() && std::adjacent_find(counts.begin(), counts.end(), std::not_equal_to<>()) != counts.end())
    reject("cannot be written: torch scatters equal counts only");
  Amount each = sent(event);
  for (Amount* amount : {&own, &each}) take_counts(counts, counts.empty() ? 0 : counts.front(), *amount);
  return fmt::format("dist.scatter({}, {}, src={}", room(own), rooms(size(event), each), from);
}

std::string RankWriter::alltoall_call(const Event& event) {
  Amount out = sent(event), in = received(event);
  const auto members = static_cast<std::int64_t>(size(event));
  const std::vector<std::int64_t> from = counts_of(event, false), to = counts_of(event, true);
  const auto sum = [](const std::vector<std::int64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  };
  if (from.empty()) in.count *= members;
  if (to.empty()) out.count *= members;
  take_counts(from, sum(from), in);
  take_counts(to, sum(to), out);
  std::string call = fmt::format("dist.all_to_all_single({}, {}", room(in), room(out));
  if (!from.empty()) call += fmt::format(", output_split_sizes=[{}]", fmt::join(from, ", "));
  if (!to.empty()) call += fmt::format(", input_split_sizes=[{}]", fmt::join(to, ", "));
  return call;
}

// Without its group and its closing parenthesis.
std::string RankWriter::call_of(const Event& event) {
  const std::string_view family = info(event.op).family;
  if (family == "barrier") return "dist.barrier(";
  if (family == "bcast") return fmt::format("dist.broadcast({}, src={}", room(sent(event)), global_root(event));
  if (family == "allreduce") return fmt::format("dist.all_reduce({}{}", room(sent(event)), reduction(event));
  if (family == "reduce")
    return fmt::format("dist.reduce({}, dst={}{}", room(sent(event)), global_root(event), reduction(event));
  if (family == "gather" || family == "gatherv") return gather_call(event);
  if (family == "scatter" || family == "scatterv") return scatter_call(event);
  if (family == "allgather" || family == "allgatherv") return allgather_call(event);
  if (family == "reduce_scatter" || family == "reduce_scatter_block") return reduce_scatter_call(event);
  if (family == "alltoall" || family == "alltoallv") return alltoall_call(event);
  reject("cannot be written: torch has no such call");
}

void RankWriter::write_collective(const Event& event) {
  std::string call = call_of(event), members = group(event);
  const bool bare = call.back() == '(';
  if (bare && !members.empty()) members.erase(0, 2);
  put_call(event, call + members, bare && members.empty() ? "async_op=True" : ", async_op=True");
}

}  // namespace petri::pytorch
