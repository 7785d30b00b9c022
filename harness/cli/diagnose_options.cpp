#include "harness/cli/diagnose_options.hpp"

#include <fmt/core.h>

#include <limits>
#include <optional>
#include <string_view>

#include "harness/cli/numbers.hpp"

namespace petri::cli {
namespace {

constexpr std::uint64_t kMostOrders = std::numeric_limits<std::uint64_t>::max();
constexpr std::int64_t kUsualEagerLimit = 4096;  // bytes; Open MPI's over shared memory (btl_vader_eager_limit)

std::int64_t buffered_bytes(const std::string& text) {
  constexpr std::size_t kPrefix = std::string_view("buffered:").size();
  const std::optional<std::uint64_t> bytes = whole_number(std::string_view(text).substr(kPrefix));
  if (!bytes || *bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    throw UsageError{fmt::format("--assume {}: BYTES must be a whole number ≥ 0", text)};
  return static_cast<std::int64_t>(*bytes);
}

}  // namespace

void add_diagnose_options(po::options_description& options) {
  options.add_options()("assume", po::value<std::string>()->default_value("strict")->value_name("WHAT"),
                        "strict: a send may wait for its receive; buffered[:BYTES]: sends up to BYTES (4096) return");
  options.add_options()("max-orders", po::value<std::string>()->value_name("N"),
                        "how many orders of matches, grants and competing calls are explored (2000, fewer in a long "
                        "record)");
}

DiagnoseOptions diagnose_options_of(const po::variables_map& values) {
  DiagnoseOptions options;
  if (values.count("max-orders") != 0)
    options.max_orders = bounded("max-orders", values["max-orders"].as<std::string>(), 1, kMostOrders);
  const auto& assume = values["assume"].as<std::string>();
  if (assume == "buffered")
    options.buffered = kUsualEagerLimit;
  else if (assume.starts_with("buffered:"))
    options.buffered = buffered_bytes(assume);
  else if (assume != "strict")
    throw UsageError{fmt::format("--assume must be strict, buffered or buffered:BYTES, got '{}'", assume)};
  return options;
}

}  // namespace petri::cli
