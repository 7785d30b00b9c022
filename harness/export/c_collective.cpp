// Collectives, blocking and nonblocking (MPI 4.1, chapter 6).
#include <fmt/format.h>

#include <climits>
#include <numeric>

#include "harness/export/c_rank.hpp"
#include "harness/export/c_text.hpp"

namespace petri::c {
namespace {

constexpr std::int64_t kRoomPerElement = 32;  // bytes between the blocks of alltoallw: enough for any type

}  // namespace

// The counts of a v-variant with the displacements that put the blocks side by side, as arrays that outlive the call: a
// nonblocking one reads them until it is complete.
struct RankWriter::Layout {
  std::string counts, places;  // names of the arrays
  std::int64_t total = 0;      // elements of all blocks
};

std::size_t RankWriter::known_size(const Event& event) const {
  const Communicator& comm = scenario_.comm_of(event);
  return comm.known ? comm.ranks.size() : 0;
}

RankWriter::Layout RankWriter::layout(const Event& event, const char* name, const std::vector<std::int64_t>& own,
                                      const std::vector<std::int64_t>& both, std::int64_t each, std::int64_t unit) {
  std::vector<std::int64_t> counts = own.empty() ? both : own;
  const std::size_t size = known_size(event);
  if (counts.empty() && size == 0) reject("has no counts, on a communicator of unknown size");
  if (counts.empty()) {
    note(fmt::format("counts not recorded: {} for each", each));
    counts.assign(size, each);
  }
  if (size != 0 && counts.size() != size) reject(fmt::format("has {} counts for {} members", counts.size(), size));
  std::vector<std::int64_t> places;
  Layout layout{fmt::format("{}counts", name), fmt::format("{}places", name), 0};
  for (const std::int64_t count : counts) {
    if (count > INT_MAX || layout.total > INT_MAX / unit) reject("has counts of more than an int holds");
    places.push_back(layout.total * unit);
    layout.total += count;
  }
  put(fmt::format("static const int {}[] = {{{}}};", layout.counts, join(counts)));
  if (event.op != Op::reduce_scatter && event.op != Op::ireduce_scatter)
    put(fmt::format("static const int {}[] = {{{}}};", layout.places, join(places)));
  return layout;
}

// `count` elements for each member.
std::string RankWriter::times_size(const Event& event, std::int64_t count) {
  if (const std::size_t size = known_size(event)) return fmt::format("{}", count * static_cast<std::int64_t>(size));
  program_.helpers.insert(Helper::size_of);
  return fmt::format("{} * size_of({})", count, comm_of(event));
}

std::string RankWriter::reduction(const Event& event) {
  if (event.reduce == ReduceOp::unknown) note("operation not recorded: sum");
  if (event.reduce == ReduceOp::avg) note("average: MPI has none, so the sum");
  if (event.reduce == ReduceOp::user) program_.helpers.insert(Helper::user_operation);
  return std::string(reduce_name(event.reduce));
}

std::vector<std::string> RankWriter::plain_arguments(const Event& event, std::string_view family) {
  if (family == "barrier") return {};
  if (family == "bcast") {
    const Amount data = amount(event.count, event.dtype, true);
    return {room("in", event, data), data.count_text, data.type_text, root_of(event)};
  }
  const bool same = event.extras->recvcount == kUnknownCount && event.extras->recvtype == ElementType::unknown;
  const Amount from = sent(event, false);
  if (reduces(event.op)) {
    const std::string op = reduction(event);
    const std::string out = family == "reduce_scatter_block" ? times_size(event, from.count) : from.count_text;
    std::vector<std::string> arguments{room("out", event, out, from.type_text), room("in", event, from),
                                       from.count_text, from.type_text, op};
    if (is_rooted(event.op)) arguments.push_back(root_of(event));
    return arguments;
  }
  const Amount to = same ? from : received(event, false);
  const bool spreads = family == "scatter" || family == "alltoall";  // one block for each member goes out
  const bool collects = family != "scatter";                         // one from each comes in
  std::vector<std::string> arguments{
      room("out", event, spreads ? times_size(event, from.count) : from.count_text, from.type_text),
      from.count_text,
      from.type_text,
      room("in", event, collects ? times_size(event, to.count) : to.count_text, to.type_text),
      to.count_text,
      to.type_text};
  if (is_rooted(event.op)) arguments.push_back(root_of(event));
  return arguments;
}

std::vector<std::string> RankWriter::vector_arguments(const Event& event, std::string_view family) {
  const EventExtras& extras = event.extras.get();
  const Amount from = sent(event, false);
  if (family == "reduce_scatter") {
    const Layout blocks = layout(event, "", extras.recvcounts, extras.counts, from.count, 1);
    return {room("out", event, std::to_string(blocks.total), from.type_text),
            room("in", event, std::to_string(blocks.total), from.type_text), blocks.counts, from.type_text,
            reduction(event)};
  }
  const bool same = extras.recvcount == kUnknownCount && extras.recvtype == ElementType::unknown;
  const Amount to = same ? from : received(event, false);
  if (family == "scatterv") {
    const Layout out = layout(event, "", extras.sendcounts, extras.counts, from.count, 1);
    return {room("out", event, std::to_string(out.total), from.type_text),
            out.counts,
            out.places,
            from.type_text,
            room("in", event, to),
            to.count_text,
            to.type_text,
            root_of(event)};
  }
  if (family == "gatherv" || family == "allgatherv") {
    const Layout in = layout(event, "", extras.recvcounts, extras.counts, to.count, 1);
    std::vector<std::string> arguments{room("out", event, from),
                                       from.count_text,
                                       from.type_text,
                                       room("in", event, std::to_string(in.total), to.type_text),
                                       in.counts,
                                       in.places,
                                       to.type_text};
    if (is_rooted(event.op)) arguments.push_back(root_of(event));
    return arguments;
  }
  if (family == "alltoallv") {
    const Layout out = layout(event, "send", extras.sendcounts, extras.counts, from.count, 1);
    const Layout in = layout(event, "recv", extras.recvcounts, extras.counts, to.count, 1);
    return {room("out", event, std::to_string(out.total), from.type_text), out.counts, out.places, from.type_text,
            room("in", event, std::to_string(in.total), to.type_text),     in.counts,  in.places,  to.type_text};
  }
  const Layout out = layout(event, "send", extras.sendcounts, extras.counts, from.count, kRoomPerElement);
  const Layout in = layout(event, "recv", extras.recvcounts, extras.counts, to.count, kRoomPerElement);
  const std::size_t size = std::max(known_size(event), std::max(extras.sendcounts.size(), extras.counts.size()));
  put(fmt::format("static MPI_Datatype sendtypes[{0}], recvtypes[{0}];", size));
  put("int k;");
  put(fmt::format("for (k = 0; k < {}; ++k) {{", size));
  put(fmt::format("  sendtypes[k] = {};", from.type_text));
  put(fmt::format("  recvtypes[k] = {};", to.type_text));
  put("}");
  return {
      room("out", event, std::to_string(out.total * kRoomPerElement), "MPI_BYTE"), out.counts, out.places, "sendtypes",
      room("in", event, std::to_string(in.total * kRoomPerElement), "MPI_BYTE"),   in.counts,  in.places,  "recvtypes"};
}

void RankWriter::write_collective(const Event& event) {
  const OpInfo& op = info(event.op);
  if ((op.traits & kNeighbor) != 0) reject("needs a topology: such a program cannot be written yet");
  const bool vector = (op.traits & kVector) != 0;
  if (vector) {
    put("{");
    indent_ += "  ";
  }
  std::vector<std::string> arguments = vector ? vector_arguments(event, op.family) : plain_arguments(event, op.family);
  arguments.push_back(comm_of(event));
  if (op.form == OpForm::nonblocking) arguments.push_back(request_of(event));
  put(fmt::format("{}({});", function_name(event.op), join(arguments, ", ")));
  if (vector) {
    indent_.resize(indent_.size() - 2);
    put("}");
  }
}

}  // namespace petri::c
