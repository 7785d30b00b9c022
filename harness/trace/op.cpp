#include "harness/trace/op.hpp"

#include <cstddef>
#include <unordered_map>

namespace petri {
namespace {

std::unordered_map<std::string_view, Op> index_by_name() {
  std::unordered_map<std::string_view, Op> index;
  for (std::size_t i = 0; i < kOps.size(); ++i) index.emplace(kOps[i].name, static_cast<Op>(i));
  return index;
}

}  // namespace

std::optional<Op> op_named(std::string_view name) {
  static const auto index = index_by_name();
  const auto found = index.find(name);
  if (found == index.end()) return std::nullopt;
  return found->second;
}

}  // namespace petri
