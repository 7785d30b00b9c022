// Makes one reduction in many ways, and holds the results against each other and against the exact one.
//
// Three questions, answered apart: do the ranks of one run agree, do runs of one configuration agree, do configurations
// agree? Everything goes tile by tile: memory is of the size of a tile of all contributions (kTileBytes) and one of
// each result, for each thread, and not of the vector. Whatever is asked for, it stays below kMostBytes beside the
// orders and their schedules, which are within order::kMostOrderBytes together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/compare/configuration.hpp"
#include "harness/compare/error.hpp"
#include "harness/compare/measurement.hpp"
#include "harness/compare/pair.hpp"
#include "harness/compare/tolerance.hpp"
#include "harness/compare/watcher.hpp"
#include "kernels/cpu/payload.hpp"
#include "kernels/order/order.hpp"
#include "kernels/types/reduce_op.hpp"

namespace petri::compare {

// Of the contributions that are held at a time, in each thread; a tile has 64 elements at least, and fewer where all
// threads together would hold more than kMostBytes.
inline constexpr std::size_t kTileBytes = std::size_t{2} << 20;
inline constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

// Writes elements [first, first + count) of a row of numbers in `type`, and adds what they lose on their way into it to
// `loss` unless that is null. Called from several threads.
using Rows = std::function<void(std::int32_t row, ElementType type, std::uint64_t first, std::size_t count,
                                std::byte* out, kernels::ConversionLoss* loss)>;

struct Reductions {
  std::vector<Configuration> configurations = {};
  ReduceOp op = ReduceOp::sum;
  std::uint64_t count = 1;
  Rows rows = {};
  // 0: rank r contributes row r, so that different numbers of ranks reduce different numbers, whose results are not
  // held against each other. Otherwise this many rows are spread over the ranks in blocks of neighbours, and each rank
  // contributes what its rows give in ascending order: all numbers of ranks reduce the same numbers. Not for averages.
  std::int32_t spread_rows = 0;
  std::size_t runs = 1;  // of orders that may change from run to run
  Tolerance tolerance = {};
  int threads = 1;                            // at most
  std::optional<Measurements> measured = {};  // of those configurations that are `measured`
  Watcher* watcher = nullptr;                 // must outlive the comparison
};

// Of one of them: what its order is made for.
order::Shape shape_of(const Configuration& configuration, std::uint64_t count);

// What was found about one configuration.
struct Found {
  order::Determinism determinism = order::Determinism::run_to_run;
  std::size_t views = 1;       // results that ranks may have: one for all, or one for each
  std::size_t runs = 1;        // that were evaluated
  PairStatistics among_ranks;  // each rank against rank 0 of the same run
  PairStatistics among_runs;   // rank 0 in each run against its first run
  // Against which configuration this one is held: the first that reduces the same numbers. Itself: nothing before it
  // does.
  std::size_t baseline = 0;
  PairStatistics to_baseline;             // first runs, rank 0; in the coarser of two types
  std::optional<std::size_t> prediction;  // of a configuration that is measured: the one that predicts it
  PairStatistics to_prediction;           // rank 0 in each run against it
  ErrorStatistics error;                  // of rank 0 in all runs; nothing for operations without an exact result
  // Of the first run's result, any NaN as any other, in this type and each coarser one of those compared.
  // Nothing where the comparison was stopped: a digest is of the whole result.
  std::map<ElementType, std::string> digests;
};

struct Comparison {
  // That were compared: all, unless the watcher stopped it. Then tiles are whole, but need not be neighbours.
  std::uint64_t elements = 0;
  std::vector<Found> found;  // by configuration
  // By number of ranks, or of rows that are spread, and type; of sums and averages.
  std::map<std::pair<std::int32_t, ElementType>, Conditions> conditions;
  // By number of ranks and type: what the numbers lost on their way into the type; only where something was lost.
  std::map<std::pair<std::int32_t, ElementType>, kernels::ConversionLoss> losses;
};

// Can it be made? Nothing for an order that no catalogue knows for this shape and operation, and for a kernel with an
// operation that is no sum; what is wrong in words.
std::optional<std::string> problem_of(const Configuration& configuration, ReduceOp op, std::uint64_t count);

// Throws std::invalid_argument for a configuration with a problem, for one that is measured without a measurement, or
// for more ranks than rows that are spread; order::TooLarge for what does not fit in memory even element by element or
// never ends; and what `rows` throws. A comparison that the watcher stops ends within milliseconds, with what it has.
Comparison compare_side_by_side(const Reductions& reductions);

// Writes elements [first, first + count) of what a rank contributes where `ranks` reduce.
void write_contribution(const Reductions& reductions, std::int32_t ranks, std::int32_t rank, ElementType type,
                        std::uint64_t first, std::size_t count, std::byte* out);

// The coarser of two types: the one that values of both are rounded to before they are held against each other. Nothing
// where values are not converted: between integers and others, between two types of integers, between the two halves.
std::optional<ElementType> coarser(ElementType one, ElementType other);

// Do the two reduce the same numbers, in types that can be held against each other?
bool same_numbers(const Reductions& reductions, const Configuration& one, const Configuration& other);

}  // namespace petri::compare
