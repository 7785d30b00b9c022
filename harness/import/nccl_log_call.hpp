// What a message of an NCCL or RCCL log says of a call or of a communicator.
//
// Calls (subsystem COLL), ncclEnqueueCheck in NVIDIA/nccl src/enqueue.cc, unchanged from 2.4 on; the last two by RCCL:
//   AllReduce: opCount <hex> sendbuff <p> recvbuff <p> count N datatype D op O root R comm <p> [nranks=N] stream <p>
//   task T globalrank G
// Send and Recv have their peer in `root`. G is the rank in that communicator, whatever its name.
// Communicators (subsystem INIT), src/init.cc: `[Rank r] ncclCommInitRank comm <p> rank r nranks n cudaDev d nvmlDev v
// busId <hex> commId 0x<hex> - Init COMPLETE`, of which early releases lack the function, nvmlDev, busId (until 2.8)
// and commId (until 2.13); splits have `parent <p> splitCount|childCount s color c key k`, until 2.19 without a count.
// The same with `- Init START`, `- Destroy COMPLETE` and `- Abort COMPLETE`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/trace/event.hpp"

namespace petri {

struct LoggedCall {
  enum Form : std::uint8_t {
    none,     // no call
    whole,    // all below is there
    torn,     // a call of which a part is missing: `op` and `op_count` as far as they are whole
    foreign,  // a whole call, of an operation that a scenario does not know
  };
  Form form = none;
  std::optional<Op> op;
  std::optional<std::uint64_t> op_count;
  std::int64_t count = kUnknownCount;
  std::int32_t datatype = -1, reduction = -1, root = -1;  // as NCCL numbers them
  std::uint64_t comm = 0;
  std::int32_t nranks = -1;
  std::int32_t rank = -1;  // in its communicator; -1 where the log does not tell, as NCCL's does not
};

LoggedCall read_call(std::string_view text);

// ncclDataType_t and ncclRedOp_t (nccl.h.in): unknown for what is none, as operations that a program made are.
ElementType nccl_datatype(std::int32_t number);
ReduceOp nccl_reduction(std::int32_t number);

struct LoggedComm {
  enum Stage : std::uint8_t { starting, complete, destroyed, aborted };
  Stage stage = starting;
  std::uint64_t comm = 0;
  std::int32_t rank = -1, nranks = -1, device = -1;
  std::optional<std::uint64_t> id;
  std::optional<std::uint64_t> parent;  // of a split
  std::optional<std::int64_t> split, color;
};

std::optional<LoggedComm> read_comm(std::string_view text);

}  // namespace petri
