// What `petri compare` says while it compares, and how it is interrupted.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "harness/cli/status_line.hpp"
#include "harness/compare/side_by_side.hpp"
#include "harness/launch/interrupt.hpp"

namespace petri::cli {

// Once the numbers begin, it stops at the first signal, so that what was compared until then can be told; before, a
// signal ends the process.
class CompareProgress final : public compare::Watcher {
 public:
  explicit CompareProgress(const compare::Reductions& reductions) : reductions_(reductions) {}

  void begin(const compare::Progress& progress) override;
  bool goes_on(const compare::Progress& progress) override;
  // Afterwards signals end the process again. The signal that stopped the comparison, or 0.
  int finish();

 private:
  using Clock = std::chrono::steady_clock;

  const compare::Reductions& reductions_;
  std::optional<InterruptScope> interrupts_;
  StatusLine line_{StatusLine::Plain::ever_rarer};
  Clock::time_point begun_;
};

// The same while jobs measure: they are waited for, so that another thread tells how far they are.
class MeasuringProgress {
 public:
  MeasuringProgress(std::size_t jobs, double limit_s);
  ~MeasuringProgress();
  MeasuringProgress(const MeasuringProgress&) = delete;
  MeasuringProgress& operator=(const MeasuringProgress&) = delete;

  void begin_job();
  std::string text() const;  // "job 2 of 3, 14 s of at most 120 s each"

 private:
  using Clock = std::chrono::steady_clock;

  void tell(const std::stop_token& stop);

  std::size_t jobs_, job_ = 0;
  double limit_s_;
  Clock::time_point begun_;
  mutable std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread teller_;
};

}  // namespace petri::cli
