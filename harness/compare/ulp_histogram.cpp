#include "harness/compare/ulp_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "harness/compare/element.hpp"

namespace petri::compare {
namespace {

constexpr int kExactBits = 6;  // of distances that have a place of their own
constexpr std::uint64_t kExact = std::uint64_t{1} << kExactBits;
constexpr std::uint64_t kSteps = kExact / 2;  // for each power of two

std::size_t place_of(std::uint64_t distance) {
  if (distance < kExact) return static_cast<std::size_t>(distance);
  const int beyond = static_cast<int>(std::bit_width(distance)) - kExactBits;
  return static_cast<std::size_t>(kExact + static_cast<std::uint64_t>(beyond - 1) * kSteps +
                                  ((distance >> beyond) - kSteps));
}

// The largest distance that is counted there.
std::uint64_t end_of(std::size_t place) {
  if (place < kExact) return place;
  const auto beyond = static_cast<int>((place - kExact) / kSteps + 1);
  const std::uint64_t leading = (place - kExact) % kSteps + kSteps;
  return (leading << beyond) + ((std::uint64_t{1} << beyond) - 1);
}

}  // namespace

void UlpHistogram::add(std::uint64_t distance) {
  ++count_;
  most_ = std::max(most_, distance);
  if (distance == kNoDistance) {
    ++without_;
    return;
  }
  const std::size_t place = place_of(distance);
  if (place >= counts_.size()) counts_.resize(place + 1);
  ++counts_[place];
}

void UlpHistogram::add(const UlpHistogram& other) {
  if (counts_.size() < other.counts_.size()) counts_.resize(other.counts_.size());
  for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  without_ += other.without_;
  most_ = std::max(most_, other.most_);
}

std::uint64_t UlpHistogram::quantile(double share) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
  std::uint64_t below = 0;
  for (std::size_t place = 0; place < counts_.size(); ++place) {
    below += counts_[place];
    if (below >= wanted) return std::min(end_of(place), most_);
  }
  return most_;
}

std::vector<UlpHistogram::Octave> UlpHistogram::octaves() const {
  std::vector<Octave> octaves;
  for (std::size_t place = 0; place < counts_.size(); ++place) {
    if (counts_[place] == 0) continue;
    const std::uint64_t from = std::bit_floor(end_of(place));
    if (octaves.empty() || octaves.back().from != from) octaves.push_back({from, from == 0 ? 0 : from + (from - 1), 0});
    octaves.back().count += counts_[place];
  }
  if (without_ > 0) octaves.push_back({kNoDistance, kNoDistance, without_});
  return octaves;
}

}  // namespace petri::compare
