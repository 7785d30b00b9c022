#include "harness/trace/write.hpp"

#include <algorithm>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "harness/trace/op_keys.hpp"
#include "harness/trace/printable.hpp"
#include "harness/trace/whole_file.hpp"

namespace petri {
namespace {

using json = nlohmann::ordered_json;
using FreeKeys = std::vector<std::pair<std::string, std::string>>;

json word_or_number(std::int32_t value) {
  switch (value) {
    case kAny: return "any";
    case kNull: return "null";
    case kRootHere: return "root";
    default: return value;
  }
}

// JSON has no NaN and no infinities, and many readers drop the sign of a zero.
json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == 0 && std::signbit(value)) return "-0";
  return value;
}

void put_text(json& line, const char* key, const std::string& text) {
  if (!text.empty()) line[key] = text;
}

void put_argument(json& line, const char* key, std::int32_t value) {
  if (value != kUnset) line[key] = word_or_number(value);
}

void put_count(json& line, const char* key, std::int64_t value) {
  if (value != kUnknownCount) line[key] = value;
}

// A list that the operation needs stands there even when it is empty: so many, none, is what the call says.
template <class T>
void put_needed_list(json& line, Key key, const Event& event, PackedNumbers<T> list) {
  const auto& needs = op_keys(event.op).needs;
  if (!list.empty() || std::find(needs.begin(), needs.end(), std::vector{key}) != needs.end())
    line[std::string(name_of(key))] = list.vector();
}

template <class T>
void put_list(json& line, const char* key, const std::vector<T>& list) {
  if (!list.empty()) line[key] = list;
}

template <class T>
void put_list(json& line, const char* key, PackedNumbers<T> list) {
  if (!list.empty()) line[key] = list.vector();
}

void put_type(json& line, const char* key, ElementType type) {
  if (type != ElementType::unknown) line[key] = name_of(type);
}

void put_optional(json& line, const char* key, const std::optional<double>& value) {
  if (value) line[key] = number(*value);
}

json outcome(const Outcome& outcome) {
  if (outcome.absent && !outcome.verdict && outcome.signature.empty()) return "absent";
  json object = json::object();
  if (outcome.verdict) object["verdict"] = name_of(*outcome.verdict);
  put_text(object, "signature", outcome.signature);
  if (outcome.absent) object["absent"] = true;
  return object;
}

json origin(const Origin& origin) {
  json object = json::object();
  put_text(object, "source", origin.source);
  put_text(object, "digest", origin.digest);
  put_list(object, "ranks", origin.ranks);
  return object;
}

json header(const Header& header) {
  json line;
  line["petri"] = kFormatVersion;
  put_text(line, "job", header.job);
  line["world"] = header.world;
  put_text(line, "backend", header.backend);
  put_list(line, "hosts", header.hosts);
  put_list(line, "devices", header.devices);
  for (const auto& [name, value] : header.environment) line["environment"][name] = value;
  if (header.origin) line["origin"] = origin(*header.origin);
  if (header.observed) line["observed"] = outcome(*header.observed);
  if (header.observed && line["observed"] == "absent") line["observed"] = json{{"absent", true}};
  if (header.expect) line["expect"] = outcome(*header.expect);
  return line;
}

json communicator(const Communicator& comm) {
  json line;
  line["comm"] = comm.name;
  if (comm.known)
    line["ranks"] = comm.ranks;
  else
    line["ranks"] = "unknown";
  put_list(line, "remote", comm.remote);
  put_text(line, "parent", comm.parent);
  put_text(line, "backend", comm.backend);
  put_text(line, "label", comm.label);
  return line;
}

// Group ranks among which some may be MPI_PROC_NULL.
void put_ranks(json& line, const char* key, PackedNumbers<std::int32_t> ranks) {
  for (const std::int32_t rank : ranks) line[key].push_back(word_or_number(rank));
}

void put_buffer(json& line, const char* key, const std::optional<Buffer>& buffer) {
  if (buffer) line[key] = {buffer->address, buffer->bytes};
}

json summary(const Summary& summary) {
  json object = json::object();
  put_text(object, "digest", summary.digest);
  put_optional(object, "min", summary.min);
  put_optional(object, "max", summary.max);
  put_optional(object, "sum", summary.sum);
  put_optional(object, "norm", summary.norm);
  if (summary.nan) object["nan"] = *summary.nan;
  if (summary.inf) object["inf"] = *summary.inf;
  return object;
}

void put_creation(json& line, const Scenario& scenario, const Event& event, const EventExtras& extras) {
  put_text(line, "remote", extras.remote());
  if (event.extras.new_comm() != kNoComm)
    line["new"] = scenario.comms.at(static_cast<std::size_t>(event.extras.new_comm())).name;
  put_needed_list(line, Key::ranks_, event, extras.ranks());
  if (extras.color()) line["color"] = word_or_number(*extras.color());
  if (extras.key()) line["key"] = *extras.key();
  put_ranks(line, "sources", extras.sources());
  put_ranks(line, "destinations", extras.destinations());
  put_list(line, "dims", extras.dims());
  put_list(line, "periods", extras.periods());
}

void put_data(json& line, const Event& event, const EventExtras& extras) {
  put_count(line, "count", event.count);
  put_list(line, "counts", extras.counts());
  put_type(line, "dtype", event.dtype);
  if (event.reduce != ReduceOp::unknown) line["reduce"] = name_of(event.reduce);
  put_argument(line, "root", event.root);
  put_argument(line, "peer", event.peer);
  put_argument(line, "tag", event.tag);
  put_argument(line, "sendpeer", extras.sendpeer());
  put_argument(line, "sendtag", extras.sendtag());
  put_count(line, "sendcount", extras.sendcount());
  put_list(line, "sendcounts", extras.sendcounts());
  put_type(line, "sendtype", extras.sendtype());
  put_argument(line, "recvpeer", extras.recvpeer());
  put_argument(line, "recvtag", extras.recvtag());
  put_count(line, "recvcount", extras.recvcount());
  put_list(line, "recvcounts", extras.recvcounts());
  put_type(line, "recvtype", extras.recvtype());
  put_argument(line, "matched", extras.matched());
}

void put_completion(json& line, const Event& event, const EventExtras& extras) {
  if (extras.message()) line["message"] = *extras.message();
  if (event.request != kNoRequest) line["request"] = event.request;
  put_needed_list(line, Key::requests_, event, extras.requests());
  if (event.flag >= 0) line["flag"] = event.flag != 0;
  if (extras.index()) line["index"] = word_or_number(*extras.index());
  put_needed_list(line, Key::indices_, event, extras.indices());
  if (extras.polls() != 0) line["polls"] = extras.polls();
  if (extras.partitions()) line["partitions"] = *extras.partitions();
}

void put_memory(json& line, const EventExtras& extras) {
  put_text(line, "win", extras.win());
  if (extras.target()) line["target"] = word_or_number(*extras.target());
  put_text(line, "lock", extras.lock());
  put_text(line, "assert", extras.assertions());
  if (extras.disp()) line["disp"] = *extras.disp();
  put_text(line, "file", extras.file());
  put_text(line, "path", extras.path());
  put_text(line, "mode", extras.mode());
  put_buffer(line, "sendbuffer", extras.sendbuffer());
  put_buffer(line, "recvbuffer", extras.recvbuffer());
}

void put_place(json& line, const Event& event, const EventExtras& extras) {
  if (extras.thread()) line["thread"] = *extras.thread();
  if (extras.device()) line["device"] = *extras.device();
  put_text(line, "stream", extras.stream());
  put_text(line, "event", extras.event());
  put_argument(line, "step", event.step);
  put_argument(line, "microbatch", event.microbatch);
  put_text(line, "category", extras.category());
  put_argument(line, "coll_seq", event.extras.coll_seq());
  put_text(line, "value", extras.value());
}

void put_payload(json& line, const EventExtras& extras) {
  if (extras.in()) line["in"] = summary(*extras.in());
  if (extras.out()) line["out"] = summary(*extras.out());
  if (!extras.orders().empty()) line["orders"] = extras.orders();
  for (const double value : extras.values()) line["values"].push_back(number(value));
  if (extras.fill())
    line["fill"] = {{"generator", name_of(extras.fill()->generator)},
                    {"seed", extras.fill()->seed},
                    {"scale", number(extras.fill()->scale)}};
  put_text(line, "npy", extras.npy());
}

void put_outcome(json& line, const Scenario& scenario, const Event& event, const EventExtras& extras, double time) {
  static constexpr const char* kStates[] = {"", "scheduled", "started", "completed"};
  put_text(line, "state", kStates[static_cast<std::size_t>(event.state)]);
  put_text(line, "error", extras.error());
  if (!std::isnan(time)) line["time"] = number(time);
  put_text(line, "site", scenario.site_of(event));
}

json event(const Scenario& scenario, std::size_t rank, std::size_t position) {
  const Event& event = scenario.ranks[rank].events[position];
  const EventExtras& extras = event.extras;
  json line;
  line["rank"] = rank;
  if (event.seq != position) line["seq"] = event.seq;
  line["op"] = name_of(event.op);
  if (event.comm != 0) line["comm"] = scenario.comm_of(event).name;
  put_creation(line, scenario, event, extras);
  put_data(line, event, extras);
  put_completion(line, event, extras);
  put_memory(line, extras);
  put_place(line, event, extras);
  put_payload(line, extras);
  put_outcome(line, scenario, event, extras, scenario.ranks[rank].time_of(position));
  return line;
}

json rank_end(const Scenario& scenario, std::size_t rank) {
  const RankEnd& end = scenario.ranks[rank].end;
  json line;
  line["rank"] = rank;
  line["end"] = name_of(end.kind);
  line["dropped"] = end.dropped;
  for (const auto& [comm, position] : end.joined)
    line["joined"][scenario.comms[static_cast<std::size_t>(comm)].name] = position;
  if (end.signal != 0) line["signal"] = end.signal;
  if (end.status != 0) line["status"] = end.status;
  return line;
}

// JSON without what would reorder or hide text where it is shown, on a terminal or in a review: by its code, which
// reads back as the same.
std::string shown(std::string line) {
  constexpr unsigned char kLastPlain = 0x7e;
  const bool plain = std::all_of(line.begin(), line.end(), [](unsigned char c) { return c <= kLastPlain; });
  return plain ? std::move(line) : printable_json(line);
}

std::string text_of(const json& value) {
  return shown(value.dump(-1, ' ', false, json::error_handler_t::replace));
}

// Free keys keep their text as it is written, so they are joined to the line's text.
void put_line(std::ostream& out, const json& line, const FreeKeys& free) {
  std::string text = text_of(line);
  for (const auto& [key, value] : free) {
    text.back() = ',';
    text += text_of(key) + ':';
    std::string line_text = value;
    std::replace(line_text.begin(), line_text.end(), '\n', ' ');  // a newline between tokens would end the line
    text += shown(std::move(line_text)) + '}';
  }
  out << text << '\n';
}

void compress(const Scenario& scenario, std::ostream& out) {
  boost::iostreams::filtering_ostream packed;
  packed.push(boost::iostreams::zstd_compressor());
  packed.push(out);
  write_scenario(scenario, packed);
  packed.reset();  // writes the frame's end
}

// Which communicators some event makes: those need no line of their own.
std::vector<bool> made_by_events(const Scenario& scenario) {
  std::vector<bool> made(scenario.comms.size());
  for (const RankTrace& rank : scenario.ranks)
    for (const Event& event : rank.events)
      if (event.extras.new_comm() != kNoComm) made.at(static_cast<std::size_t>(event.extras.new_comm())) = true;
  return made;
}

}  // namespace

std::string line_of(const Scenario& scenario, EventRef ref) {
  return text_of(event(scenario, static_cast<std::size_t>(ref.rank), ref.index));
}

void write_scenario(const Scenario& scenario, std::ostream& out) {
  put_line(out, header(scenario.header), scenario.header.free_keys);
  const std::vector<bool> made = made_by_events(scenario);
  for (std::size_t i = 1; i < scenario.comms.size(); ++i)
    if (scenario.comms[i].known || !made[i])
      put_line(out, communicator(scenario.comms[i]), scenario.comms[i].free_keys);
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank) {
    const RankTrace& trace = scenario.ranks[rank];
    for (std::size_t i = 0; i < trace.events.size(); ++i)
      put_line(out, event(scenario, rank, i), trace.events[i].extras.free_keys());
    if (trace.end.stated) put_line(out, rank_end(scenario, rank), trace.end.free_keys);
  }
  if (!scenario.cut) put_line(out, {{"end", true}, {"events", scenario.event_count()}}, {});
}

void write_scenario(const Scenario& scenario, const std::filesystem::path& file) {
  write_whole(file, [&](std::ostream& out) {
    if (file.extension() == ".zst")
      compress(scenario, out);
    else
      write_scenario(scenario, out);
  });
}

}  // namespace petri
