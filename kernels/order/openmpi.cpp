#include "kernels/order/openmpi.hpp"

#include <numeric>

#include "kernels/order/openmpi_parts.hpp"

namespace petri::order::openmpi {
namespace {

bool allowed(const Invocation& how, const Shape& shape) {
  if (shape.ranks < 1 || shape.size_of_element() == 0 || how.fanout < 1) return false;
  if (!shape.hosts.empty() && shape.hosts.size() != static_cast<std::size_t>(shape.ranks)) return false;
  if (how.algorithm < 0 || how.algorithm > algorithms(how.collective, how.component)) return false;
  switch (how.collective) {
    case Collective::reduce:
    case Collective::ireduce: return how.root >= 0 && how.root < shape.ranks;
    case Collective::reduce_scatter:
      return how.counts.empty() ||
             (how.counts.size() == static_cast<std::size_t>(shape.ranks) &&
              std::accumulate(how.counts.begin(), how.counts.end(), std::uint64_t{0}) == shape.count);
    case Collective::reduce_scatter_block: return shape.count % static_cast<std::uint64_t>(shape.ranks) == 0;
    default: return true;
  }
}

// "openmpi-4.1 reduce 5".
std::string name_of(const Invocation& how) {
  static constexpr std::string_view components[] = {"", " sm", " han", " adapt"};
  std::string name = "openmpi-" + std::string(kMeasured) + " ";
  name += kCollectiveNames[static_cast<std::size_t>(how.collective)];
  name += components[static_cast<std::size_t>(how.component)];
  if (how.algorithm > 0) name += " " + std::to_string(how.algorithm);
  return name;
}

// By a component with priority; nothing where it leaves this to the usual ones.
std::optional<std::optional<Order>> by_component(const std::string& name, const Invocation& how, const Shape& shape) {
  const bool allreduce = how.collective == Collective::allreduce, reduce = how.collective == Collective::reduce;
  if (how.component == Component::sm && (allreduce || reduce)) return sm_reduce(name, shape);
  if (how.component == Component::han && allreduce) return han_allreduce(name, how, shape);
  if (how.component == Component::han && reduce) return han_reduce(name, how, shape);
  if (how.component == Component::adapt && how.commutative && (reduce || how.collective == Collective::ireduce))
    return adapt_reduce(name, how, shape);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> version_of(std::string_view library_version) {
  constexpr std::string_view prefix = "Open MPI v";
  if (library_version.substr(0, prefix.size()) != prefix) return std::nullopt;
  const std::string_view version = library_version.substr(prefix.size());
  const std::size_t series = version.find_first_not_of("0123456789");
  if (series == 0 || series == std::string_view::npos || version[series] != '.') return std::nullopt;
  const std::size_t end = version.find_first_not_of("0123456789", series + 1);
  if (end == series + 1 || series + 1 == version.size()) return std::nullopt;
  return std::string(version.substr(0, end));
}

std::optional<Order> order_of(std::string_view version, const Invocation& how, const Shape& shape) {
  if (version != kMeasured || !allowed(how, shape)) return std::nullopt;
  const std::string name = name_of(how);
  if (shape.ranks == 1) return uniform(name, shape, Tree{});
  if (auto order = by_component(name, how, shape)) return *std::move(order);
  Invocation usual = how;
  if (how.component != Component::usual) usual.algorithm = 0;
  switch (how.collective) {
    case Collective::allreduce: return tuned_allreduce(name, usual, shape);
    case Collective::reduce: return tuned_reduce(name, usual, shape);
    case Collective::reduce_scatter: return tuned_reduce_scatter(name, usual, shape);
    case Collective::reduce_scatter_block: return tuned_reduce_scatter_block(name, usual, shape);
    case Collective::iallreduce: return libnbc_iallreduce(name, usual, shape);
    case Collective::ireduce: return libnbc_ireduce(name, usual, shape);
  }
  return std::nullopt;
}

std::int32_t algorithms(Collective collective, Component component) {
  const bool reduces = collective == Collective::reduce || collective == Collective::ireduce;
  if (component == Component::adapt) return reduces ? 6 : 0;
  if (component != Component::usual) return 0;
  switch (collective) {
    case Collective::allreduce: return 6;
    case Collective::reduce: return 7;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
    case Collective::iallreduce: return 4;
    case Collective::ireduce: return 3;
  }
  return 0;
}

}  // namespace petri::order::openmpi
