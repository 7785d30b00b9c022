// Recorded times of a course. Internal to it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "harness/trace/scenario.hpp"

namespace petri::cli::course {

// Recorded times as nanoseconds from the earliest; without any, none.
class Recorded {
 public:
  explicit Recorded(const Scenario& scenario) : scenario_(scenario) {
    double latest = -std::numeric_limits<double>::infinity();
    for (const RankTrace& rank : scenario.ranks)
      for (const double time : rank.times)
        if (std::isfinite(time)) {
          first_ = std::min(first_, time);
          latest = std::max(latest, time);
        }
    there_ = latest >= first_ && latest - first_ < kLongestRun_s;
  }
  bool there() const { return there_; }
  std::int64_t at(std::int32_t rank, std::uint32_t index) const {
    if (!there_) return 0;
    const double time = scenario_.ranks[static_cast<std::size_t>(rank)].time_of(index);
    return std::isfinite(time) ? static_cast<std::int64_t>((time - first_) * 1e9) : 0;
  }

 private:
  static constexpr double kLongestRun_s = 30.0 * 365 * 86400;  // times further apart are no times of one run

  const Scenario& scenario_;
  double first_ = std::numeric_limits<double>::infinity();
  bool there_ = false;
};

}  // namespace petri::cli::course
