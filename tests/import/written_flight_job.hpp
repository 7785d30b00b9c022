// Flight Recorder dumps of a job, written call by call.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/import/flight_recorder.hpp"
#include "tests/import/flight_dump_writer.hpp"
#include "tests/import/memory_trace.hpp"

namespace petri::test {

// One call of a job: "all_reduce" as the `seq`-th of its group, or a message.
inline FlightCall call(const std::string& name, std::int64_t seq, const std::string& state,
                       const std::string& group = "0") {
  FlightCall one;
  one.name = "nccl:" + name;
  one.group = group;
  one.description = group == "0" ? "default_pg" : "KIND";
  one.pg_id = group == "0" ? 0 : 1;
  one.state = state;
  one.in = one.out = {{{4}}, {"Float"}};
  one.is_p2p = name.starts_with("send") || name.starts_with("recv") || name == "coalesced p2p";
  if (name == "coalesced p2p") one.name = "nccl:coalesced";
  (one.is_p2p ? one.p2p_seq : one.collective_seq) = seq;
  if (one.is_p2p) one.collective_seq = 0;
  return one;
}

class WrittenFlightJob {
 public:
  explicit WrittenFlightJob(int world, std::vector<FlightGroupRecord> groups = {})
      : records_(static_cast<std::size_t>(world)) {
    FlightGroupRecord all{"0", "default_pg", {}};
    for (int rank = 0; rank < world; ++rank) all.ranks.push_back(rank);
    for (int rank = 0; rank < world; ++rank) {
      auto& own = records_[static_cast<std::size_t>(rank)].groups;
      own.push_back(all);
      for (const auto& group : groups)
        if (std::find(group.ranks.begin(), group.ranks.end(), rank) != group.ranks.end()) own.push_back(group);
    }
  }

  // The calls of a rank; the first one has `lost` others before it.
  WrittenFlightJob& rank(std::size_t rank, std::vector<FlightCall> calls, std::int64_t lost = 0) {
    for (std::size_t i = 0; i < calls.size(); ++i) calls[i].record_id = lost + static_cast<std::int64_t>(i);
    records_[rank].calls = std::move(calls);
    written_[rank] = true;
    return *this;
  }
  WrittenFlightJob& status(std::size_t rank, std::vector<FlightStatusRecord> status) {
    records_[rank].status = std::move(status);
    written_[rank] = true;
    return *this;
  }

  FlightRecord& record(std::size_t rank) { return records_[rank]; }

  Scenario read(bool json = false) {
    std::vector<TraceFile> files = others_;
    for (const auto& [rank, written] : written_)
      files.push_back(memory_trace("rank_" + std::to_string(rank),
                                   json ? flight_json(records_[rank]) : flight_pickle(records_[rank])));
    notes = {};
    return read_flight_dumps(files, notes);
  }
  void add(TraceFile file) { others_.push_back(std::move(file)); }

  ImportNotes notes;

 private:
  std::vector<FlightRecord> records_;
  std::map<std::size_t, bool> written_;
  std::vector<TraceFile> others_;
};

}  // namespace petri::test
