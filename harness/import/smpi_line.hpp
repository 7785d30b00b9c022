// One action of a time-independent trace: "RANK ACTION ARGUMENT…", as SimGrid's SMPI writes and replays it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/trace/op.hpp"
#include "kernels/types/element_type.hpp"

namespace petri {

// What an action takes (SimGrid 3.32, src/smpi/internals/smpi_replay.cpp; src/instr/instr_private.hpp for what is only
// written). Case does not count.
enum class SmpiShape : std::uint8_t {
  world,        // init, finalize, …: nothing that is needed
  message,      // peer tag count [type]; before 3.20: peer count [type]
  both,         // sendcount dst recvcount src [type type]
  completion,   // [src dst tag]
  completions,  // [number]
  nothing,
  bcast,       // count [root [type]]
  reduce,      // count flops [root [type]]
  folded,      // count flops [type]: allreduce, scan, exscan
  pairs,       // sendcount recvcount [type [type]]: alltoall, allgather
  rooted,      // sendcount recvcount [root [type [type]]]: gather, scatter
  gatherv,     // sendcount recvcounts… [root [type [type]]]
  allgatherv,  // sendcount recvcounts… [type] [displacements…]
  scatterv,    // sendcounts… recvcount [root [type [type]]]
  scattered,   // recvcounts… flops [type]: reducescatter
  alltoallv,   // buffer sendcounts… buffer recvcounts… [type [type]]
  location,    // file line: of the action that follows
  local,       // compute, sleep, communicators' sizes: nothing that others meet
};

struct SmpiAction {
  std::string_view name;  // lower case
  Op op;
  SmpiShape shape;
};

// Nothing where no action is called so.
const SmpiAction* smpi_action_named(std::string_view name);

struct SmpiLine {
  std::int32_t rank = 0;
  std::string action;  // in lower case
  std::vector<std::string_view> arguments;
};

// Nothing for an empty line or a comment ('#'). `problem` says why a line is none; the line must stay.
std::optional<SmpiLine> read_smpi_line(std::string_view text, std::string& problem);

// "5e4" is 50000; nothing for what is no whole number below 2^53.
std::optional<std::int64_t> smpi_number(std::string_view text);

// By SMPI's number (src/smpi/mpi/smpi_datatype.cpp); unknown for what has no counterpart.
ElementType smpi_type(std::int64_t number);

}  // namespace petri
