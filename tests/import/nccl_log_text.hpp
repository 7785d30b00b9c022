// Logs of jobs that never were, in the forms of NCCL's releases (formats: harness/import/nccl_log_call.hpp).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/import/nccl_log.hpp"
#include "harness/trace/describe.hpp"
#include "tests/import/memory_trace.hpp"

namespace petri::test {

// Four ranks on each host, one process with one device for each.
class NcclLog {
 public:
  explicit NcclLog(int ranks, int minor = 21, bool rccl = false) : lines_(ranks), minor_(minor), rccl_(rccl) {}

  static std::string host(int rank) { return fmt::format("node{:02}", rank / 4 + 1); }
  static std::string origin(int rank) {
    return fmt::format("{}:{}:{} [{}]", host(rank), 4000 + rank, 4100 + rank, rank % 4);
  }

  void line(int rank, const std::string& text) { at(rank) += text + "\n"; }
  void info(int rank, const std::string& text) { line(rank, fmt::format("{} NCCL INFO {}", origin(rank), text)); }
  void warn(int rank, const std::string& text, const std::string& place = "transport/net_ib.cc:253") {
    line(rank, fmt::format("\n[2026-02-11 16:02:37] {} {} NCCL WARN {}", origin(rank), place, text));
  }

  // `id` is its commId; a pointer of its own on each rank.
  void init(const std::string& name, const std::vector<int>& ranks, std::uint64_t id, bool completes = true) {
    create(name, ranks, [&](int rank) {
      const std::string text = created(minor_ >= 19 ? "ncclCommInitRank " : "", name, rank) +
                               (minor_ >= 13 ? fmt::format(" commId {:#x}", id) : "");
      if (minor_ >= 18) info(rank, text + " - Init START");
      if (completes) info(rank, text + " - Init COMPLETE");
    });
  }

  void split(const std::string& name, const std::vector<int>& ranks, const std::string& parent, int count, int color) {
    create(name, ranks, [&](int rank) {
      const std::string text =
          created("ncclCommSplit ", name, rank) +
          fmt::format(" parent {:#x} splitCount {} color {} key 0", pointer(parent, rank), count, color);
      info(rank, text + "- Init START");
      info(rank, text + " - Init COMPLETE");
    });
  }

  // `root` is the peer of a message. Members of a group have one `launch`.
  std::string call_text(int rank, const std::string& op, const std::string& comm, long count, int datatype,
                        int reduction, int root, std::uint64_t launch) const {
    const auto& ranks = comms_.at(comm);
    std::string text = fmt::format(
        "{}: opCount {:x} sendbuff {} recvbuff 0x7f59a1a8fa00 count {} datatype {} op {} root {} comm {:#x} "
        "[nranks={}] "
        "stream 0x55ab{:04x}",
        op, launch, op == "Recv" ? "(nil)" : "0x7f59a1a80000", count, datatype, reduction, root, pointer(comm, rank),
        ranks.size(), rank);
    if (rccl_) text += fmt::format(" task 0 globalrank {}", rank_in(comm, rank));
    return text;
  }
  void call(int rank, const std::string& op, const std::string& comm, long count = 1024, int datatype = 7,
            int reduction = 0, int root = 0) {
    info(rank, call_text(rank, op, comm, count, datatype, reduction, root, launches_[{comm, rank}]++));
  }
  void group(int rank, const std::string& comm, const std::vector<std::pair<std::string, int>>& messages) {
    for (const auto& [op, peer] : messages)
      info(rank, call_text(rank, op, comm, 7, 7, 0, peer, launches_[{comm, rank}]));
    ++launches_[{comm, rank}];
  }
  std::uint64_t& launches(const std::string& comm, int rank) { return launches_[{comm, rank}]; }

  void end(const std::string& comm, const std::string& how = "Destroy") {
    for (const int rank : comms_.at(comm)) info(rank, created("", comm, rank) + " - " + how + " COMPLETE");
  }

  std::string text(int rank) const { return lines_.at(static_cast<std::size_t>(rank)); }
  // A file for each rank, as NCCL_DEBUG_FILE=nccl.%h.%p makes them.
  std::vector<TraceFile> files(const std::vector<int>& without = {}) const {
    std::vector<TraceFile> made;
    for (int rank = 0; rank < static_cast<int>(lines_.size()); ++rank)
      if (std::count(without.begin(), without.end(), rank) == 0)
        made.push_back(memory_trace(fmt::format("nccl.{}.{}", host(rank), 4000 + rank), text(rank)));
    return made;
  }
  // One file, a line of each rank in turn, each behind `prefix(rank)`.
  template <class Prefix>
  std::string together(const Prefix& prefix, const std::string& end = "\n") const {
    std::vector<std::size_t> at(lines_.size());
    std::string all;
    for (bool any = true; any;) {
      any = false;
      for (std::size_t rank = 0; rank < lines_.size(); ++rank) {
        const std::size_t newline = lines_[rank].find('\n', at[rank]);
        if (newline == std::string::npos) continue;
        all += prefix(static_cast<int>(rank)) + lines_[rank].substr(at[rank], newline - at[rank]) + end;
        at[rank] = newline + 1;
        any = true;
      }
    }
    return all;
  }
  std::string together() const {
    return together([](int) { return std::string(); });
  }

 private:
  std::string& at(int rank) { return lines_.at(static_cast<std::size_t>(rank)); }

  static std::uint64_t pointer(const std::string& comm, int rank) {
    return 0x55d000000000 + std::hash<std::string>()(comm) % 0xffff * 0x10000 + static_cast<std::uint64_t>(rank) * 0x40;
  }

  int rank_in(const std::string& comm, int rank) const {
    const auto& ranks = comms_.at(comm);
    return static_cast<int>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
  }

  std::string created(const std::string& function, const std::string& comm, int rank) const {
    return fmt::format("{}comm {:#x} rank {} nranks {} cudaDev {}{} busId {:x}", function, pointer(comm, rank),
                       rank_in(comm, rank), comms_.at(comm).size(), rank % 4,
                       minor_ >= 18 ? fmt::format(" nvmlDev {}", rank % 4) : "", 0x1000 * (rank % 4 + 1));
  }

  template <class Write>
  void create(const std::string& name, const std::vector<int>& ranks, const Write& write) {
    comms_[name] = ranks;
    for (const int rank : ranks) {
      launches_[{name, rank}] = 0;
      write(rank);
    }
  }

  std::vector<std::string> lines_;  // by rank
  int minor_;
  bool rccl_;
  std::map<std::string, std::vector<int>> comms_;
  std::map<std::pair<std::string, int>, std::uint64_t> launches_;
};

// A log, read.
struct ReadLog {
  ImportNotes notes;
  Scenario scenario;
  explicit ReadLog(const std::vector<TraceFile>& files) : scenario(read_nccl_log(files, notes)) {}
  explicit ReadLog(const std::string& text) : ReadLog(std::vector{memory_trace("job.log", text)}) {}

  const RankTrace& rank(int number) const { return scenario.ranks.at(static_cast<std::size_t>(number)); }
  std::vector<std::string> calls(int number) const {
    std::vector<std::string> texts;
    for (const Event& event : rank(number).events) texts.push_back(describe(scenario, event, number));
    return texts;
  }
  const Communicator& comm(const std::string& name) const {
    return scenario.comms.at(static_cast<std::size_t>(scenario.find_comm(name)));
  }
};

}  // namespace petri::test
