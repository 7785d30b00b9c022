#include "harness/compare/side_by_side.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "harness/compare/element.hpp"
#include "harness/compare/order_problem.hpp"
#include "harness/compare/plan.hpp"
#include "harness/compare/tile.hpp"
#include "harness/compare/work.hpp"
#include "harness/trace/digest.hpp"
#include "kernels/cpu/arithmetic.hpp"
#include "kernels/cpu/team.hpp"
#include "kernels/order/catalogue.hpp"
#include "kernels/order/evaluate.hpp"

namespace petri::compare {
namespace {

using order::Evaluator;
using Bytes = std::vector<std::byte>;

// Digits of a type's numbers: fewer are coarser.
int digits_of(ElementType type) {
  switch (type) {
    case ElementType::bfloat16: return 8;
    case ElementType::float16: return 11;
    case ElementType::float32: return 24;
    case ElementType::float64: return 53;
    case ElementType::int32: return 31;
    case ElementType::int64: return 63;
    default: return 0;
  }
}

// `from`, rounded to `to` where that is another type, by way of `room`.
const std::byte* rounded_to(ElementType to, ElementType type, const std::byte* from, std::size_t count, Bytes& room) {
  if (to == type) return from;
  room.resize(count * size_of(to));
  kernels::conversion(type, to)(from, room.data(), count);
  return room.data();
}

// The results of one configuration on the tile at hand.
struct Results {
  std::vector<std::vector<Evaluator>> evaluators;     // by run and view
  std::vector<std::vector<Bytes>> room;               // for what is evaluated here, by run and view
  std::vector<std::vector<const std::byte*>> values;  // by run and view
  std::map<ElementType, Bytes> to_digest;
};

// One thread's share.
class Worker {
 public:
  Worker(const Plan& plan, Work& work)
      : plan_(plan), all_work_(work), work_(work), results_(plan.ways.size()), found(plan.ways.size()) {
    for (const auto& [ranks, type] : plan.tiles) {
      tiles_.emplace_back(ranks, type, work_);
      exact_.emplace_back();
    }
    for (const Plan::Way& way : plan.ways)
      if (!exact_[way.exact]) exact_[way.exact] = exact_columns(plan.tiles[way.exact].second, plan.all.op);
    for (std::size_t i = 0; i < plan.ways.size(); ++i) {
      Results& results = results_[i];
      if (const Measurement* measured = plan.ways[i].measured) {
        for (const auto& views : measured->runs) results.values.emplace_back(views.size());
        continue;
      }
      if (plan.ways[i].runs.empty()) results.room.emplace_back(1);
      for (const Plan::Run& run : plan.ways[i].runs) {
        results.evaluators.push_back(run.evaluators);
        results.room.emplace_back(run.evaluators.size());
      }
      for (const auto& views : results.room) results.values.emplace_back(views.size());
    }
  }

  // Throws Stopped before anything of the tile is in `found`.
  void work(std::uint64_t first, std::size_t count) {
    for (Results& results : results_)
      for (auto& [type, values] : results.to_digest) values.clear();
    if (count == 0) return;  // at the end there is not a tile for each thread
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
      tiles_[i].take(plan_.all, first, count);
      if (!exact_[i]) continue;
      exact_[i]->take(tiles_[i].columns(), tiles_[i].ranks(), count);
      work_.add(count * static_cast<std::uint64_t>(tiles_[i].ranks()) * kCostOfExact);
    }
    for (std::size_t i = 0; i < results_.size(); ++i) evaluate(i, first, count);
    work_.tell();
    const bool sums = plan_.all.op == ReduceOp::sum || plan_.all.op == ReduceOp::avg;
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
      if (sums && exact_[i]) conditions[i].add(*exact_[i], count);
      if (tiles_[i].loss().any()) losses[i].add(tiles_[i].loss());
    }
    for (std::size_t i = 0; i < results_.size(); ++i) compare(i, first, count);
    all_work_.add_elements(count);
  }

  // What is to be digested of the tile that was worked on last.
  const Bytes& to_digest(std::size_t way, ElementType type) { return results_[way].to_digest[type]; }

 private:
  const Configuration& configuration(std::size_t way) const { return plan_.all.configurations[way]; }

  void evaluate(std::size_t way, std::uint64_t first, std::size_t count) {
    if (plan_.ways[way].measured != nullptr) return take_measured(way, first);
    Results& results = results_[way];
    const std::size_t size = size_of(configuration(way).type);
    for (std::size_t run = 0; run < results.room.size(); ++run)
      for (std::size_t view = 0; view < results.room[run].size(); ++view) {
        results.room[run][view].resize(count * size);
        results.values[run][view] = results.room[run][view].data();
      }
    if (configuration(way).kernel) return sum_by_kernel(way, count);
    const auto contribution = tiles_[plan_.ways[way].tile].contribution();
    for (std::size_t run = 0; run < results.evaluators.size(); ++run)
      for (std::size_t view = 0; view < results.evaluators[run].size(); ++view)
        results.evaluators[run][view].evaluate(contribution, first, count, results.room[run][view].data());
    work_.add(count * results.evaluators.size() * kCostOfError);
  }

  void take_measured(std::size_t way, std::uint64_t first) {
    const Measurement& measured = *plan_.ways[way].measured;
    const std::size_t offset = first * size_of(configuration(way).type);
    for (std::size_t run = 0; run < measured.runs.size(); ++run)
      for (std::size_t view = 0; view < measured.runs[run].size(); ++view)
        results_[way].values[run][view] = measured.results[measured.runs[run][view]].data() + offset;
  }

  void sum_by_kernel(std::size_t way, std::size_t count) {
    const Tile& tile = tiles_[plan_.ways[way].tile];
    const std::size_t size = size_of(tile.type());
    const auto ranks = static_cast<std::size_t>(tile.ranks());
    for (std::size_t i = 0; i < count; ++i) {
      kernels::sum(*configuration(way).kernel, tile.type(), tile.columns() + i * ranks * size, ranks, alone_,
                   results_[way].room[0][0].data() + i * size);
      work_.add(ranks * kCostOfExact);
    }
  }

  void compare(std::size_t way, std::uint64_t first, std::size_t count) {
    Results& results = results_[way];
    Found& into = found[way];
    const ElementType type = configuration(way).type;
    const Tolerance& tolerance = plan_.all.tolerance;
    const std::byte* result = results.values[0][0];
    for (std::size_t run = 0; run < results.values.size(); ++run) {
      const auto& views = results.values[run];
      for (std::size_t view = 1; view < views.size(); ++view)
        into.among_ranks.add(type, tolerance, first, views[0], views[view], count);
      if (run > 0) into.among_runs.add(type, tolerance, first, result, views[0], count);
      if (const auto& exact = exact_[plan_.ways[way].exact]) into.error.add(type, *exact, first, views[0], count);
      if (const Measurement* measured = plan_.ways[way].measured)
        into.to_prediction.add(type, tolerance, first, results_[measured->prediction].values[0][0], views[0], count);
    }
    if (const std::size_t base = plan_.ways[way].baseline; base != way) {
      const ElementType common = *coarser(type, configuration(base).type);
      into.to_baseline.add(common, tolerance, first,
                           rounded_to(common, configuration(base).type, results_[base].values[0][0], count, one_),
                           rounded_to(common, type, result, count, other_), count);
    }
    for (const ElementType to : plan_.ways[way].digest_types) {
      const std::byte* values = rounded_to(to, type, result, count, one_);
      results.to_digest[to].assign(values, values + count * size_of(to));
      make_nans_alike(to, results.to_digest[to]);
    }
  }

  static void make_nans_alike(ElementType type, Bytes& values) {
    const std::size_t size = size_of(type);
    for (std::size_t at = 0; at < values.size(); at += size)
      if (is_nan(type, values.data() + at))
        std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(at), size, std::byte{0xff});
  }

  const Plan& plan_;
  Work& all_work_;
  WorkOfThread work_;
  std::vector<Tile> tiles_;
  std::vector<std::unique_ptr<ExactColumns>> exact_;  // by tile
  std::vector<Results> results_;                      // by configuration
  Bytes one_, other_;
  kernels::Team alone_;

 public:
  std::vector<Found> found;                      // by configuration
  std::map<std::size_t, Conditions> conditions;  // by tile
  std::map<std::size_t, kernels::ConversionLoss> losses;
};

void add(Found& to, const Found& part) {
  to.among_ranks.add(part.among_ranks);
  to.among_runs.add(part.among_runs);
  to.to_baseline.add(part.to_baseline);
  to.to_prediction.add(part.to_prediction);
  to.error.add(part.error);
}

// Digests of whole results, by configuration and type.
class Digests {
 public:
  explicit Digests(const Plan& plan) : digests_(plan.ways.size()) {
    for (std::size_t i = 0; i < plan.ways.size(); ++i)
      for (const ElementType type : plan.ways[i].digest_types) digests_[i][type] = std::make_unique<Digest>();
  }
  // In the order of tiles.
  void add(Worker& worker) {
    for (std::size_t i = 0; i < digests_.size(); ++i)
      for (const auto& [type, digest] : digests_[i]) {
        const Bytes& bytes = worker.to_digest(i, type);
        digest->add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      }
  }
  void take(std::vector<Found>& found) const {
    for (std::size_t i = 0; i < digests_.size(); ++i)
      for (const auto& [type, digest] : digests_[i]) found[i].digests[type] = digest->text();
  }

 private:
  std::vector<std::map<ElementType, std::unique_ptr<Digest>>> digests_;
};

}  // namespace

order::Shape shape_of(const Configuration& configuration, std::uint64_t count) {
  return {.ranks = configuration.ranks, .count = count, .type = configuration.type, .hosts = configuration.hosts};
}

std::optional<ElementType> coarser(ElementType one, ElementType other) {
  const bool keeps = digits_of(one) <= digits_of(other);
  const ElementType to = keeps ? one : other, from = keeps ? other : one;
  if (kernels::conversion(from, to) == nullptr) return std::nullopt;
  return to;
}

bool same_numbers(const Reductions& reductions, const Configuration& one, const Configuration& other) {
  return coarser(one.type, other.type) && (reductions.spread_rows > 0 || one.ranks == other.ranks);
}

std::optional<std::string> problem_of(const Configuration& configuration, ReduceOp op, std::uint64_t count) {
  if (!kernels::arithmetic(configuration.type, ReduceOp::sum))
    return fmt::format("{} is not reduced here, but float16, bfloat16, float32, float64, int32 and int64 are",
                       petri::name_of(configuration.type));
  if (!kernels::arithmetic(configuration.type, op))
    return fmt::format("there is no {} of {}", petri::name_of(op), petri::name_of(configuration.type));
  if (!configuration.kernel) {
    const order::Shape shape = shape_of(configuration, count);
    if (order::reduction_named(configuration.order, shape, op)) return std::nullopt;
    return text_of_problem(configuration.order, shape, op);
  }
  if (op != ReduceOp::sum) return fmt::format("a kernel sums: it makes no {}", petri::name_of(op));
  if (*configuration.kernel == kernels::SumKernel::atomic || *configuration.kernel == kernels::SumKernel::arrival)
    return fmt::format("the kernel {} depends on threads: the order arrival samples what may come of it",
                       kernels::name_of(*configuration.kernel));
  return std::nullopt;
}

Comparison compare_side_by_side(const Reductions& reductions) {
  if (reductions.spread_rows > 0 && reductions.op == ReduceOp::avg)
    throw std::invalid_argument("an average over ranks is not that over the rows which are spread over them");
  const Plan plan(reductions);
  Work work(reductions.watcher, plan.work);
  std::deque<Worker> workers;
  for (int i = 0; i < plan.threads; ++i) workers.emplace_back(plan, work);
  std::vector<std::exception_ptr> errors(workers.size());
  Digests digests(plan);
  kernels::Team team(plan.threads);
  const std::uint64_t step = plan.tile_count, round = step * workers.size();
  if (reductions.watcher != nullptr) reductions.watcher->begin(work.progress());
  for (std::uint64_t first = 0; first < reductions.count && !work.stopped(); first += round) {
    const auto begin_of = [&](std::size_t member) { return std::min(reductions.count, first + member * step); };
    team.run([&](int number) {
      const auto member = static_cast<std::size_t>(number);
      try {
        const std::uint64_t begin = begin_of(member);
        workers[member].work(begin, static_cast<std::size_t>(begin_of(member + 1) - begin));
      } catch (const Stopped&) {
      } catch (...) {
        errors[member] = std::current_exception();
      }
    });
    for (const std::exception_ptr& error : errors)
      if (error) std::rethrow_exception(error);
    if (!work.stopped())
      for (Worker& worker : workers) digests.add(worker);
  }
  Comparison comparison;
  comparison.elements = work.elements();
  comparison.found.resize(plan.ways.size());
  if (comparison.elements == reductions.count) digests.take(comparison.found);
  for (const Worker& worker : workers) {
    for (std::size_t i = 0; i < plan.ways.size(); ++i) add(comparison.found[i], worker.found[i]);
    for (const auto& [tile, conditions] : worker.conditions) {
      const auto [ranks, type] = plan.tiles[tile];
      comparison.conditions[{ranks, type}].add(conditions);
    }
    for (const auto& [tile, loss] : worker.losses) comparison.losses[plan.tiles[tile]].add(loss);
  }
  for (std::size_t i = 0; i < plan.ways.size(); ++i) {
    const Plan::Way& way = plan.ways[i];
    Found& found = comparison.found[i];
    found.baseline = way.baseline;
    if (way.measured != nullptr) {
      found.prediction = way.measured->prediction;
      found.determinism = comparison.found[way.measured->prediction].determinism;
      found.views = way.measured->runs.front().size();
      found.runs = way.measured->runs.size();
      continue;
    }
    if (way.runs.empty()) {
      const bool same_always = *reductions.configurations[i].kernel >= kernels::SumKernel::exact;
      found.determinism = same_always ? order::Determinism::order_invariant : order::Determinism::run_to_run;
      continue;
    }
    found.determinism = way.runs.front().reduction.order.determinism;
    found.views = way.runs.front().evaluators.size();
    found.runs = way.runs.size();
  }
  return comparison;
}

}  // namespace petri::compare
