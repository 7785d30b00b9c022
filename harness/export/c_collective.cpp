// Collectives in all their forms (MPI 4.1, chapter 6), those along a topology among them (chapter 8).
#include <fmt/format.h>

#include <algorithm>
#include <climits>

#include "harness/export/c_rank.hpp"
#include "harness/export/c_text.hpp"

namespace petri::c {
namespace {

constexpr std::int64_t kRoomPerElement = 32;  // bytes between the blocks of alltoallw: enough for any type

bool is_neighbour(const Event& event) {
  return (info(event.op).traits & kNeighbor) != 0;
}

// Calls of one family have the same arguments along a topology as among all members.
std::string_view family_of(const Event& event) {
  constexpr std::string_view kPrefix = "neighbor_";
  const std::string_view family = info(event.op).family;
  return is_neighbour(event) ? family.substr(kPrefix.size()) : family;
}

}  // namespace

// The blocks that a call with one for each process sends and receives: of the members, of the other group on an
// intercommunicator, or of the neighbours. Nothing where the members are not known.
RankWriter::Blocks RankWriter::blocks_of(const Event& event) const {
  if (is_neighbour(event)) {
    const auto neighbours = neighbours_.find(event.comm);
    if (neighbours == neighbours_.end()) reject("cannot be written: no event makes the topology of its communicator");
    return neighbours->second;
  }
  const Communicator& comm = scenario_.comm_of(event);
  if (!comm.known) return {};
  // What a scattered reduction gives to each member stays in its own group (MPI 4.1, section 6.10).
  const bool within = family_of(event).substr(0, 14) == "reduce_scatter";
  const bool first = comm.group_rank_of(rank_) >= 0;
  const std::size_t own = first || !comm.is_inter() ? comm.ranks.size() : comm.remote.size();
  const std::size_t size = within ? own : comm.peers_of(rank_).size();
  return {size, size};
}

// The counts of a v-variant with the displacements that put the blocks side by side, as arrays that outlive the call: a
// nonblocking one reads them until it is complete.
struct RankWriter::Layout {
  std::string counts, places;  // names of the arrays
  std::int64_t total = 0;      // elements of all blocks
};

RankWriter::Layout RankWriter::layout(const Event& event, const char* name, const std::vector<std::int64_t>& own,
                                      const std::vector<std::int64_t>& both, std::int64_t each,
                                      std::optional<std::size_t> blocks, std::int64_t unit) {
  std::vector<std::int64_t> counts = own.empty() ? both : own;
  if (counts.empty() && !blocks) reject("has no counts, on a communicator of unknown size");
  if (counts.empty() && *blocks > 0) {
    note(fmt::format("counts not recorded: {} for each", each));
    counts.assign(*blocks, each);
  }
  if (blocks && counts.size() != *blocks)
    reject(
        fmt::format("has {} counts for {} {}", counts.size(), *blocks, is_neighbour(event) ? "neighbours" : "members"));
  std::vector<std::int64_t> places;
  Layout layout{fmt::format("{}counts", name), fmt::format("{}places", name), 0};
  for (const std::int64_t count : counts) {
    if (count > INT_MAX || layout.total > INT_MAX / unit) reject("has counts of more than an int holds");
    places.push_back(layout.total * unit);
    layout.total += count;
  }
  put_array("int", layout.counts, counts);
  // Displacements along a topology with types of their own are addresses (MPI 4.1, section 8.6.3).
  const bool addresses = info(event.op).family == "neighbor_alltoallw";
  if (family_of(event) != "reduce_scatter") put_array(addresses ? "MPI_Aint" : "int", layout.places, places);
  return layout;
}

// `count` elements for each block.
std::string RankWriter::times(std::int64_t count, std::optional<std::size_t> blocks, const Event& event) {
  if (blocks) return fmt::format("{}", count * static_cast<std::int64_t>(*blocks));
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
    const Amount data = amount({event.count, event.dtype}, true);
    return {room("in", event, data), data.count_text, data.type_text, root_of(event)};
  }
  const bool same = event.extras.recvcount() == kUnknownCount && event.extras.recvtype() == ElementType::unknown;
  const Amount from = sent(event, false);
  if (reduces(event.op)) {
    const std::string op = reduction(event);
    const std::string out =
        family == "reduce_scatter_block" ? times(from.count, blocks_of(event).out, event) : from.count_text;
    std::vector<std::string> arguments{room("out", event, out, from.type_text), room("in", event, from),
                                       from.count_text, from.type_text, op};
    if (is_rooted(event.op)) arguments.push_back(root_of(event));
    return arguments;
  }
  const Amount to = same ? from : received(event, false);
  const Blocks blocks = blocks_of(event);
  const bool spreads = family == "scatter" || family == "alltoall";  // one block for each member goes out
  const bool collects = family != "scatter";                         // one from each comes in
  std::vector<std::string> arguments{
      room("out", event, spreads ? times(from.count, blocks.out, event) : from.count_text, from.type_text),
      from.count_text,
      from.type_text,
      room("in", event, collects ? times(to.count, blocks.in, event) : to.count_text, to.type_text),
      to.count_text,
      to.type_text};
  if (is_rooted(event.op)) arguments.push_back(root_of(event));
  return arguments;
}

std::vector<std::string> RankWriter::vector_arguments(const Event& event, std::string_view family) {
  const EventExtras& extras = event.extras;
  const Blocks blocks = blocks_of(event);
  const Amount from = sent(event, false);
  if (family == "reduce_scatter") {
    const Layout each = layout(event, "", extras.recvcounts(), extras.counts(), from.count, blocks.in, 1);
    const std::string total = std::to_string(each.total);
    return {room("out", event, total, from.type_text), room("in", event, total, from.type_text), each.counts,
            from.type_text, reduction(event)};
  }
  const bool same = extras.recvcount() == kUnknownCount && extras.recvtype() == ElementType::unknown;
  const Amount to = same ? from : received(event, false);
  if (family == "scatterv") {
    const Layout out = layout(event, "", extras.sendcounts(), extras.counts(), from.count, blocks.out, 1);
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
    const Layout in = layout(event, "", extras.recvcounts(), extras.counts(), to.count, blocks.in, 1);
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
    const Layout out = layout(event, "send", extras.sendcounts(), extras.counts(), from.count, blocks.out, 1);
    const Layout in = layout(event, "recv", extras.recvcounts(), extras.counts(), to.count, blocks.in, 1);
    return {room("out", event, std::to_string(out.total), from.type_text), out.counts, out.places, from.type_text,
            room("in", event, std::to_string(in.total), to.type_text),     in.counts,  in.places,  to.type_text};
  }
  const Layout out =
      layout(event, "send", extras.sendcounts(), extras.counts(), from.count, blocks.out, kRoomPerElement);
  const Layout in = layout(event, "recv", extras.recvcounts(), extras.counts(), to.count, blocks.in, kRoomPerElement);
  const std::size_t size = std::max({std::size_t{1}, blocks.out.value_or(0), blocks.in.value_or(0),
                                     extras.sendcounts().size(), extras.recvcounts().size(), extras.counts().size()});
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
  const bool vector = (op.traits & kVector) != 0;
  if (vector) {
    put("{");
    indent_ += "  ";
  }
  std::vector<std::string> arguments =
      vector ? vector_arguments(event, family_of(event)) : plain_arguments(event, family_of(event));
  arguments.push_back(comm_of(event));
  if (op.form == OpForm::persistent) {
    program_.persistent_collectives.insert(function_name(event.op));
    arguments.emplace_back("MPI_INFO_NULL");
  }
  if (op.form != OpForm::blocking) arguments.push_back(request_of(event));
  put(fmt::format("{}({});", function_name(event.op), join(arguments, ", ")));
  if (vector) {
    indent_.resize(indent_.size() - 2);
    put("}");
  }
}

}  // namespace petri::c
