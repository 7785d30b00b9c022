// The operations of a scenario and what is known of each from its name alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace petri {

enum class Op : std::uint8_t {
#define PETRI_OP(name, kind, family, form, traits) name,
#include "harness/trace/op.inc"
#undef PETRI_OP
};

// clang-format off
enum class OpKind : std::uint8_t {
  send, recv, sendrecv, probe, start, partition, wait, test, request, collective, comm_create, comm_free, window, rma, file,
  world, host, device,
};
// clang-format on

// Blocking, nonblocking and persistent forms never match each other (MPI 4.1, section 6.12).
enum class OpForm : std::uint8_t { blocking, nonblocking, persistent };

enum OpTraits : std::uint8_t {
  kRooted = 1,            // has a root argument
  kReduces = 2,           // has a reduction operation
  kVector = 4,            // counts differ by member
  kNeighbor = 8,          // data moves along a topology only
  kOutsideSequence = 16,  // not matched by its position on the communicator
};

struct OpInfo {
  std::string_view name;
  OpKind kind;
  std::string_view family;  // the blocking operation it is a form of, e.g. "allreduce" for iallreduce
  OpForm form;
  std::uint8_t traits;
};

inline constexpr std::array kOps{
#define PETRI_OP(name, kind, family, form, traits) \
  OpInfo{#name, OpKind::kind, #family, OpForm::form, static_cast<std::uint8_t>(traits)},
#include "harness/trace/op.inc"
#undef PETRI_OP
};
static_assert(kOps.size() < 256, "Op is one byte");
inline constexpr int kOpCount = static_cast<int>(kOps.size());

inline const OpInfo& info(Op op) {
  return kOps[static_cast<std::size_t>(op)];
}
std::optional<Op> op_named(std::string_view name);

inline std::string_view name_of(Op op) {
  return info(op).name;
}
inline OpKind kind_of(Op op) {
  return info(op).kind;
}
inline OpForm form_of(Op op) {
  return info(op).form;
}
inline bool is_rooted(Op op) {
  return (info(op).traits & kRooted) != 0;
}
inline bool reduces(Op op) {
  return (info(op).traits & kReduces) != 0;
}

// Makes a communicator, window or file, and so has its place on the communicator that it is called on.
inline bool creates(Op op) {
  switch (op) {
    case Op::win_create:
    case Op::win_create_dynamic:
    case Op::win_allocate:
    case Op::win_allocate_shared:
    case Op::file_open: return true;
    default: return kind_of(op) == OpKind::comm_create;
  }
}

// Matched by position on its communicator, window or file, but for creations that are matched by group and tag
// (MPI 4.1, section 7.4.2). Of the calls on a window, fence and free are collective.
inline bool is_positional(Op op) {
  switch (kind_of(op)) {
    case OpKind::collective:
    case OpKind::comm_create:
    case OpKind::comm_free: return (info(op).traits & kOutsideSequence) == 0;
    case OpKind::file: return true;
    case OpKind::window: return creates(op) || op == Op::win_fence || op == Op::win_free;
    default: return false;
  }
}

}  // namespace petri
