#include "harness/diagnose/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/order_search.hpp"

namespace petri::diagnosis {
namespace {

using Kind = Difference::Kind;

// The order without the number of one of its runs: part of the failure's name, as the seed is not.
const std::string& order_of(const Reduction& reduction, const Variant& variant) {
  return reduction.orders[variant.order];
}

// Part of the failure's name as well: a sum that overflows is another failure than one that is rounded.
std::string_view about(const Difference& difference) {
  switch (difference.contrast) {
    case compare::Contrast::size: return "";
    case compare::Contrast::sign_of_zero: return " on the sign of zero";
    case compare::Contrast::infinity: return " on infinity";
    case compare::Contrast::nan: return " on NaN";
  }
  return "";
}

std::string form_of(const Reduction& reduction, const Difference& difference, std::string_view op) {
  const std::string& one = order_of(reduction, difference.one);
  const std::string& other = order_of(reduction, difference.other);
  switch (difference.kind) {
    case Kind::ranks: return fmt::format("{}@0 ranks disagree{} in {}", op, about(difference), one);
    case Kind::runs: return fmt::format("{}@0 runs disagree{} in {}", op, about(difference), one);
    case Kind::orders: return fmt::format("{}@0 {} and {} disagree{}", op, one, other, about(difference));
    case Kind::nan: return fmt::format("{}@0 NaN appears in {}", op, one);
  }
  return {};
}

std::string place_of(const Reduction& reduction, const Variant& variant, Kind kind) {
  const EventRef call = reduction.calls[static_cast<std::size_t>(variant.rank)];
  if (kind == Kind::ranks) return fmt::format("rank {}", call.rank);
  return variant.name;
}

std::string text_of(const Scenario& scenario, const Reduction& reduction, const Difference& difference) {
  const Event& event = at(scenario, reduction.calls.front());
  const std::string call = fmt::format("{} ({})", event_text(scenario, event), place_text(event));
  if (difference.kind == Kind::nan)
    return fmt::format("Element {} of the result of {} is NaN in the order {}, and no rank contributes one.",
                       difference.element, call, difference.one.name);
  static constexpr std::string_view kWhat[] = {"the rank that makes it", "the run", "the order"};
  return fmt::format("The result of {} depends on {}: element {} is {} {} {}, and {} {} {}.", call,
                     kWhat[static_cast<std::size_t>(difference.kind)], difference.element, difference.one_value,
                     difference.kind == Kind::ranks ? "on" : "in", place_of(reduction, difference.one, difference.kind),
                     difference.other_value, difference.kind == Kind::ranks ? "on" : "in",
                     place_of(reduction, difference.other, difference.kind));
}

Fault fault_of(const Scenario& scenario, const Reduction& reduction, const Difference& difference) {
  Finding finding;
  finding.kind = Verdict::divergence;
  finding.events = reduction.calls;
  for (const std::int32_t rank : difference.minority)
    finding.culprits.push_back(reduction.calls[static_cast<std::size_t>(rank)].rank);
  std::sort(finding.culprits.begin(), finding.culprits.end());
  const auto side = [&](const Variant& variant, const std::string& value) {
    return fmt::format("{}: {}", place_of(reduction, variant, difference.kind), value);
  };
  finding.expected = difference.kind == Kind::nan ? "a number" : side(difference.one, difference.one_value);
  finding.actual = side(difference.other, difference.other_value);
  finding.text = text_of(scenario, reduction, difference);
  if (difference.kind != Kind::ranks)
    finding.evidence.push_back("no rank began it: all of them contribute what they should, and the order decides");
  const std::string_view op = name_of(at(scenario, reduction.calls.front()).op);
  return {{finding}, form_of(reduction, difference, op)};
}

Fault undecided(const Scenario& scenario, const EventRef& call, const std::string& reason) {
  Finding finding;
  finding.kind = Verdict::ambiguous;
  finding.events.push_back(call);
  finding.expected = "orders, numbers, a type and an operation that can be evaluated";
  finding.actual = reason;
  const Event& event = at(scenario, call);
  finding.text = fmt::format("Whether the result of {} ({}) depends on its order is not known: {}.",
                             event_text(scenario, event), place_text(event), reason);
  return {{finding}, fmt::format("{}@0 orders not evaluated", name_of(event.op))};
}

}  // namespace

OrderDependence find_order_dependence(const Scenario& scenario, const model::Run& run, const std::stop_token& stop) {
  OrderDependence found;
  std::uint64_t work = kMostWork;
  for (const model::Gathering& gathering : run.gatherings.all()) {
    if (!names_orders(scenario, run, gathering)) continue;
    OrderSearch search;
    if (const auto reduction = reduction_of(scenario, run, gathering)) {
      search = search_difference(*reduction, work, stop);
      if (search.difference) found.difference = fault_of(scenario, *reduction, *search.difference);
      if (found.difference) break;
    } else {
      search.left_out = "a type, an operation, a count or somebody's payload is missing";
    }
    const EventRef first{run.gatherings.members(gathering)[gathering.first], gathering.arrivals[gathering.first]};
    if (!search.left_out.empty() && !found.undecided) found.undecided = undecided(scenario, first, search.left_out);
  }
  return found;
}

}  // namespace petri::diagnosis
