#include "harness/launch/stall_watch.hpp"

#include <algorithm>

namespace petri {

StallWatch::Action StallWatch::next(const Progress& progress, double now) {
  moved_ = !last_ || !last_->same_place(progress);
  const bool polls = last_ && progress.polls != last_->polls;
  last_ = progress;
  if (moved_) {
    last_progress_ = now;
    back_off_ = kConfirm_s;
    next_test_ = now + back_off_;
    return Action::none;
  }
  const bool computes = progress.running > 0 && !polls;
  const double quiet = now - last_progress_;
  if (timeout_s_ ? quiet >= *timeout_s_ : !computes && quiet >= kDefaultTimeout_s) return Action::time_out;
  // A rank without a record can do anything: nothing is proved before all are there.
  const bool somebody_waits = (progress.waiting > 0 || polls) && progress.records >= progress.expected;
  return somebody_waits && now >= next_test_ ? Action::test : Action::none;
}

void StallWatch::not_proved(double now, double cost_s) {
  back_off_ = std::min(back_off_ * 2, std::clamp(cost_s / kTestShare, kCheapBackOff_s, kMaxBackOff_s));
  next_test_ = now + back_off_;
}

}  // namespace petri
