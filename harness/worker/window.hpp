// One window of a rank: its handle, its memory, and the buffers of accesses that are under way.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "harness/worker/payload.hpp"
#include "harness/worker/plan/windows.hpp"

namespace petri {

struct Window {
  WindowPlan plan;
  MPI_Win handle = MPI_WIN_NULL;
  Bytes memory;                 // where the window does not bring its own
  std::vector<MPI_Aint> bases;  // of a dynamic window: where each member's memory lies, by group rank

  // A recorded displacement as this replay's. One outside the group is left for the library to refuse.
  MPI_Aint address(int target, std::int64_t displacement) const {
    const auto member = static_cast<std::size_t>(target);
    if (!plan.dynamic || target < 0 || member >= bases.size()) return static_cast<MPI_Aint>(displacement);
    return bases[member] + static_cast<MPI_Aint>(displacement - plan.first[member]);
  }

  // An access is complete at its origin when the rank synchronizes (MPI 4.1, section 12.5): until then its buffers
  // stay.
  void* keep(int target, Bytes bytes) {
    const std::lock_guard lock(mutex_);
    return under_way_.emplace_back(target, std::move(bytes)).second.data();
  }
  void release(int target) {
    const std::lock_guard lock(mutex_);
    std::erase_if(under_way_, [&](const auto& access) { return access.first == target; });
  }
  void release_all() {
    const std::lock_guard lock(mutex_);
    under_way_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<int, Bytes>> under_way_;
};

}  // namespace petri
