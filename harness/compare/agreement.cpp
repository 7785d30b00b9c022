#include "harness/compare/agreement.hpp"

#include <array>
#include <optional>
#include <string>

namespace petri::compare {
namespace {

using Values = std::array<std::string, kDimensions.size()>;

Values values_of(const Configuration& configuration) {
  Values values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_of(configuration, kDimensions[i]);
  return values;
}

// The place of the dimension in which they differ; nothing where it is none or several.
std::optional<std::size_t> only_difference(const Values& one, const Values& other) {
  std::optional<std::size_t> only;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i] == other[i]) continue;
    if (only) return std::nullopt;
    only = i;
  }
  return only;
}

}  // namespace

Agreement agreement_of(const Comparison& comparison) {
  Agreement agreement;
  const auto ask = [](Answer& answer, std::size_t configuration, const PairStatistics& pair) {
    ++answer.asked;
    if (pair.beyond() > 0) answer.disagreeing.push_back(configuration);
  };
  for (std::size_t i = 0; i < comparison.found.size(); ++i) {
    const Found& found = comparison.found[i];
    ask(agreement.ranks, i, found.among_ranks);
    if (found.runs > 1)
      ask(agreement.runs, i, found.among_runs);
    else if (found.determinism == order::Determinism::not_guaranteed && !found.prediction)
      agreement.runs_unknown.push_back(i);
    if (found.baseline != i) ask(agreement.configurations, i, found.to_baseline);
    if (!found.prediction || found.determinism == order::Determinism::not_guaranteed) continue;
    ++agreement.predictions.asked;
    if (found.to_prediction.differing() > 0) agreement.predictions.disagreeing.push_back(i);
  }
  return agreement;
}

std::vector<Moved> moved_bits(const Reductions& reductions, const Comparison& comparison) {
  if (comparison.elements < reductions.count) return {};
  std::array<Moved, kDimensions.size()> all;
  std::vector<Values> values;
  for (const Configuration& configuration : reductions.configurations) values.push_back(values_of(configuration));
  for (std::size_t other = 1; other < values.size(); ++other)
    for (std::size_t one = 0; one < other; ++one) {
      const Found &a = comparison.found[one], &b = comparison.found[other];
      if (!same_numbers(reductions, reductions.configurations[one], reductions.configurations[other])) continue;
      const auto where = only_difference(values[one], values[other]);
      if (!where) continue;
      // For an unknown version the nearest one stands in: that they are the same says nothing.
      const auto is_sure = [](const Found& found) { return found.determinism != order::Determinism::not_guaranteed; };
      if (kDimensions[*where] == Dimension::library && !(is_sure(a) && is_sure(b))) continue;
      Moved& moved = all[*where];
      ++moved.pairs;
      const ElementType type = *coarser(reductions.configurations[one].type, reductions.configurations[other].type);
      if (a.digests.at(type) == b.digests.at(type)) continue;
      if (moved.moved++ > 0) continue;
      moved.one = one;
      moved.other = other;
    }
  std::vector<Moved> varied;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].dimension = kDimensions[i];
    if (all[i].pairs > 0) varied.push_back(all[i]);
  }
  return varied;
}

}  // namespace petri::compare
