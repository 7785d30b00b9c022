#include "tests/import/flight_dump_writer.hpp"

#include <bit>
#include <cstring>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>

namespace petri::test {

namespace {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

std::string rank_list(const std::vector<std::int32_t>& ranks) {
  std::string text = "[";
  for (const std::int32_t rank : ranks) text += (text.size() == 1 ? "" : ", ") + std::to_string(rank);
  return text + "]";
}

// torch::jit::Pickler, as far as plain data needs it.
class Pickler {
 public:
  Pickler() { bytes_ = "\x80\x02"; }

  std::string finish() {
    bytes_ += '.';
    return std::move(bytes_);
  }

  void begin_dict() { bytes_ += "}("; }
  void end_dict() { bytes_ += 'u'; }
  void begin_list() { bytes_ += "]("; }
  void end_list() { bytes_ += 'e'; }
  void pair() { bytes_ += '\x86'; }
  void none() { bytes_ += 'N'; }
  void boolean(bool value) { bytes_ += value ? '\x88' : '\x89'; }

  void integer(std::int64_t value) {
    if (value >= 0 && value <= std::numeric_limits<std::uint8_t>::max()) {
      opcode('K', static_cast<std::uint8_t>(value));
    } else if (value >= 0 && value <= std::numeric_limits<std::uint16_t>::max()) {
      opcode('M', static_cast<std::uint16_t>(value));
    } else if (value == static_cast<std::int32_t>(value)) {
      opcode('J', static_cast<std::int32_t>(value));
    } else {
      bytes_ += '\x8a';
      opcode('\x08', value);
    }
  }

  void real(double value) { opcode('G', __builtin_bswap64(std::bit_cast<std::uint64_t>(value))); }

  void text(std::string_view text) {
    const auto known = texts_.find(text);
    if (known != texts_.end()) return get(known->second);
    opcode('X', static_cast<std::uint32_t>(text.size()));
    bytes_ += text;
    texts_.emplace(text, put());
  }

  std::uint32_t put() {
    numbered('q', 'r', memos_);
    return memos_++;
  }
  void get(std::uint32_t memo) { numbered('h', 'j', memo); }

 private:
  template <class T>
  void opcode(char code, T operand) {
    bytes_ += code;
    char bytes[sizeof operand];
    std::memcpy(bytes, &operand, sizeof operand);
    bytes_.append(bytes, sizeof bytes);
  }

  void numbered(char small, char large, std::uint32_t memo) {
    if (memo <= std::numeric_limits<std::uint8_t>::max())
      opcode(small, static_cast<std::uint8_t>(memo));
    else
      opcode(large, memo);
  }

  std::string bytes_;
  std::uint32_t memos_ = 0;
  std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> texts_;
};

// A record in the order in which `dump_dict` makes its parts.
class RecordPickler {
 public:
  explicit RecordPickler(const FlightRecord& record) : record_(record), frame_memos_(record.frames.size(), kNotYet) {}

  std::string pickle() {
    to_.begin_dict();
    to_.text("version"), to_.text(record_.version);
    to_.text("pg_config"), groups();
    to_.text(record_.library_key), to_.text(record_.library);
    to_.text("pg_status"), status();
    to_.text("entries");
    to_.begin_list();
    for (const FlightCall& made : record_.calls) call(made);
    to_.end_list();
    to_.end_dict();
    if (record_.library_key == "nccl_version") to_.put();  // `dump` still held it, as what is shared is recognized
    return to_.finish();
  }

 private:
  static constexpr std::uint32_t kNotYet = std::numeric_limits<std::uint32_t>::max();

  void groups() {
    to_.begin_dict();
    for (const FlightGroupRecord& group : record_.groups) {
      to_.text(group.name);
      to_.begin_dict();
      to_.text("name"), to_.text(group.name);
      to_.text("desc"), to_.text(group.description);
      to_.text("ranks"), to_.text(rank_list(group.ranks));
      to_.end_dict();
    }
    to_.end_dict();
  }

  void status() {
    to_.begin_dict();
    for (const FlightStatusRecord& status : record_.status) {
      to_.text(std::to_string(status.pg_id));
      to_.begin_dict();
      integer("last_enqueued_collective", status.enqueued);
      integer("last_started_collective", status.started);
      integer("last_completed_collective", status.completed);
      to_.end_dict();
    }
    to_.end_dict();
  }

  void call(const FlightCall& call) {
    to_.begin_dict();
    if (record_.with_frames) frames(call);
    integer("record_id", call.record_id);
    integer("pg_id", call.pg_id);
    to_.text("process_group"), to_.text(call.group), to_.text(call.description), to_.pair();
    to_.text("thread_name"), to_.text(call.thread_name);
    to_.text("thread_id"), to_.text(call.thread_id);
    integer("collective_seq_id", call.collective_seq);
    integer("p2p_seq_id", call.p2p_seq);
    integer("op_id", call.op_id);
    to_.text("profiling_name"), to_.text(call.name);
    integer("time_created_ns", call.created_ns);
    if (call.duration_ms) to_.text("duration_ms"), to_.real(*call.duration_ms);
    side("input_sizes", "input_dtypes", call.in);
    side("output_sizes", "output_dtypes", call.out);
    to_.text("state"), to_.text(call.state);
    time("time_discovered_started_ns", call.started_ns);
    time("time_discovered_completed_ns", call.completed_ns);
    to_.text("retired"), to_.boolean(call.retired);
    integer("timeout_ms", call.timeout_ms);
    to_.text("is_p2p"), to_.boolean(call.is_p2p);
    to_.end_dict();
  }

  void frames(const FlightCall& call) {
    to_.text("frames");
    to_.begin_list();
    for (const std::uint32_t number : call.frames) {
      std::uint32_t& memo = frame_memos_[number];
      if (memo != kNotYet) {
        to_.get(memo);
        continue;
      }
      const FlightFrame& frame = record_.frames[number];
      to_.begin_dict();
      to_.text("name"), to_.text(frame.name);
      to_.text("filename"), to_.text(frame.filename);
      integer("line", frame.line);
      to_.end_dict();
      memo = to_.put();
    }
    to_.end_list();
  }

  void side(std::string_view sizes, std::string_view types, const FlightTensorSide& side) {
    to_.text(sizes);
    to_.begin_list();
    for (const auto& tensor : side.sizes) {
      to_.begin_list();
      for (const std::int64_t axis : tensor) to_.integer(axis);
      to_.end_list();
    }
    to_.end_list();
    to_.text(types);
    to_.begin_list();
    for (const std::string& type : side.types) to_.text(type);
    to_.end_list();
  }

  void integer(std::string_view key, std::int64_t value) { to_.text(key), to_.integer(value); }

  void time(std::string_view key, const std::optional<std::int64_t>& time) {
    to_.text(key);
    time ? to_.integer(*time) : to_.none();
  }

  const FlightRecord& record_;
  Pickler to_;
  std::vector<std::uint32_t> frame_memos_;
};

}  // namespace

std::string flight_pickle(const FlightRecord& record) {
  return RecordPickler(record).pickle();
}

std::string flight_json(const FlightRecord& record) {
  using nlohmann::json;
  json result{{"version", record.version}, {record.library_key, record.library}};
  json& groups = result["pg_config"] = json::object();
  for (const FlightGroupRecord& group : record.groups)
    groups[group.name] = {{"name", group.name}, {"desc", group.description}, {"ranks", rank_list(group.ranks)}};
  json& all_status = result["pg_status"] = json::object();
  for (const FlightStatusRecord& status : record.status)
    all_status[std::to_string(status.pg_id)] = {{"last_enqueued_collective", std::to_string(status.enqueued)},
                                                {"last_started_collective", std::to_string(status.started)},
                                                {"last_completed_collective", std::to_string(status.completed)}};
  for (const FlightCall& call : record.calls) {
    json entry{{"record_id", call.record_id},
               {"pg_id", call.pg_id},
               {"thread_name", call.thread_name},
               {"thread_id", call.thread_id},
               {"collective_seq_id", call.collective_seq},
               {"p2p_seq_id", call.p2p_seq},
               {"op_id", call.op_id},
               {"profiling_name", call.name},
               {"time_created_ns", call.created_ns},
               {"input_sizes", call.in.sizes},
               {"input_dtypes", call.in.types},
               {"output_sizes", call.out.sizes},
               {"output_dtypes", call.out.types},
               {"state", call.state},
               {"time_discovered_started_ns", call.started_ns.value_or(0)},
               {"time_discovered_completed_ns", call.completed_ns.value_or(0)},
               {"retired", call.retired},
               {"timeout_ms", call.timeout_ms},
               {"is_p2p", call.is_p2p}};
    entry["process_group"] = json::array({call.group, call.description});
    if (call.duration_ms) entry["duration_ms"] = static_cast<float>(*call.duration_ms);
    result["entries"].push_back(std::move(entry));
  }
  return result.dump();
}

}  // namespace petri::test
