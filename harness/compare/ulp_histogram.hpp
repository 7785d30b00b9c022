// How many elements are how far apart, in ULPs (element.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace petri::compare {

// Distances below 64 are counted one by one, larger ones in 32 steps for each power of two, so that a quantile is at
// most 1/32 above the true one. Takes 16 KiB at most. Histograms of parts add up to that of the whole.
class UlpHistogram {
 public:
  // kNoDistance is beyond all numbers.
  void add(std::uint64_t distance);
  void add(const UlpHistogram& other);

  std::uint64_t count() const { return count_; }
  std::uint64_t most() const { return most_; }  // exact; 0 of nothing

  // The least distance that at least this share of all elements do not exceed; 0 of nothing. `share` is in [0, 1].
  std::uint64_t quantile(double share) const;

  // Elements from `from` to `to` apart, both inclusive: 0, 1, 2–3, 4–7 …, and those without a distance at the end, with
  // from = to = kNoDistance. Empty ones are left out.
  struct Octave {
    std::uint64_t from = 0, to = 0, count = 0;
    bool operator==(const Octave&) const = default;
  };
  std::vector<Octave> octaves() const;

 private:
  std::vector<std::uint64_t> counts_;  // as far as the largest distance so far
  std::uint64_t count_ = 0, without_ = 0, most_ = 0;
};

}  // namespace petri::compare
