// ompi/mca/coll/han of v4.1.4 with its own choices: tuned within each host, libnbc between their leaders. From the
// sources alone.
#include <algorithm>
#include <map>
#include <numeric>

#include "kernels/order/openmpi_parts.hpp"
#include "kernels/order/openmpi_topology.hpp"

namespace petri::order::openmpi {
namespace {

constexpr std::uint64_t kHanSegment = 65536;  // coll_han_allreduce_segsize, coll_han_reduce_segsize

using Members = std::vector<std::int32_t>;

// The ranks of each host, hosts in the order of their first ranks.
std::vector<Members> hosts_of(const Shape& shape) {
  std::vector<Members> hosts;
  std::map<std::int32_t, std::size_t> index;
  for (std::int32_t rank = 0; rank < shape.ranks; ++rank) {
    const std::int32_t host = shape.hosts.empty() ? 0 : shape.hosts[static_cast<std::size_t>(rank)];
    const auto [place, added] = index.emplace(host, hosts.size());
    if (added) hosts.emplace_back();
    hosts[place->second].push_back(rank);
  }
  return hosts;
}

const Part& part_at(const Order& order, std::uint64_t element) {
  const View& view = order.views.front();
  return *std::partition_point(view.begin(), view.end(), [&](const Part& p) { return p.first + p.count <= element; });
}

// One segment: `lows` reduce each host's members, and `up` what comes of them.
class Composer {
 public:
  Composer(const std::vector<Members>& hosts, const std::vector<Order>& lows, const Order& up)
      : hosts_(hosts), lows_(lows), up_(up) {}

  // Appends the segment's parts, from element `offset` of `whole` on.
  void append_to(Order& whole, std::uint64_t offset) const {
    std::vector<std::uint64_t> borders;
    const auto add_borders = [&](const Order& order) {
      for (const Part& part : order.views.front()) borders.push_back(part.first);
    };
    add_borders(up_);
    for (const Order& low : lows_) add_borders(low);
    borders.push_back(up_.count);
    std::sort(borders.begin(), borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    for (std::size_t i = 0; i + 1 < borders.size(); ++i) append_part(whole, offset, borders[i], borders[i + 1]);
  }

 private:
  void append_part(Order& whole, std::uint64_t offset, std::uint64_t first, std::uint64_t end) const {
    TreeMaker maker(whole.ranks);
    std::vector<Call> calls;
    std::vector<Operand> sums;
    for (std::size_t host = 0; host < hosts_.size(); ++host) {
      const std::vector<Operand> members(hosts_[host].begin(), hosts_[host].end());
      sums.push_back(appended(lows_[host], first, members, maker, calls));
    }
    appended(up_, first, sums, maker, calls);
    Tree tree = maker.take();
    auto same = std::find(whole.trees.begin(), whole.trees.end(), tree);
    if (same == whole.trees.end()) same = whole.trees.insert(same, std::move(tree));
    append(whole.views.front(),
           {offset + first, end - first, static_cast<std::uint32_t>(same - whole.trees.begin()), 0, std::move(calls)});
  }

  // The steps of an order's part, with `operands` for its ranks.
  static Operand appended(const Order& order, std::uint64_t first, const std::vector<Operand>& operands,
                          TreeMaker& maker, std::vector<Call>& calls) {
    const Part& part = part_at(order, first);
    const Tree& tree = order.trees[part.tree];
    std::vector<Operand> results;
    const auto operand = [&](Operand o) {
      if (o >= tree.ranks) return results[static_cast<std::size_t>(o - tree.ranks)];
      return operands[static_cast<std::size_t>((o + part.shift) % tree.ranks)];
    };
    for (std::size_t step = 0; step < tree.steps.size(); ++step) {
      results.push_back(maker.combine(operand(tree.steps[step].left), operand(tree.steps[step].right)));
      const Call call = part.calls.empty() ? Call{0, part.count} : part.calls[step];
      calls.push_back({call.before + (first - part.first), call.count});
    }
    return tree.steps.empty() ? operand(0) : results.back();
  }

  const std::vector<Members>& hosts_;
  const std::vector<Order>& lows_;
  const Order& up_;
};

// Where in its host, and on which host, the result is made; and whether the other hosts' leaders are told to reduce in
// place, too.
struct Root {
  std::int32_t low = 0, up = 0;
  bool all_in_place = false;
};

Order hierarchical(std::string name, const Invocation& how, const Shape& shape, const std::vector<Members>& hosts,
                   Root root) {
  Order whole{std::move(name), shape.ranks, shape.count, Determinism::run_to_run, {}, {{}}};
  const std::uint64_t elements = elements_of_segment(shape, kHanSegment);
  for (std::uint64_t first = 0; first < shape.count; first += elements) {
    Shape segment{.count = std::min(elements, shape.count - first), .type = shape.type};
    std::vector<Order> lows;
    for (std::size_t host = 0; host < hosts.size(); ++host) {
      segment.ranks = static_cast<std::int32_t>(hosts[host].size());
      const bool in_place = how.in_place && (root.all_in_place || static_cast<std::int32_t>(host) == root.up);
      lows.push_back(tuned_reduce(
          "", {.collective = Collective::reduce, .root = root.low, .commutative = true, .in_place = in_place},
          segment));
    }
    segment.ranks = static_cast<std::int32_t>(hosts.size());
    // A leader's partial result is where the result goes.
    const Order up =
        libnbc_ireduce("", {.collective = Collective::ireduce, .root = root.up, .in_place = true}, segment);
    Composer(hosts, lows, up).append_to(whole, first);
  }
  return whole;
}

bool one_rank_each(const std::vector<Members>& hosts) {
  return std::all_of(hosts.begin(), hosts.end(), [](const Members& host) { return host.size() == 1; });
}

bool fails_in_place(const Invocation& how, const Shape& shape) {
  return how.in_place && elements_of_segment(shape, kHanSegment) < shape.count;
}

}  // namespace

std::optional<Order> han_allreduce(std::string name, const Invocation& how, const Shape& shape) {
  const std::vector<Members> hosts = hosts_of(shape);
  if (hosts.size() < 2 || one_rank_each(hosts) || !how.commutative) return tuned_allreduce(std::move(name), how, shape);
  if (fails_in_place(how, shape)) return std::nullopt;
  return hierarchical(std::move(name), how, shape, hosts, {.all_in_place = true});
}

std::optional<Order> han_reduce(std::string name, const Invocation& how, const Shape& shape) {
  std::vector<Members> hosts = hosts_of(shape);
  const bool even =
      std::all_of(hosts.begin(), hosts.end(), [&](const Members& host) { return host.size() == hosts.front().size(); });
  if (hosts.size() < 2 || one_rank_each(hosts) || !even || !how.commutative)
    return tuned_reduce(std::move(name), how, shape);
  if (fails_in_place(how, shape)) return std::nullopt;
  Root root;
  for (const Members& host : hosts)
    if (const auto place = std::find(host.begin(), host.end(), how.root); place != host.end())
      root.low = static_cast<std::int32_t>(place - host.begin());
  // Between hosts, ranks at the root's place in each of them are in the order of their own numbers.
  const auto place = static_cast<std::size_t>(root.low);
  std::sort(hosts.begin(), hosts.end(), [&](const Members& a, const Members& b) { return a[place] < b[place]; });
  for (std::size_t host = 0; host < hosts.size(); ++host)
    if (hosts[host][place] == how.root) root.up = static_cast<std::int32_t>(host);
  return hierarchical(std::move(name), how, shape, hosts, root);
}

}  // namespace petri::order::openmpi
