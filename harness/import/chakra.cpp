#include "harness/import/chakra.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "harness/import/chakra_file.hpp"
#include "harness/import/chakra_order.hpp"
#include "harness/import/torch_words.hpp"
#include "harness/import/trace_turns.hpp"
#include "harness/import/traced_job.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/error.hpp"

namespace petri {
namespace {

// et_def.proto, enum CollectiveCommType.
constexpr std::array<Op, 10> kCollectives{Op::allreduce,
                                          Op::reduce,
                                          Op::allgather,
                                          Op::gather,
                                          Op::scatter,
                                          Op::bcast,
                                          Op::alltoall,
                                          Op::reduce_scatter_block,
                                          Op::reduce_scatter_block,
                                          Op::barrier};

struct Tally {
  std::uint64_t launches = 0, others = 0, unknown = 0, calls = 0;
  std::uint64_t kernels = 0;          // calls that NCCL made
  std::uint64_t without_control = 0;  // files in which control dependencies do not tell the order
  void add(const Tally& more) {
    launches += more.launches;
    others += more.others;
    unknown += more.unknown;
    calls += more.calls;
    kernels += more.kernels;
    without_control += more.without_control;
  }
};

std::int32_t rank_or_unset(std::optional<std::int64_t> rank) {
  return rank && *rank >= 0 && *rank < kMaxWorld ? static_cast<std::int32_t>(*rank) : kUnset;
}

// The communication of one file.
class Reader {
 public:
  explicit Reader(const TraceFile& file) : file_(file) {
    traced_.file = file.name;
    traced_.leaf = file.leaf;
  }

  void read(std::vector<std::string>& warnings) {
    std::vector<std::pair<std::uint32_t, TracedCall>> found;  // with the place in the file
    ChakraOrder graph;
    ChakraNode node;
    std::uint32_t place = 0;
    while (file_.next(node)) {
      if (place == std::numeric_limits<std::uint32_t>::max())
        throw InputError(traced_.file, 0, 0, "more nodes than are read");
      graph.add(node.id, node.data_deps, node.ctrl_deps);
      if (!node.input_values.empty()) take_groups(node.input_values);
      if (std::optional<TracedCall> call = call_of(node)) found.emplace_back(place, *std::move(call));
      ++place;
    }
    traced_.cut = file_.cut();
    traced_.whole_run = !file_.metadata().profiled;
    traced_.rank = std::max(-1, rank_or_unset(file_.metadata().rank));
    if (traced_.cut) warnings.push_back(traced_.file + ": the file breaks off; what is there is taken");
    ChakraOrder::Kept kept = ChakraOrder::Kept::all;
    put_in_order(std::move(found), graph.order(kept));
    tally_.without_control = kept == ChakraOrder::Kept::data ? 1 : 0;
    if (kept == ChakraOrder::Kept::part)
      warnings.push_back(traced_.file + ": nodes depend on each other in a circle, and come last");
    tally_.calls = traced_.calls.size();
  }

  TracedRank& traced() { return traced_; }
  const Tally& tally() const { return tally_; }

 private:
  void put_in_order(std::vector<std::pair<std::uint32_t, TracedCall>> found, const std::vector<std::uint32_t>& order) {
    std::vector<std::uint32_t> turn(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) turn[order[i]] = i;
    std::sort(found.begin(), found.end(), [&](const auto& a, const auto& b) { return turn[a.first] < turn[b.first]; });
    for (auto& [place, call] : found) traced_.calls.push_back(std::move(call));
  }

  // Written as Python shows a list with one text: ['[{"pg_name": …}]'].
  void take_groups(const std::string& values) {
    const std::size_t begin = values.find("[{"), end = values.rfind("}]");
    if (begin == std::string::npos || end == std::string::npos || end < begin) return;
    simdjson::dom::parser parser;
    simdjson::dom::element list;
    if (parser.parse(values.substr(begin, end + 2 - begin)).get(list) != simdjson::SUCCESS) return;
    for (TracedGroup& group : read_torch_groups(list))
      if (numbers_.try_emplace(group.name, static_cast<std::int32_t>(traced_.groups.size())).second)
        traced_.groups.push_back(std::move(group));
  }

  // Groups that are listed stand before the calls on them; one without a name is of all ranks.
  std::int32_t group_of(const std::string& name) {
    const auto [place, fresh] = numbers_.try_emplace(name, static_cast<std::int32_t>(traced_.groups.size()));
    if (fresh) {
      TracedGroup group;
      group.name = name;
      group.everyone = name.empty();
      traced_.groups.push_back(std::move(group));
    }
    return place->second;
  }

  std::optional<TracedCall> call_of(const ChakraNode& node) {
    TracedCall call;
    Event& event = call.event;
    if (node.type == kChakraCollective && !node.comm_type) {
      ++(node.is_cpu_op.value_or(0) != 0 ? tally_.launches : tally_.unknown);
      return std::nullopt;
    }
    if (node.type == kChakraCollective) {
      if (*node.comm_type < 0 || *node.comm_type >= static_cast<std::int64_t>(kCollectives.size())) {
        ++tally_.unknown;
        return std::nullopt;
      }
      event.op = kCollectives[static_cast<std::size_t>(*node.comm_type)];
      if (is_rooted(event.op)) event.root = rank_or_unset(node.root);
      call.counts_all = true;
    } else if (node.type == kChakraSend || node.type == kChakraRecv) {
      event.op = node.type == kChakraSend ? Op::send : Op::recv;
      event.peer = rank_or_unset(node.type == kChakraSend ? node.comm_dst : node.comm_src);
      call.peer_is_global = true;
      if (node.comm_tag && *node.comm_tag >= 0 && *node.comm_tag <= std::numeric_limits<std::int32_t>::max())
        event.tag = static_cast<std::int32_t>(*node.comm_tag);
    } else {
      ++tally_.others;
      return std::nullopt;
    }
    if (node.name.starts_with("nccl")) ++tally_.kernels;
    event.comm = group_of(node.pg_name);
    if (event.op != Op::barrier && node.comm_size && *node.comm_size >= 0) {
      event.count = *node.comm_size;
      event.dtype = ElementType::byte;
    }
    if (file_.metadata().profiled) event.state = EventState::completed;  // a profiler writes what has ended
    if (node.start_micros > 0) call.time = static_cast<double>(node.start_micros) * 1e-6;
    return call;
  }

  ChakraFile file_;
  TracedRank traced_;
  std::unordered_map<std::string, std::int32_t> numbers_;  // of groups, by name
  Tally tally_;
};

struct Read {
  TracedRank traced;
  Tally tally;
  std::vector<std::string> warnings;
};

Read read_file(const TraceFile& file) {
  Read read;
  Reader reader(file);
  reader.read(read.warnings);
  read.traced = std::move(reader.traced());
  read.tally = reader.tally();
  return read;
}

void say_left_out(const Tally& tally, ImportNotes& notes) {
  notes.facts.push_back(
      "counts are bytes; not recorded: element types, reduction operations, and in most releases roots; dimensions of "
      "the network (involved_dim) are left out");
  if (tally.without_control > 0)
    notes.facts.push_back(
        fmt::format("the order is that of data dependencies alone, as control dependencies contradict "
                    "them: in {}",
                    counted(tally.without_control, "file")));
  if (tally.others > 0)
    notes.facts.push_back(
        fmt::format("left out: {} that compute or move data within a rank", counted(tally.others, "node")));
  if (tally.launches > 0)
    notes.facts.push_back(fmt::format("left out: {} of the host that launch a call", counted(tally.launches, "node")));
  if (tally.unknown > 0)
    notes.warnings.push_back(
        fmt::format("left out: {} of collectives of a kind that is not known", counted(tally.unknown, "node")));
}

}  // namespace

bool is_chakra_trace(const TraceFile& file) {
  return looks_like_chakra(file.head);
}

Scenario read_chakra_traces(const std::vector<TraceFile>& files, ImportNotes& notes) {
  TracedJob job;
  Tally tally;
  read_in_turns(files, read_file, [&](const TraceFile&, Read read) {
    tally.add(read.tally);
    notes.warnings.insert(notes.warnings.end(), read.warnings.begin(), read.warnings.end());
    job.add(std::move(read.traced));
  });
  if (tally.calls == 0)
    throw InputError(files.front().name, 0, 0, "no communication is there: nodes of types 5, 6 or 7 were expected");
  Scenario scenario = job.finish(notes);
  if (tally.kernels == tally.calls) scenario.header.backend = "nccl";
  say_left_out(tally, notes);
  return scenario;
}

}  // namespace petri
