#include "harness/trace/op.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <unordered_map>

namespace petri {
namespace {

constexpr std::array kOps{
#define PETRI_OP(name, kind, family, form, traits) \
  OpInfo{#name, OpKind::kind, #family, OpForm::form, static_cast<std::uint8_t>(traits)},
#include "harness/trace/op.inc"
#undef PETRI_OP
};
static_assert(kOps.size() < 256, "Op is one byte");

std::unordered_map<std::string_view, Op> index_by_name() {
  std::unordered_map<std::string_view, Op> index;
  for (std::size_t i = 0; i < kOps.size(); ++i) index.emplace(kOps[i].name, static_cast<Op>(i));
  return index;
}

}  // namespace

const OpInfo& info(Op op) {
  return kOps[static_cast<std::size_t>(op)];
}

std::optional<Op> op_named(std::string_view name) {
  static const auto index = index_by_name();
  const auto found = index.find(name);
  if (found == index.end()) return std::nullopt;
  return found->second;
}

}  // namespace petri
