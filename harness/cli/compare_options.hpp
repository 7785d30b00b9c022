// The command line of `petri compare`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/compare/tolerance.hpp"
#include "kernels/cpu/sums.hpp"
#include "kernels/types/element_type.hpp"
#include "kernels/types/generator.hpp"
#include "kernels/types/reduce_op.hpp"

namespace petri::cli {

// Ranks of each host, `hosts` times: "2x4" is ranks 0–3 on one and 4–7 on another.
struct Layout {
  std::string name;
  std::int32_t hosts = 1, ranks_of_each = 1;
  std::int32_t ranks() const { return hosts * ranks_of_each; }
};

inline constexpr double kLiveTimeout_s = 120;  // of one mpirun

// Lists are empty where the option is not there.
struct CompareArguments {
  std::vector<std::string> inputs;  // none, a scenario, or two recordings with `locate`
  bool list = false, locate = false, same_data = false, json = false;
  std::optional<Generator> generator;
  bool gradients = false;          // of a training
  std::vector<std::string> files;  // of payload, in the order of the ranks
  std::uint64_t seed = 0;
  std::optional<double> scale;
  std::vector<std::int32_t> ranks;
  std::optional<std::uint64_t> count;
  std::vector<std::string> orders;
  std::vector<kernels::SumKernel> kernels;
  std::vector<ElementType> types;
  std::vector<Layout> layouts;
  std::optional<ReduceOp> op;
  std::string plot;
  bool live = false;
  std::optional<double> timeout_s;
  std::uint64_t runs = 8;
  compare::Tolerance tolerance;
  int jobs = 2;
};

// Nothing when only help was wanted. Throws UsageError.
std::optional<CompareArguments> parse_compare(const std::vector<std::string>& args);

}  // namespace petri::cli
