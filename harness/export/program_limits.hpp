// How long a program that watches its own ranks gives them. Internal to harness/export.
#pragma once

#include <cmath>

namespace petri {

inline constexpr int kPatience_s = 20;  // until a case hangs, beyond what its ranks compute and sleep
inline constexpr int kStartup_s = 300;  // until all ranks are there: loading the libraries takes its time

// Until a case hangs whose longest rank computes and sleeps for `seconds` together.
inline int limit_s(double seconds) {
  return kPatience_s + static_cast<int>(std::ceil(seconds));
}

}  // namespace petri
