// Reports of NCCL's and RCCL's RAS subsystem, as `ncclras` prints them: text since NCCL 2.24, JSON (`-f json`)
// since 2.28. Source: src/ras/client_support.cc in NVIDIA/nccl.
//
// A report has counts, no calls: of each rank of each communicator how many collectives of each kind it has launched.
// As a scenario, the calls that all ranks of a communicator have launched are its past (`joined`), and those that only
// some of them have are calls without arguments, `scheduled`: the kinds that most ranks have first. It is a snapshot. A
// rank that RAS considers dead has an error at its end, one that only does not answer has no record. A job that runs
// has differing counts, too; counts that stay the same from one report to a later one are a hang.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/import/foreign.hpp"

namespace petri {

struct RasRank {
  std::int32_t rank = 0;
  std::string host;  // an address; empty where not told
  std::int32_t pid = 0, device = 0;
  std::int32_t init_state = 0, async_error = 0;  // ncclResult_t: 0 is success, 7 in progress
  bool finalized = false, aborted = false;
  bool missing = false;                         // it gave no data on this communicator …
  bool silent = false;                          // … nor on any other: unresponsive, or dead …
  bool dead = false;                            // … of which RAS is sure after a minute without an answer
  std::map<std::string, std::uint64_t> counts;  // of launched collectives, by kind: "AllReduce"
};

struct RasComm {
  std::string hash;          // as written: "0x27a079b828ff1a75"
  std::uint64_t number = 0;  // the same, told apart from others of that hash
  std::int32_t size = 0;
  std::vector<RasRank> ranks;
};

struct RasReport {
  std::string version, time;
  std::int32_t gpus = 0;  // of the job; 0: not told
  std::vector<RasComm> comms;
  std::vector<std::string> facts, warnings;
  bool cut = false;             // it breaks off: ranks of which it does not tell may have been in it
  std::uint64_t calls() const;  // all that were launched
};

RasReport read_ras_json(const TraceFile& file);
RasReport read_ras_text(const TraceFile& file);

bool is_ras_json(const TraceFile& file);
bool is_ras_text(const TraceFile& file);
inline bool is_ras_report(const TraceFile& file) {
  return is_ras_json(file) || is_ras_text(file);
}

// Of several reports the latest is read; whether calls were made since the one before is said. Throws InputError for a
// report that is broken inside, and where the latest one tells neither of communicators nor of devices.
Scenario read_ras_reports(const std::vector<TraceFile>& files, ImportNotes& notes);

}  // namespace petri
