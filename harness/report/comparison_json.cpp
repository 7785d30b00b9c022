#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/compare/element.hpp"
#include "harness/report/comparison.hpp"

namespace petri {
namespace {

using namespace compare;
using json = nlohmann::ordered_json;

json number(double value) {
  return std::isfinite(value) ? json(value) : json(fmt::format("{}", value));
}

json ulps(std::uint64_t distance) {
  return distance == kNoDistance ? json("nan") : json(distance);
}

json histogram(const UlpHistogram& histogram) {
  json object{{"p50", ulps(histogram.quantile(0.5))},
              {"p90", ulps(histogram.quantile(0.9))},
              {"p99", ulps(histogram.quantile(0.99))},
              {"most", ulps(histogram.most())}};
  object["octaves"] = json::array();
  for (const UlpHistogram::Octave& octave : histogram.octaves())
    object["octaves"].push_back({{"from", ulps(octave.from)}, {"to", ulps(octave.to)}, {"count", octave.count}});
  return object;
}

void put(json& object, const char* key, const std::optional<ElementPair>& pair) {
  if (pair) object[key] = {{"element", pair->element}, {"one", pair->one}, {"other", pair->other}};
}

json pair(const PairStatistics& statistics) {
  json object{{"elements", statistics.elements()},
              {"differing", statistics.differing()},
              {"beyond", statistics.beyond()},
              {"signed_zeros", statistics.signed_zeros()},
              {"lone_nans", statistics.lone_nans()},
              {"most_absolute", number(statistics.most_absolute())},
              {"most_relative", number(statistics.most_relative())},
              {"ulps", histogram(statistics.ulps())}};
  put(object, "first", statistics.first());
  put(object, "first_beyond", statistics.first_beyond());
  put(object, "widest", statistics.widest());
  return object;
}

json error(const ErrorStatistics& error) {
  return {{"ulps", histogram(error.ulps())},
          {"absolute", number(error.most_absolute())},
          {"relative", number(error.most_relative())},
          {"relative_at", error.most_relative_at()},
          {"norm_relative", number(error.norm_relative())},
          {"roundings", number(error.most_roundings())},
          {"nans", error.nans()}};
}

void put_measured(json& object, const Found& found, const Measurement& measurement) {
  object["measured"] = true;
  object["prediction"] = *found.prediction;
  object["to_prediction"] = pair(found.to_prediction);
  object["distinct_results"] = distinct_results(measurement);
}

json result(const Configuration& configuration, const Found& found, std::size_t place) {
  json object;
  if (configuration.kernel)
    object["kernel"] = kernels::name_of(*configuration.kernel);
  else
    object["order"] = configuration.order;
  object["ranks"] = configuration.ranks;
  object["type"] = name_of(configuration.type);
  if (!configuration.layout.empty()) object["layout"] = configuration.layout;
  object["determinism"] = order::name_of(found.determinism);
  if (const auto digest = found.digests.find(configuration.type); digest != found.digests.end())
    object["digest"] = digest->second;
  object["runs"] = found.runs;
  if (found.views > 1) object["among_ranks"] = pair(found.among_ranks);
  if (found.runs > 1) object["among_runs"] = pair(found.among_runs);
  object["baseline"] = found.baseline;
  if (found.baseline != place) object["to_baseline"] = pair(found.to_baseline);
  if (found.error.elements() > 0) object["error"] = error(found.error);
  return object;
}

json answer(const Answer& answer) {
  return {{"agree", answer.agree()}, {"asked", answer.asked}, {"disagreeing", answer.disagreeing}};
}

json live(const Measurements& measured) {
  json object{{"library", measured.library}, {"complete", measured.complete}};
  object["predicted_only"] = json::array();
  for (const auto& [place, reason] : measured.not_of)
    object["predicted_only"].push_back({{"result", place}, {"reason", reason}});
  return object;
}

json tolerance(const Tolerance& tolerance) {
  json object = json::object();
  if (tolerance.absolute) object["absolute"] = *tolerance.absolute;
  if (tolerance.relative) object["relative"] = *tolerance.relative;
  if (tolerance.ulps) object["ulps"] = *tolerance.ulps;
  return object;
}

}  // namespace

std::string render_json(const Reductions& reductions, const Comparison& comparison, const ComparedNumbers& numbers) {
  const Agreement agreement = agreement_of(comparison);
  const bool stopped = comparison.elements < reductions.count;
  const bool cut = stopped || (reductions.measured && !reductions.measured->complete);
  json out{{"verdict", !agreement.all() ? "divergence"
                       : cut            ? "ambiguous"
                                        : "completes"},
           {"op", name_of(reductions.op)},
           {"count", reductions.count},
           {"compared", comparison.elements},
           {"numbers", numbers.origin},
           {"tolerance", tolerance(reductions.tolerance)},
           {"ranks", answer(agreement.ranks)},
           {"runs", answer(agreement.runs)},
           {"configurations", answer(agreement.configurations)}};
  out["runs"]["unknown"] = agreement.runs_unknown;
  if (reductions.measured) {
    out["predictions"] = answer(agreement.predictions);
    out["live"] = live(*reductions.measured);
  }
  out["moved"] = json::array();
  for (const Moved& moved : moved_bits(reductions, comparison)) {
    json object{{"dimension", name_of(moved.dimension)}, {"pairs", moved.pairs}, {"moved", moved.moved}};
    if (moved.moved > 0) object["example"] = {moved.one, moved.other};
    out["moved"].push_back(std::move(object));
  }
  out["conditions"] = json::array();
  for (const auto& [data, conditions] : comparison.conditions)
    out["conditions"].push_back({{"contributions", data.first},
                                 {"type", name_of(data.second)},
                                 {"p50", number(conditions.quantile(0.5))},
                                 {"p99", number(conditions.quantile(0.99))},
                                 {"most", number(conditions.most())}});
  out["losses"] = json::array();
  for (const auto& [data, loss] : comparison.losses)
    out["losses"].push_back({{"ranks", data.first},
                             {"type", name_of(data.second)},
                             {"numbers", loss.numbers},
                             {"cut", loss.cut},
                             {"bounded", loss.bounded},
                             {"nans", loss.nans},
                             {"vanished", loss.vanished}});
  out["results"] = json::array();
  for (std::size_t i = 0; i < comparison.found.size(); ++i) {
    json& each = out["results"].emplace_back(result(reductions.configurations[i], comparison.found[i], i));
    if (comparison.found[i].prediction) put_measured(each, comparison.found[i], reductions.measured->of.at(i));
  }
  return out.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace petri
