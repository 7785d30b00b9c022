// What a command says of itself while it works: one line that is rewritten on a terminal; elsewhere a line now and
// then.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace petri::cli {

// Goes to stderr. From any thread, but one at a time.
class StatusLine {
 public:
  // Elsewhere: every few seconds, or as far apart as some share of the time since the beginning, so that a log of days
  // has a hundred lines.
  enum class Plain { every_few_seconds, ever_rarer };
  explicit StatusLine(Plain plain = Plain::every_few_seconds);

  // Is it time for another one?
  bool due() const { return Clock::now() >= next_; }
  void show(std::string_view line);
  void finish();  // leaves nothing of the line on a terminal

 private:
  using Clock = std::chrono::steady_clock;

  Clock::duration interval() const;

  Plain plain_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point begun_, next_;
};

// "8 s", "5 min", "3 h", "12 days", "40 years": of what lies ahead, two digits are known at most.
std::string duration_text(double seconds);

}  // namespace petri::cli
