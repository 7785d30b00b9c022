// Flight Recorder dumps as PyTorch writes them, to the byte: FlightRecorderDetail.hpp (`dump_dict`, `dump_json`) and
// the pickler of torch/csrc/jit/serialization/pickler.cpp, which keeps texts in its memo by value and frames by
// identity.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace petri::test {

struct FlightFrame {
  std::string name, filename;
  std::int64_t line = 0;
};

struct FlightTensorSide {
  std::vector<std::vector<std::int64_t>> sizes;
  std::vector<std::string> types;  // "BFloat16", one a tensor
};

struct FlightCall {
  std::vector<std::uint32_t> frames;  // of FlightRecord::frames, innermost first
  std::int64_t record_id = 0, pg_id = 0;
  std::string group = "0", description = "default_pg";
  std::string thread_name = "python3", thread_id = "140737353922112";
  std::int64_t collective_seq = 1, p2p_seq = 0, op_id = 1;
  std::string name = "nccl:all_reduce";
  std::int64_t created_ns = 1758610505592849034;
  std::optional<double> duration_ms;
  FlightTensorSide in, out;
  std::string state = "scheduled";
  std::optional<std::int64_t> started_ns, completed_ns;
  bool retired = false;
  std::int64_t timeout_ms = 600000;
  bool is_p2p = false;
};

struct FlightGroupRecord {
  std::string name, description;
  std::vector<std::int32_t> ranks;
};

struct FlightStatusRecord {
  std::int64_t pg_id = 0, enqueued = -1, started = -1, completed = -1;
};

struct FlightRecord {
  std::string version = "2.10";
  std::string library_key = "comm_lib_version";  // "nccl_version" before version 2.10
  std::string library = "2.27.5";
  std::vector<FlightGroupRecord> groups;
  std::vector<FlightStatusRecord> status;
  std::vector<FlightFrame> frames;
  std::vector<FlightCall> calls;
  bool with_frames = true;  // false: TORCH_INCLUDE_STACK_TRACE=0
};

std::string flight_pickle(const FlightRecord& record);
std::string flight_json(const FlightRecord& record);  // has no frames, as PyTorch's has none

}  // namespace petri::test
