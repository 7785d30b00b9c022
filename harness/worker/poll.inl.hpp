// Internal to perform.hpp.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace petri {

template <class Attempt>
void poll_as_recorded(const Replayer& replayer, const Event& event, Attempt attempt) {
  constexpr unsigned kNap_us = 50;  // leaves the processor to ranks that do have something to do
  constexpr std::uint64_t kMostPolls = 1000;
  std::uint64_t left = std::clamp<std::uint64_t>(event.extras.polls(), 1, kMostPolls);
  const bool until_success = event.flag != 0 || replayer.endless();
  while (!attempt()) {
    if (!until_success && --left == 0) return;
    usleep(kNap_us);
  }
}

}  // namespace petri
