#include "harness/diagnose/reduction.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <utility>

#include "harness/compare/element.hpp"
#include "harness/trace/payload.hpp"
#include "kernels/cpu/payload.hpp"

namespace petri::diagnosis {
namespace {

using order::Evaluator;
using Bytes = std::vector<std::byte>;

// Host of each rank, numbered by first appearance.
std::vector<std::int32_t> hosts_of(const Scenario& scenario, const std::vector<std::int32_t>& members) {
  std::vector<std::int32_t> hosts;
  if (scenario.header.hosts.empty()) return hosts;
  std::map<std::string, std::int32_t> numbers;
  for (const std::int32_t member : members) {
    const std::string& host = scenario.header.hosts[static_cast<std::size_t>(member)];
    hosts.push_back(numbers.try_emplace(host, static_cast<std::int32_t>(numbers.size())).first->second);
  }
  return hosts;
}

// Elements of the vector that is reduced; a scattered one is as long as all pieces together.
std::optional<std::uint64_t> count_of(const Event& event, std::size_t ranks) {
  const std::string_view family = info(event.op).family;
  if (family == "reduce_scatter" && !event.extras.recvcounts().empty()) {
    std::uint64_t sum = 0;
    for (const std::int64_t count : event.extras.recvcounts()) sum += static_cast<std::uint64_t>(count);
    return sum;
  }
  if (event.count < 0) return std::nullopt;
  return static_cast<std::uint64_t>(event.count) * (family == "reduce_scatter_block" ? ranks : 1);
}

// All variants, tile by tile beside each other.
class SideBySide {
 public:
  explicit SideBySide(const Reduction& reduction) : reduction_(reduction), size_(reduction.shape.size_of_element()) {
    for (std::size_t i = 0; i < reduction.orders.size(); ++i)
      for (const std::string& run : order::runs_of(reduction.orders[i])) add(i, run);
  }

  std::optional<Difference> first_difference() {
    const std::uint64_t count = reduction_.shape.count;
    for (std::uint64_t first = 0; first < count && !variants_.empty(); first += Evaluator::kTile) {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(Evaluator::kTile, count - first));
      evaluate(first, size);
      for (std::size_t i = 0; i < size; ++i)
        if (auto difference = difference_at(first, i)) return difference;
    }
    return std::nullopt;
  }

 private:
  struct Evaluated {
    Variant variant;
    Evaluator evaluator;
    Bytes result;
  };

  void add(std::size_t number, const std::string& name) {
    auto made = order::reduction_named(name, reduction_.shape, reduction_.op);
    if (!made) return;
    const order::Reduction& kept = reductions_.emplace_back(std::move(*made));
    for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(kept.order.views.size()); ++rank)
      variants_.push_back(
          {{number, name, rank}, Evaluator(kept.order, kept.arithmetic, rank), Bytes(Evaluator::kTile * size_)});
  }

  void evaluate(std::uint64_t first, std::size_t size) {
    const auto contribution = reduction_.contribution();
    for (Evaluated& one : variants_) one.evaluator.evaluate(contribution, first, size, one.result.data());
  }

  const std::byte* element(const Evaluated& variant, std::size_t i) const { return variant.result.data() + i * size_; }

  bool differ(const Evaluated& one, const Evaluated& other, std::size_t i) const {
    return !compare::same(reduction_.shape.type, element(one, i), element(other, i));
  }

  std::optional<Difference> difference_at(std::uint64_t first, std::size_t i) const {
    using Kind = Difference::Kind;
    const Evaluated& any = variants_.front();
    const bool equal =
        std::none_of(variants_.begin(), variants_.end(), [&](const Evaluated& one) { return differ(any, one, i); });
    if (equal && compare::is_nan(reduction_.shape.type, element(any, i)) && !somebody_contributes_nan(first + i))
      return told(Kind::nan, first + i, any, any, i);
    if (equal) return std::nullopt;
    for (const Kind kind : {Kind::ranks, Kind::runs, Kind::orders})
      for (std::size_t other = 1; other < variants_.size(); ++other)
        for (std::size_t one = 0; one < other; ++one)
          if (kind_of(variants_[one].variant, variants_[other].variant) == kind &&
              differ(variants_[one], variants_[other], i))
            return told(kind, first + i, variants_[one], variants_[other], i);
    return std::nullopt;
  }

  static Difference::Kind kind_of(const Variant& one, const Variant& other) {
    if (one.order != other.order) return Difference::Kind::orders;
    return one.name == other.name ? Difference::Kind::ranks : Difference::Kind::runs;
  }

  Difference told(Difference::Kind kind, std::uint64_t element_number, const Evaluated& one, const Evaluated& other,
                  std::size_t i) const {
    const ElementType type = reduction_.shape.type;
    Difference difference{kind,
                          element_number,
                          one.variant,
                          other.variant,
                          compare::value_text(type, element(one, i)),
                          compare::value_text(type, element(other, i)),
                          {}};
    if (kind == Difference::Kind::ranks) difference.minority = minority_of(one.variant, i);
    return difference;
  }

  // The ranks of one run that do not have its most frequent result; all of them where there is none.
  std::vector<std::int32_t> minority_of(const Variant& run, std::size_t i) const {
    std::map<std::string, std::vector<std::int32_t>> by_bits;
    for (const Evaluated& one : variants_)
      if (one.variant.order == run.order && one.variant.name == run.name)
        by_bits[std::string(reinterpret_cast<const char*>(element(one, i)), size_)].push_back(one.variant.rank);
    const auto smaller = [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); };
    const auto most = std::max_element(by_bits.begin(), by_bits.end(), smaller);
    const bool tie = std::count_if(by_bits.begin(), by_bits.end(),
                                   [&](const auto& entry) { return entry.second.size() == most->second.size(); }) > 1;
    std::vector<std::int32_t> minority;
    for (const auto& entry : by_bits)
      if (tie || &entry != &*most) minority.insert(minority.end(), entry.second.begin(), entry.second.end());
    std::sort(minority.begin(), minority.end());
    return minority;
  }

  bool somebody_contributes_nan(std::uint64_t element_number) const {
    for (std::size_t member = 0; member < reduction_.payloads.size(); ++member)
      if (std::isnan(value_at(reduction_.payloads[member], reduction_.calls[member].rank, element_number))) return true;
    return false;
  }

  const Reduction& reduction_;
  std::size_t size_;
  std::deque<order::Reduction> reductions_;
  std::vector<Evaluated> variants_;
};

std::optional<Reduction> numbers_of(const Scenario& scenario, const model::Run& run,
                                    const model::Gathering& gathering) {
  if (gathering.conflicted || gathering.first == model::kAbsent || !run.gatherings.complete(gathering))
    return std::nullopt;
  const std::vector<std::int32_t>& members = run.gatherings.members(gathering);
  Reduction reduction;
  for (std::size_t member = 0; member < members.size(); ++member) {
    if (gathering.arrivals[member] >= model::kBefore) return std::nullopt;
    const EventRef ref{members[member], gathering.arrivals[member]};
    if (!has_payload(at(scenario, ref))) return std::nullopt;
    reduction.calls.push_back(ref);
    reduction.payloads.push_back(payload_of(at(scenario, ref)));
  }
  const Event& first = at(scenario, reduction.calls.front());
  const auto count = count_of(first, members.size());
  if (!count || first.dtype == ElementType::unknown || first.reduce == ReduceOp::unknown) return std::nullopt;
  reduction.orders = first.extras.orders();
  reduction.op = first.reduce;
  reduction.shape = {.ranks = static_cast<std::int32_t>(members.size()),
                     .count = *count,
                     .type = first.dtype,
                     .hosts = hosts_of(scenario, members)};
  return reduction;
}

}  // namespace

order::Contribution Reduction::contribution() const {
  return [this](std::int32_t rank, std::uint64_t first, std::size_t count, std::byte* out) {
    const auto member = static_cast<std::size_t>(rank);
    kernels::write_payload(payloads[member], calls[member].rank, shape.type, first, count, out);
  };
}

bool names_orders(const Scenario& scenario, const model::Run& run, const model::Gathering& gathering) {
  if (gathering.conflicted || gathering.first == model::kAbsent) return false;
  const EventRef ref{run.gatherings.members(gathering)[gathering.first], gathering.arrivals[gathering.first]};
  return !at(scenario, ref).extras.orders().empty();
}

std::optional<Reduction> reduction_of(const Scenario& scenario, const model::Run& run,
                                      const model::Gathering& gathering) {
  if (!names_orders(scenario, run, gathering)) return std::nullopt;
  return numbers_of(scenario, run, gathering);
}

std::vector<Reduction> reductions_of(const Scenario& scenario) {
  const model::Run run = model::run(scenario, {model::kUnlimited, true});
  std::vector<Reduction> reductions;
  for (const model::Gathering& gathering : run.gatherings.all())
    if (auto reduction = numbers_of(scenario, run, gathering)) reductions.push_back(std::move(*reduction));
  return reductions;
}

std::optional<Difference> first_difference(const Reduction& reduction) {
  return SideBySide(reduction).first_difference();
}

}  // namespace petri::diagnosis
