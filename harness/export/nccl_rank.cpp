#include "harness/export/nccl_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/export/c_text.hpp"

namespace petri::nccl {
namespace {

// nccl.h, ncclDataType_t; empty where NCCL has no such type.
std::string_view type_name(ElementType type) {
  using enum ElementType;
  switch (type) {
    case int8:
    case char8: return "ncclInt8";
    case uint8:
    case byte: return "ncclUint8";
    case int32: return "ncclInt32";
    case uint32: return "ncclUint32";
    case int64: return "ncclInt64";
    case uint64: return "ncclUint64";
    case float8_e4m3: return "ncclFloat8e4m3";
    case float8_e5m2: return "ncclFloat8e5m2";
    case float16: return "ncclFloat16";
    case bfloat16: return "ncclBfloat16";
    case float64: return "ncclFloat64";
    case float32:
    case unknown: return "ncclFloat32";
    default: return "";
  }
}

std::string_view operation_name(ReduceOp op) {
  using enum ReduceOp;
  switch (op) {
    case prod: return "ncclProd";
    case min: return "ncclMin";
    case max: return "ncclMax";
    case avg: return "ncclAvg";
    case sum:
    case unknown: return "ncclSum";
    default: return "";
  }
}

bool is_nccl_operation(const Event& event) {
  switch (event.op) {
    case Op::send:
    case Op::recv:
    case Op::barrier:
    case Op::bcast:
    case Op::reduce:
    case Op::allreduce:
    case Op::gather:
    case Op::scatter:
    case Op::allgather:
    case Op::alltoall:
    case Op::reduce_scatter:
    case Op::reduce_scatter_block:
    case Op::comm_split:
    case Op::comm_init_rank:
    case Op::comm_finalize:
    case Op::comm_destroy:
    case Op::comm_abort: return true;
    default:
      return kind_of(event.op) == OpKind::host || kind_of(event.op) == OpKind::device ||
             kind_of(event.op) == OpKind::world;
  }
}

// A C string literal: comment text has no backslash and no line end.
std::string literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : c::comment_text(text)) out += c == '"' ? '_' : c;
  return out + '"';
}

}  // namespace

std::string comm_name(const Scenario& scenario, std::int32_t comm) {
  return comm == 0 ? "comm_world" : c::comm_name(scenario, comm);
}

RankWriter::RankWriter(Program& program, std::int32_t rank)
    : StatementWriter(program, rank, {"// ", ""}, "  "), program_(program) {
  here_ = &statements_;
}

const Statements& RankWriter::write() {
  write_events();
  return statements_;
}

std::string RankWriter::finish() {
  return "finish();";
}

std::string RankWriter::stay() {
  return "stay();";
}

std::string RankWriter::leave(int status) {
  return fmt::format("_exit({});", status);
}

std::string RankWriter::abort(int status) {
  return leave(status);
}

std::string RankWriter::raise(int signal) {
  return fmt::format("raise({});", signal);
}

std::string RankWriter::pause(Op, double seconds) {
  return fmt::format("pause_s({:g});", seconds);
}

void RankWriter::write_event(const Event& event) {
  if (!is_nccl_operation(event))
    reject(event.op == Op::comm_init_all ? "cannot be written: its ranks are one process"
                                         : "cannot be written: it is MPI's");
  switch (kind_of(event.op)) {
    case OpKind::send:
    case OpKind::recv: return write_message(event);
    case OpKind::collective: return write_collective(event);
    case OpKind::comm_create: return write_creation(event);
    case OpKind::comm_free: return write_end_of_comm(event);
    case OpKind::world: return write_world(event);
    case OpKind::host: return write_host(event);
    case OpKind::device: return write_device(event);
    default: return;  // refused above
  }
}

// Whose communicator it is says the communicator, else the job; of neither, whether the call is on a stream.
void RankWriter::require_nccl(const Event& event) const {
  const Communicator& comm = scenario_.comm_of(event);
  const std::string& backend = comm.backend.empty() ? scenario_.header.backend : comm.backend;
  const bool ours = backend == "nccl" || (backend.empty() && !event.extras.stream().empty());
  if (!ours)
    reject(fmt::format("cannot be written: its communicator is {}",
                       backend.empty() || backend == "mpi" ? "MPI's" : "of " + c::comment_text(backend)));
}

void RankWriter::put_call(const Event& event, const std::string& call) {
  put(fmt::format("{}, {}));", call, stream(event)));
  if (!event.extras.stream().empty()) return;
  if (open_groups_ > 0)
    waits_for_group_ = true;
  else
    put("settle(stream(\"\"));");
}

void RankWriter::write_message(const Event& event) {
  require_nccl(event);
  if (event.peer == kNull) return;
  if (event.peer == kAny) reject("cannot be written: NCCL receives from one rank only");
  if (event.tag != kUnset && event.tag != 0) note(event.tag == kAny ? "any tag: NCCL has none" : "NCCL has no tags");
  const bool sends = kind_of(event.op) == OpKind::send;
  const Amount what = amount(event, 1);
  const std::int32_t peer = member(event, event.peer, "peer");
  put_call(event, fmt::format("NCCL({}({}, {}, {}, {}, {}", sends ? "ncclSend" : "ncclRecv", sends ? "in" : "out",
                              what.count, what.type, peer, comm_of(event)));
}

void RankWriter::write_collective(const Event& event) {
  require_nccl(event);
  const std::string_view family = info(event.op).family;
  const std::string comm = comm_of(event);
  if (family == "barrier") {
    note("barrier: an allreduce of one element, as PyTorch has it");
    return put_call(event, fmt::format("NCCL(ncclAllReduce(in, out, 1, ncclInt32, ncclSum, {}", comm));
  }
  const std::uint64_t blocks = family == "bcast" || family == "reduce" || family == "allreduce" ? 1 : size(event);
  const Amount what = amount(event, blocks);
  const std::string amounts = fmt::format("{}, {}", what.count, what.type);
  if (family == "bcast")
    return put_call(event, fmt::format("NCCL(ncclBroadcast(in, out, {}, {}, {}", amounts, root(event), comm));
  if (family == "reduce")
    return put_call(
        event, fmt::format("NCCL(ncclReduce(in, out, {}, {}, {}, {}", amounts, operation(event), root(event), comm));
  if (family == "allreduce")
    return put_call(event, fmt::format("NCCL(ncclAllReduce(in, out, {}, {}, {}", amounts, operation(event), comm));
  if (family == "allgather") return put_call(event, fmt::format("NCCL(ncclAllGather(in, out, {}, {}", amounts, comm));
  if (family == "reduce_scatter" || family == "reduce_scatter_block")
    return put_call(event, fmt::format("NCCL(ncclReduceScatter(in, out, {}, {}, {}", amounts, operation(event), comm));
  // Made of sends and receives in one group, as the user guide has them ("Point-to-point communication").
  note(fmt::format("{} of NCCL's sends and receives", family));
  program_.parts.insert(family);
  const std::string to = family == "alltoall" ? "" : fmt::format("{}, ", root(event));
  put_call(event, fmt::format("NCCL({}({}, {}{}", family, amounts, to, comm));
}

void RankWriter::write_creation(const Event& event) {
  const std::int32_t made = event.extras.new_comm();
  const bool known = made != kNoComm && scenario_.comms[static_cast<std::size_t>(made)].known;
  const bool at_start = made != kNoComm && program_.at_start.count(made) != 0;
  if (made != kNoComm) program_.comms.insert(made);
  const std::string target = made == kNoComm || at_start ? "unused_comm" : comm_name(scenario_, made);
  if (event.op == Op::comm_init_rank) {
    if (!known) reject("cannot be written: the members of what it makes are not known");
    if (at_start) return note("made at the start");
    return put(fmt::format("make(&{0}, \"{0}\", {0}_ranks);", target));
  }
  require_nccl(event);
  const auto& members = scenario_.comms[static_cast<std::size_t>(std::max(made, 0))].ranks;
  const std::int32_t derived = known ? *std::min_element(members.begin(), members.end()) : kNull;
  const std::int32_t color = event.extras.color().value_or(derived);
  const auto place = std::find(members.begin(), members.end(), rank_);
  const auto key = event.extras.key().value_or(known ? static_cast<std::int32_t>(place - members.begin()) : 0);
  const std::string comm = comm_of(event);
  put(fmt::format("NCCL(ncclCommSplit({}, {}, {}, &{}, NULL));", comm,
                  color == kNull ? "NCCL_SPLIT_NOCOLOR" : std::to_string(color), key, target));
  put(fmt::format("watched({});", target));
}

void RankWriter::write_end_of_comm(const Event& event) {
  require_nccl(event);
  const std::string comm = comm_of(event);
  if (event.op == Op::comm_finalize) return put(fmt::format("NCCL(ncclCommFinalize({}));", comm));
  put(fmt::format("unwatched({});", comm));
  put(fmt::format("NCCL({}({}));", event.op == Op::comm_abort ? "ncclCommAbort" : "ncclCommDestroy", comm));
}

void RankWriter::write_host(const Event& event) {
  switch (event.op) {
    case Op::group_start: ++open_groups_; return put("NCCL(ncclGroupStart());");
    case Op::group_end:
      if (open_groups_ == 0) reject("ends no group");
      put("NCCL(ncclGroupEnd());");
      if (--open_groups_ == 0 && std::exchange(waits_for_group_, false)) put("settle(stream(\"\"));");
      return;
    case Op::sleep:
    case Op::compute: return write_pause(event);
    default: return;  // no communication
  }
}

void RankWriter::write_device(const Event& event) {
  const std::string what = literal(event.extras.event());
  switch (event.op) {
    case Op::device_sync: return put("settle_all();");
    case Op::stream_sync: return put(fmt::format("settle({});", stream(event)));
    case Op::event_record: return put(fmt::format("CUDA(cudaEventRecord(event({}), {}));", what, stream(event)));
    case Op::stream_wait: return put(fmt::format("CUDA(cudaStreamWaitEvent({}, event({}), 0));", stream(event), what));
    default: return put(fmt::format("settle_event(event({}));", what));
  }
}

std::string RankWriter::comm_of(const Event& event) {
  size(event);
  program_.comms.insert(event.comm);
  return comm_name(scenario_, event.comm);
}

std::string RankWriter::operation(const Event& event) {
  const std::string_view name = operation_name(event.reduce);
  if (name.empty()) reject(fmt::format("cannot be written: NCCL has no {}", petri::name_of(event.reduce)));
  if (event.reduce == ReduceOp::unknown) note("operation not recorded: sum");
  return std::string(name);
}

// What one member gives or gets; the buffers hold as many blocks of it.
RankWriter::Amount RankWriter::amount(const Event& event, std::uint64_t blocks) {
  const EventExtras& extras = event.extras;
  const std::vector<std::int64_t> counts = extras.recvcounts().empty() ? extras.counts() : extras.recvcounts();
  if (std::adjacent_find(counts.begin(), counts.end(), std::not_equal_to<>()) != counts.end())
    reject("cannot be written: NCCL has equal counts only");
  auto [stated, type] = stated_to_send(event);
  if (!counts.empty() && extras.sendcount() == kUnknownCount) stated = counts.front();
  const std::int64_t count = count_or_one(stated);
  require_count(count);
  if (type == ElementType::unknown) note("type not recorded: float");
  const std::string_view name = type_name(type);
  if (name.empty()) reject(fmt::format("cannot be written: NCCL has no type for {}", petri::name_of(type)));
  const std::uint64_t bytes = type == ElementType::unknown ? sizeof(float) : size_of(type);
  program_.bytes = std::max(program_.bytes, static_cast<std::uint64_t>(count) * bytes * blocks);
  return {count, name, bytes};
}

std::string RankWriter::stream(const Event& event) const {
  return fmt::format("stream({})", literal(event.extras.stream()));
}

}  // namespace petri::nccl
