#include "harness/diagnose/order_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <utility>

#include "harness/compare/element.hpp"
#include "harness/compare/order_problem.hpp"
#include "kernels/order/catalogue.hpp"
#include "kernels/order/evaluate.hpp"

namespace petri::diagnosis {
namespace {

using order::Evaluator;
using Bytes = std::vector<std::byte>;

// Of contributions, and of results, that are held at a time.
constexpr std::size_t kTileBytes = std::size_t{4} << 20;
// A number that a generator makes costs as much as so many that are combined.
constexpr std::uint64_t kCostOfContribution = 32;

// All variants, tile by tile beside each other.
class SideBySide {
 public:
  SideBySide(const Reduction& reduction, std::uint64_t& work, const std::stop_token& stop)
      : reduction_(reduction), size_(reduction.shape.size_of_element()), work_(work), stop_(stop) {
    for (std::size_t i = 0; i < reduction.orders.size() && !stop_.stop_requested(); ++i)
      for (const std::string& run : order::runs_of(reduction.orders[i])) add(i, run);
  }

  OrderSearch search() {
    if (variants_.empty()) return {std::nullopt, left_out_};
    const std::uint64_t count = reduction_.shape.count, tile = tile_count();
    const std::uint64_t cost =
        static_cast<std::uint64_t>(reduction_.shape.ranks) * (kCostOfContribution + variants_.size());
    for (std::uint64_t first = 0; first < count && !stop_.stop_requested();) {
      const std::uint64_t size = std::min({tile, count - first, work_ / cost});
      if (size == 0) return {std::nullopt, out_of_work(first)};
      work_ -= size * cost;
      evaluate(first, static_cast<std::size_t>(size));
      if (stop_.stop_requested()) break;
      for (std::size_t i = 0; i < size; ++i)
        if (auto difference = difference_at(first, i)) return {std::move(difference), {}};
      first += size;
    }
    return {std::nullopt, left_out_};
  }

 private:
  struct Evaluated {
    Variant variant;
    Evaluator evaluator;
    Bytes result;
  };

  void add(std::size_t number, const std::string& name) {
    try {
      if (work_ == 0 || bytes_ > order::kMostOrderBytes)
        throw order::TooLarge("with what came before it, it is too much work");
      auto made = order::reduction_named(name, reduction_.shape, reduction_.op);
      if (!made) return leave_out(compare::text_of_problem(reduction_.orders[number], reduction_.shape, reduction_.op));
      const order::Reduction& kept = reductions_.emplace_back(std::move(*made));
      const std::uint64_t bytes = order::bytes_of(kept.order);
      bytes_ += bytes;
      work_ -= std::min(work_, bytes);
      for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(kept.order.views.size()); ++rank)
        variants_.push_back({{number, name, rank}, Evaluator(kept.order, kept.arithmetic, rank), {}});
    } catch (const order::TooLarge& error) {
      leave_out(fmt::format("too large to evaluate here: {}", error.what()));
    }
  }

  // The first reason is told.
  void leave_out(std::string reason) {
    if (left_out_.empty()) left_out_ = std::move(reason);
  }

  std::string out_of_work(std::uint64_t elements) const {
    return fmt::format(
        "too large to evaluate here: {} of {} elements show no difference, and the others were not looked "
        "at; petri compare can",
        elements, reduction_.shape.count);
  }

  std::size_t tile_count() const {
    // An evaluator has some tiles on its stack.
    const std::size_t held = std::max(static_cast<std::size_t>(reduction_.shape.ranks), 4 * variants_.size());
    return std::clamp<std::size_t>(kTileBytes / (held * size_), 16, Evaluator::kTile);
  }

  // Or as much of it as there is until it is told to stop.
  void evaluate(std::uint64_t first, std::size_t size) {
    const std::size_t row = size * size_;
    rows_.resize(static_cast<std::size_t>(reduction_.shape.ranks) * row);
    for (std::int32_t rank = 0; rank < reduction_.shape.ranks && !stop_.stop_requested(); ++rank)
      reduction_.write(rank, reduction_.shape.type, first, size, rows_.data() + static_cast<std::size_t>(rank) * row);
    const auto contribution = [&](std::int32_t rank, std::uint64_t at, std::size_t count, std::byte* out) {
      std::memcpy(out, rows_.data() + static_cast<std::size_t>(rank) * row + (at - first) * size_, count * size_);
    };
    for (Evaluated& one : variants_) {
      if (stop_.stop_requested()) return;
      one.result.resize(row);
      one.evaluator.evaluate(contribution, first, size, one.result.data());
    }
    row_ = row;
  }

  const std::byte* element(const Evaluated& variant, std::size_t i) const { return variant.result.data() + i * size_; }

  bool differ(const Evaluated& one, const Evaluated& other, std::size_t i) const {
    return !compare::same(reduction_.shape.type, element(one, i), element(other, i));
  }

  // Of the kinds in their order. Where one finds nothing, all results that the next one calls alike are alike, so that
  // each is held against the first of those only: of its run, of its order, of all.
  std::optional<Difference> difference_at(std::uint64_t first, std::size_t i) const {
    using Kind = Difference::Kind;
    for (const Kind kind : {Kind::ranks, Kind::runs, Kind::orders}) {
      const Evaluated* one = &variants_.front();
      for (const Evaluated& other : variants_) {
        if (kind == Kind::ranks ? !same_run(*one, other) : kind == Kind::runs && !same_order(*one, other)) one = &other;
        if (!differ(*one, other, i)) continue;
        return kind == Kind::ranks ? told_of_ranks(first + i, other, i) : told(kind, first + i, *one, other, i);
      }
    }
    const Evaluated& any = variants_.front();
    if (compare::is_nan(reduction_.shape.type, element(any, i)) && !somebody_contributes_nan(i))
      return told(Kind::nan, first + i, any, any, i);
    return std::nullopt;
  }

  static bool same_order(const Evaluated& one, const Evaluated& other) {
    return one.variant.order == other.variant.order;
  }
  static bool same_run(const Evaluated& one, const Evaluated& other) {
    return same_order(one, other) && one.variant.name == other.variant.name;
  }

  Difference told(Difference::Kind kind, std::uint64_t element_number, const Evaluated& one, const Evaluated& other,
                  std::size_t i) const {
    const ElementType type = reduction_.shape.type;
    return {kind,
            element_number,
            one.variant,
            other.variant,
            compare::value_text(type, element(one, i)),
            compare::value_text(type, element(other, i)),
            compare::contrast(type, element(one, i), element(other, i)),
            {}};
  }

  // Somebody of the majority, or the first rank where there is none, against the first that has another result.
  Difference told_of_ranks(std::uint64_t element_number, const Evaluated& run, std::size_t i) const {
    const std::vector<std::int32_t> minority = minority_of(run, i);
    const auto find = [&](auto holds) {
      return std::find_if(variants_.begin(), variants_.end(),
                          [&](const Evaluated& each) { return same_run(each, run) && holds(each); });
    };
    auto one = find([&](const Evaluated& each) {
      return !std::binary_search(minority.begin(), minority.end(), each.variant.rank);
    });
    if (one == variants_.end()) one = find([](const Evaluated&) { return true; });
    const auto other = find([&](const Evaluated& each) { return differ(*one, each, i); });
    Difference difference = told(Difference::Kind::ranks, element_number, *one, *other, i);
    difference.minority = minority;
    return difference;
  }

  // The ranks of one run that do not have its most frequent result; all of them where there is none.
  std::vector<std::int32_t> minority_of(const Evaluated& run, std::size_t i) const {
    std::map<std::string, std::vector<std::int32_t>> by_bits;
    for (const Evaluated& one : variants_)
      if (same_run(one, run))
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

  bool somebody_contributes_nan(std::size_t i) const {
    for (std::size_t at = i * size_; at < rows_.size(); at += row_)
      if (compare::is_nan(reduction_.shape.type, rows_.data() + at)) return true;
    return false;
  }

  const Reduction& reduction_;
  std::size_t size_;
  std::uint64_t& work_;
  const std::stop_token& stop_;
  std::uint64_t bytes_ = 0;  // of all orders
  std::string left_out_;
  std::deque<order::Reduction> reductions_;
  std::vector<Evaluated> variants_;
  Bytes rows_;           // one rank's contribution to the tile after the other's
  std::size_t row_ = 0;  // bytes of each
};

}  // namespace

OrderSearch search_difference(const Reduction& reduction, std::uint64_t& work, const std::stop_token& stop) {
  return SideBySide(reduction, work, stop).search();
}

}  // namespace petri::diagnosis
