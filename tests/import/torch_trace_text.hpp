// PyTorch execution traces and Kineto traces of jobs that never were, as their producers write them (formats:
// harness/import/pytorch_et.hpp, harness/import/kineto.hpp).
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace petri::test {

struct TorchTestCall {
  std::string name = "allreduce";
  int rank = 0;  // in the group: the root, the peer, or else the rank itself
  std::int64_t in = 64, out = 64;
  std::int64_t seq = -1;
  std::string group = "0", description = "default_pg";
  std::vector<int> members{0, 1};
  std::string in_split = "[]", out_split = "[]";
  std::string dtype = "Float";
};

// As lists of over 30 are written.
inline std::string cut_list(const std::vector<int>& ranks) {
  if (ranks.size() <= 30) return fmt::format("[{}]", fmt::join(ranks, ", "));
  return fmt::format("[{}, ..., {}]", fmt::join(ranks.begin(), ranks.begin() + 29, ", "), ranks.back());
}

// The schemas with attributes of a node (1.0.2 and later); `with_attributes`: those of calls, too (1.1.0 and later).
class PytorchEtText {
 public:
  explicit PytorchEtText(bool with_attributes = true) : attributes_(with_attributes) {}

  PytorchEtText& groups(const std::string& list) {
    std::string text;
    for (const char c : list) text += c == '"' ? std::string("\\\"") : std::string(1, c);
    return node("## process_group:init ##", fmt::format("\"{}\"", text), "");
  }

  PytorchEtText& call(const TorchTestCall& call) {
    const std::string group = fmt::format(R"(["{}", "{}"])", call.group, call.description);
    const auto tensors = [](std::int64_t count) { return fmt::format("[[5, 6, 0, {}, 4, \"cuda:0\"]]", count); };
    const bool data = call.name != "barrier" && call.name != "wait";
    const std::string inputs =
        fmt::format("{}{}, {}, {}, \"{}\", {}, {}, 0, 1, {}", data ? tensors(call.in) + ", " : "", call.seq, group,
                    call.rank, call.name, call.in_split, call.out_split, call.members.size());
    std::string more;
    const auto text = [&](std::string_view name, const std::string& value) {
      more += fmt::format(R"(, {{"name": "{}", "type": "string", "value": "{}"}})", name, value);
    };
    const auto number = [&](std::string_view name, std::int64_t value) {
      more += fmt::format(R"(, {{"name": "{}", "type": "uint64", "value": {}}})", name, value);
    };
    if (attributes_) {
      text("collective_name", call.name);
      text("dtype", call.dtype);
      number("in_msg_nelems", call.in);
      number("out_msg_nelems", call.out);
      text("in_split_size", call.in_split);
      text("out_split_size", call.out_split);
      text("pg_name", call.group);
      text("pg_desc", call.description);
      number("pg_size", static_cast<std::int64_t>(call.members.size()));
    }
    return node("record_param_comms", inputs, more, data ? tensors(call.out) : "");
  }

  PytorchEtText& node(const std::string& name, const std::string& inputs, const std::string& attributes,
                      const std::string& outputs = "") {
    nodes_.push_back(fmt::format(
        R"({{"id": {}, "name": "{}", "ctrl_deps": 1, "inputs": {{"values": [{}], "shapes": [], )"
        R"("types": ["GenericList[Tensor(c10::Half)]"]}}, "outputs": {{"values": [{}], "shapes": [], "types": []}}, )"
        R"("attrs": [{{"name": "rf_id", "type": "uint64", "value": 2}}{}]}})",
        next_++, name, inputs, outputs, attributes));
    return *this;
  }

  std::string text() const {
    return fmt::format(
        "{{\n  \"schema\": \"{}\", \"pid\": 1, \"time\": \"2024\", \"start_ts\": 1,\n  \"nodes\": [{}\n"
        "  ],\n  \"finish_ts\": 9\n}}",
        attributes_ ? "1.1.1-chakra.0.0.4" : "1.0.3-chakra.0.0.4", fmt::join(nodes_, ",\n"));
  }

 private:
  bool attributes_;
  int next_ = 2;
  std::vector<std::string> nodes_;
};

class KinetoText {
 public:
  // `rank` < 0: without what tells it.
  explicit KinetoText(int rank, int world = 2, std::string groups = "[]") {
    head_ =
        "\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [{\"id\": 0}],\n  \"baseTimeNanoseconds\": 2000000000,\n";
    if (rank >= 0)
      head_ +=
          fmt::format(R"(  "distributedInfo": {{"backend": "nccl", "rank": {}, "world_size": {}, "pg_config": {}}},)",
                      rank, world, groups);
  }

  KinetoText& call(const TorchTestCall& call, double ts, int external) {
    return event("cpu_op", "record_param_comms", ts,
                 fmt::format("\"External id\": {}, {}, \"Rank\": {}", external, arguments(call), call.rank));
  }
  KinetoText& kernel(const TorchTestCall& call, double ts, int external) {
    return event(
        "kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", ts,
        fmt::format("\"External id\": {}, \"correlation\": {}, {}", external, 1000 + external, arguments(call)));
  }
  KinetoText& event(const std::string& category, const std::string& name, double ts, const std::string& args,
                    const std::string& duration = ", \"dur\": 2.5") {
    events_.push_back(fmt::format(
        "  {{\n    \"ph\": \"X\", \"cat\": \"{}\", \"name\": \"{}\", \"pid\": 3, \"tid\": 4,\n    \"ts\": {}{},\n    "
        "\"args\": {{\n      {}\n    }}\n  }}",
        category, name, ts, duration, args));
    return *this;
  }
  KinetoText& behind(const std::string& member) {
    tail_ += member + ",\n";
    return *this;
  }

  static std::string arguments(const TorchTestCall& call) {
    std::string text = fmt::format(
        R"("Collective name": "{}", "dtype": "{}", "In msg nelems": {}, "Out msg nelems": {}, "Group size": {})",
        call.name, call.dtype, call.in, call.out, call.members.size());
    text += fmt::format(R"(, "In split size": "{}", "Out split size": "{}", "Process Group Name": "{}")", call.in_split,
                        call.out_split, call.group);
    text += fmt::format(R"(, "Process Group Description": "{}", "Process Group Ranks": "{}")", call.description,
                        cut_list(call.members));
    if (call.name == "send")
      text += fmt::format(", \"Dst Rank\": {}", call.members[static_cast<std::size_t>(call.rank)]);
    if (call.name == "recv")
      text += fmt::format(", \"Src Rank\": {}", call.members[static_cast<std::size_t>(call.rank)]);
    if (call.seq >= 0) text += fmt::format(", \"Seq\": {}", call.seq);
    return text;
  }

  std::string text() const {
    return fmt::format("{{{}\n  \"traceEvents\": [\n{}\n  ],\n{}  \"traceName\": \"t\"\n}}", head_,
                       fmt::join(events_, ",\n"), tail_);
  }

 private:
  std::string head_, tail_;
  std::vector<std::string> events_;
};

}  // namespace petri::test
