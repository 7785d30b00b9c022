// When a run has to stop, also while it waits for an oracle.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <stop_token>
#include <string_view>
#include <thread>

namespace petri::reduce {

// Looks at the clock and at a user's wish from a thread of its own, because an oracle may be busy for minutes.
class Deadline {
 public:
  // `seconds` from now on, 0: for ever; `wish` is asked every now and then from another thread, and may be empty.
  Deadline(double seconds, std::function<bool()> wish);

  std::stop_token token() const { return stop_.get_token(); }       // for either reason
  std::stop_token at_wish() const { return at_wish_.get_token(); }  // whatever the time is
  // Why the run must stop: "time", "request", or "" where it need not.
  std::string_view reached();

 private:
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  double seconds_;
  std::function<bool()> wish_;
  std::stop_source stop_, at_wish_;
  std::atomic<const char*> reason_{""};
  std::jthread watch_;  // last: it ends before what it looks at
};

}  // namespace petri::reduce
