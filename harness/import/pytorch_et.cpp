#include "harness/import/pytorch_et.hpp"

#include <memory>
#include <utility>

#include "harness/import/json_pieces.hpp"
#include "harness/import/pytorch_et_nodes.hpp"
#include "harness/import/trace_turns.hpp"
#include "harness/trace/error.hpp"

namespace petri {
namespace {

struct Read {
  std::unique_ptr<PytorchEtNodes> nodes;
  bool cut = false;
};

Read read_file(const TraceFile& file) {
  const std::unique_ptr<ByteStream> stream = file.open();
  JsonPieces pieces(*stream, file.name, "nodes", {});
  Read read{std::make_unique<PytorchEtNodes>(file.name, file.leaf)};
  JsonPiece piece;
  while (pieces.next(piece))
    if (PytorchEtNodes::may_matter(piece.text)) read.nodes->take(piece);
  read.nodes->finish();
  read.cut = pieces.cut();
  return read;
}

}  // namespace

bool is_pytorch_et(const TraceFile& file) {
  const std::string_view head = file.head;
  const auto has = [&](std::string_view part) { return head.find(part) != std::string_view::npos; };
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && head[begin] == '{' && has("\"schema\"") && has("\"nodes\"") &&
         (has("\"start_ts\"") || has("[pytorch|profiler|") || has("\"ctrl_deps\"") || has("\"rf_id\""));
}

Scenario read_pytorch_ets(const std::vector<TraceFile>& files, ImportNotes& notes) {
  TracedJob job;
  TorchLeftOut left_out;
  std::uint64_t calls = 0;
  read_in_turns(files, read_file, [&](const TraceFile& file, Read read) {
    TorchRank& rank = read.nodes->rank();
    left_out.add(rank);
    if (read.cut) notes.warnings.push_back(file.name + ": the file breaks off; what is there is taken");
    TracedRank traced = rank.finish();
    traced.cut = read.cut;
    calls += traced.calls.size();
    job.add(std::move(traced));
  });
  if (calls == 0) left_out.refuse(files.front().name, "a node named \"record_param_comms\" was expected");
  Scenario scenario = job.finish(notes);
  notes.facts.push_back(
      "a node says that a call returned, which on a device is when it was enqueued; not recorded: reduction "
      "operations, tags, times");
  left_out.say(notes);
  return scenario;
}

}  // namespace petri
