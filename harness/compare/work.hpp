// The work of a comparison, as its threads count it. Internal to compare.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "harness/compare/watcher.hpp"

namespace petri::compare {

// In numbers that are combined.
inline constexpr std::uint64_t kCostOfContribution = 32;  // to make one, or to read it from a file
inline constexpr std::uint64_t kCostOfExact = 8;          // to add one up exactly
inline constexpr std::uint64_t kCostOfError = 200;        // of one result from the exact one

// The watcher has said that it is enough.
struct Stopped {};

// Of all threads.
class Work {
 public:
  Work(Watcher* watcher, double all) : watcher_(watcher), all_(all) {}

  // Throws Stopped.
  void add(std::uint64_t numbers);
  void add_elements(std::uint64_t elements) { elements_.fetch_add(elements); }

  std::uint64_t elements() const { return elements_; }
  bool stopped() const { return stopped_; }
  Progress progress() const { return {static_cast<double>(done_), all_, elements_}; }

 private:
  using Clock = std::chrono::steady_clock;

  Watcher* watcher_;
  double all_;
  std::atomic<std::uint64_t> done_{0}, elements_{0};
  std::atomic<bool> stopped_{false};
  std::mutex asking_;
  Clock::time_point next_;  // to be asked; guarded by asking_
};

// Of one thread: tells all others' now and then, since counting must cost nothing.
class WorkOfThread {
 public:
  explicit WorkOfThread(Work& all) : all_(all) {}

  // Throws Stopped.
  void add(std::uint64_t numbers) {
    since_ += numbers;
    if (since_ >= kStep) tell();
  }
  void tell();

 private:
  static constexpr std::uint64_t kStep = 1 << 18;  // below a millisecond where numbers are combined

  Work& all_;
  std::uint64_t since_ = 0;
};

}  // namespace petri::compare
