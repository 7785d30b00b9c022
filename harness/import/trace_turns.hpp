// Files of a trace read by several threads, and handed over one at a time in their order.
#pragma once

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "harness/import/trace_files.hpp"
#include "harness/trace/in_turns.hpp"

namespace petri {

// `read(file)` is called beside others; `deliver(file, result)` is not. The first exception in the order of the files
// is thrown.
template <class Read, class Deliver>
void read_in_turns(const std::vector<TraceFile>& files, const Read& read, const Deliver& deliver) {
  using Result = decltype(read(files.front()));
  struct Worker {
    const std::vector<TraceFile>& files;
    const Read& reader;
    const Deliver& receiver;
    std::size_t& next;
    const TraceFile* file = nullptr;
    std::optional<Result> result = {};

    bool take() {
      file = next < files.size() ? &files[next++] : nullptr;
      return file != nullptr;
    }
    void work() { result.emplace(reader(*file)); }
    void deliver() {
      receiver(*file, *std::move(result));
      result.reset();
    }
  };
  std::size_t next = 0;
  constexpr unsigned kMostThreads = 16;
  const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);
  work_in_turns(threads, [&] { return Worker{files, read, deliver, next}; });
}

}  // namespace petri
