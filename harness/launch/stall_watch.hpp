// When to suspect that a job hangs: a clock over the ranks' progress, without processes, so that it can be tested
// alone.
//
// A suspicion is no verdict: the deadlock test decides. The windows are short because the test is sound; they only keep
// it from being asked in vain.
#pragma once

#include <optional>

#include "harness/launch/progress.hpp"

namespace petri {

inline constexpr double kConfirm_s = 0.2;       // without progress, before the deadlock test is asked
inline constexpr double kConfirmPolls_s = 1.5;  // the same where its proof rests on polls, or on time
inline constexpr double kMaxStarved_s = 2;      // to wait for a rank that lacks a processor
inline constexpr double kMaxBackOff_s = 20;     // between tests while nothing moves at all
inline constexpr double kCheapBackOff_s = 1;    // the same for tests that cost next to nothing …
inline constexpr double kTestShare = 0.02;  // … and for others, as long as they take no more of the time than this
inline constexpr double kDefaultTimeout_s = 600;  // without progress and with every rank in a call

class StallWatch {
 public:
  // `timeout_s`: stop after so long without progress, whatever the ranks do; nothing: kDefaultTimeout_s, and only while
  // no rank computes.
  explicit StallWatch(std::optional<double> timeout_s) : timeout_s_(timeout_s) {}

  enum class Action { none, test, time_out };
  // `now` in seconds on any steady clock.
  Action next(const Progress& progress, double now);

  // The test that `next` asked for was made, took `cost_s`, and does not decide yet. What it waits for need not be
  // progress: a replaying rank that has nothing more to do notes so itself, and on a busy machine late.
  void not_proved(double now, double cost_s);
  // It would decide if the loops that poll are waits, or no call is only slow: ask again when that has gone on for long
  // enough.
  void proved_but_for_time() { next_test_ = last_progress_ + kConfirmPolls_s; }
  // A rank lacks a processor, or the launcher is about to end the job: ask again soon.
  void ask_again(double now) { next_test_ = now + kConfirm_s; }

  double since_progress(double now) const { return now - last_progress_; }
  bool progressed_in_last_look() const { return moved_; }

 private:
  std::optional<double> timeout_s_;
  std::optional<Progress> last_;
  double last_progress_ = 0;
  double next_test_ = 0;
  double back_off_ = kConfirm_s;
  bool moved_ = false;
};

}  // namespace petri
