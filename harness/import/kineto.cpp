#include "harness/import/kineto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "harness/import/contains.hpp"
#include "harness/import/json_pieces.hpp"
#include "harness/import/kineto_events.hpp"
#include "harness/import/trace_turns.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/error.hpp"

namespace petri {
namespace {

constexpr std::size_t kSearchedBytes = std::size_t{16} << 20;

// Chrome traces are written by many programs: one of Kineto has collectives soon, or none at all.
bool has_collectives(const TraceFile& file) {
  const std::unique_ptr<ByteStream> stream = file.open();
  constexpr std::string_view kMark = "\"Collective name\"";
  std::string chunk(std::size_t{1} << 16, '\0');
  std::size_t kept = 0;
  for (std::size_t seen = 0; seen < kSearchedBytes;) {
    const std::size_t count = stream->read(chunk.data() + kept, chunk.size() - kept);
    if (count == 0) return false;
    seen += count;
    const std::size_t filled = kept + count;
    if (contains({chunk.data(), filled}, kMark)) return true;
    kept = std::min(filled, kMark.size() - 1);
    std::memmove(chunk.data(), chunk.data() + filled - kept, kept);
  }
  return false;
}

struct Read {
  std::unique_ptr<KinetoEvents> events;
  bool cut = false;
};

Read read_file(const TraceFile& file) {
  const std::unique_ptr<ByteStream> stream = file.open();
  JsonPieces pieces(*stream, file.name, "traceEvents", {"distributedInfo", "baseTimeNanoseconds"});
  Read read{std::make_unique<KinetoEvents>(file.name, file.leaf)};
  JsonPiece piece;
  while (pieces.next(piece))
    if (!piece.key.empty() || KinetoEvents::may_matter(piece.text)) read.events->take(piece);
  read.events->finish();
  read.cut = pieces.cut();
  return read;
}

}  // namespace

bool is_kineto_trace(const TraceFile& file) {
  const std::string_view head = file.head;
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || (head[begin] != '{' && head[begin] != '[')) return false;
  const bool events = contains(head, "\"traceEvents\"");
  if (contains(head, "\"schemaVersion\"") && (events || contains(head, "\"deviceProperties\""))) return true;
  return (events || contains(head, "\"ph\"") || contains(head, "\"distributedInfo\"")) && has_collectives(file);
}

Scenario read_kineto_traces(const std::vector<TraceFile>& files, ImportNotes& notes) {
  TracedJob job;
  TorchLeftOut left_out;
  std::uint64_t calls = 0, bare = 0, scheduled = 0;
  read_in_turns(files, read_file, [&](const TraceFile& file, Read read) {
    TorchRank& rank = read.events->rank();
    left_out.add(rank);
    bare += read.events->kernels_without_call();
    if (!read.events->problem().empty()) notes.warnings.push_back(file.name + ": " + read.events->problem());
    if (read.cut) notes.warnings.push_back(file.name + ": the file breaks off; what is there is taken");
    TracedRank traced = rank.finish();
    traced.cut = read.cut;
    calls += traced.calls.size();
    for (const TracedCall& call : traced.calls) scheduled += call.event.state == EventState::scheduled ? 1 : 0;
    job.add(std::move(traced));
  });
  if (calls == 0)
    left_out.refuse(
        files.front().name,
        "an event with a \"Collective name\" was expected, as PyTorch's profiler writes them from release 2.2 on");
  Scenario scenario = job.finish(notes);
  notes.facts.push_back("not recorded: reduction operations, tags of messages, roots in some releases");
  left_out.say(notes);
  if (bare > 0)
    notes.facts.push_back(
        fmt::format("left out: {} of communication that tell no collective", counted(bare, "kernel")));
  if (scheduled > 0)
    notes.facts.push_back(fmt::format("enqueued, with no kernel that ended: {}", counted(scheduled, "call")));
  return scenario;
}

}  // namespace petri
