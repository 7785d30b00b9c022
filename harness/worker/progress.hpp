// How far a rank's threads have come, for those of them that wait for each other.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

namespace petri {

class Progress {
 public:
  explicit Progress(std::size_t events) : done_(events, false) {}

  void done(std::size_t event) {
    const std::lock_guard lock(mutex_);
    done_[event] = true;
    changed_.notify_all();
  }
  bool are_done(const std::vector<std::size_t>& events) {
    const std::lock_guard lock(mutex_);
    return holds(events);
  }
  void wait_for(const std::vector<std::size_t>& events) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return holds(events); });
  }

 private:
  bool holds(const std::vector<std::size_t>& events) const {
    return std::all_of(events.begin(), events.end(), [&](std::size_t event) { return done_[event]; });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> done_;
};

}  // namespace petri
