// Reduction operations: MPI's predefined ones and NCCL's average.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace petri {

// `unknown` stands for "not recorded"; `user` for an operation made by MPI_Op_create.
// clang-format off
enum class ReduceOp : std::uint8_t {
  unknown, sum, prod, min, max, avg, land, lor, lxor, band, bor, bxor, minloc, maxloc, replace, no_op, user,
};
// clang-format on

// The name used in a scenario file, e.g. "sum".
std::string_view name_of(ReduceOp op);

// The inverse of name_of; nothing for a name that is no operation ("unknown" included).
std::optional<ReduceOp> reduce_op_named(std::string_view name);

}  // namespace petri
