#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/element.hpp"
#include "harness/report/comparison.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/printable.hpp"

namespace petri {
namespace {

using namespace compare;

// "ring (8 ranks, float32, 2x4)".
std::string label_of(const Configuration& c) {
  return fmt::format("{} ({}, {}{}{})", c.how(), counted(static_cast<std::size_t>(c.ranks), "rank"),
                     petri::name_of(c.type), c.layout.empty() ? "" : ", ", c.layout);
}

std::string ulps_text(std::uint64_t ulps) {
  if (ulps == kNoDistance) return "NaN";
  return ulps < 100000 ? fmt::format("{}", ulps) : fmt::format("{:.1e}", static_cast<double>(ulps));
}

using Row = std::vector<std::string>;

// The last word of a short row may be longer than its column.
std::string columns(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      if (i + 1 < row.size() || row.size() == widths.size()) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

class Report {
 public:
  Report(const Reductions& reductions, const Comparison& comparison)
      : reductions_(reductions), comparison_(comparison), agreement_(agreement_of(comparison)) {}

  std::string text(const ComparedNumbers& numbers) const {
    return fmt::format("{}{} of {} each, {}; held against each other {}.\n\n{}{}{}{}\n{}{}\n{}{}", verdict(),
                       petri::name_of(reductions_.op), counted(reductions_.count, "element"),
                       printable_line(numbers.origin), text_of(reductions_.tolerance), ranks(numbers.first_rank),
                       runs(), configurations(), predictions(), moved(), conditions() + losses(), table(), measured());
  }

 private:
  const Configuration& at(std::size_t i) const { return reductions_.configurations[i]; }
  const Found& found(std::size_t i) const { return comparison_.found[i]; }
  std::string name(std::size_t i) const { return label_of(at(i)); }
  std::string same() const {
    return reductions_.tolerance.bitwise() ? "the same bits" : "the same within the tolerance";
  }

  std::string verdict() const {
    const bool stopped = comparison_.elements < reductions_.count;
    const std::string how_far = stopped ? fmt::format("interrupted: all that follows is of {} of {}\n",
                                                      comparison_.elements, counted(reductions_.count, "element"))
                                        : "";
    if (agreement_.all() && stopped) return "ambiguous: what was compared agrees, but that is not all\n" + how_far;
    if (agreement_.all() && reductions_.measured && !reductions_.measured->complete)
      return "ambiguous: what was asked agrees, but a live job did not come to its end\n";
    if (agreement_.all()) return "completes: everything that was asked agrees\n";
    std::vector<std::string_view> what;
    if (!agreement_.ranks.agree()) what.push_back("ranks of one run");
    if (!agreement_.runs.agree()) what.push_back("runs of one configuration");
    if (!agreement_.configurations.agree()) what.push_back("configurations");
    if (!agreement_.predictions.agree()) what.push_back("predicted and measured bits");
    return fmt::format("divergence: {} disagree\n{}", fmt::join(what, ", and "), how_far);
  }

  // Who disagrees, and the first place where it does.
  std::string disagreement(const Answer& answer, std::string_view one, std::string_view other,
                           const PairStatistics Found::*pair) const {
    const std::size_t first = answer.disagreeing.front();
    const PairStatistics& statistics = found(first).*pair;
    const ElementPair& at = *statistics.first_beyond();
    return fmt::format("No, not in {} of {}. {}: element {} is {} {} and {} {}.\n", answer.disagreeing.size(),
                       counted(answer.asked, "configuration"), name(first), at.element, at.one, one, at.other, other);
  }

  std::string ranks(std::int32_t first) const {
    const std::string kQuestion = "Do the ranks of one run agree?  ";
    if (!agreement_.ranks.agree())
      return kQuestion +
             disagreement(agreement_.ranks, fmt::format("on rank {}", first), "on another", &Found::among_ranks);
    return fmt::format("{}Yes: every rank ends with {}.\n", kQuestion, same());
  }

  std::string runs() const {
    constexpr std::string_view kQuestion = "Do runs agree?                  ";
    const Answer& answer = agreement_.runs;
    std::string text(kQuestion);
    if (answer.asked == 0 && agreement_.runs_unknown.empty())
      return text + "Yes: none of these orders changes from run to run.\n";
    if (!answer.agree()) {
      text += disagreement(answer, "in the first run", "in a later one", &Found::among_runs);
    } else if (answer.asked > 0) {
      text += fmt::format("Yes: {} of {} ended with {}.\n", counted(found(first_with_runs()).runs, "run"),
                          counted(answer.asked, "configuration"), same());
    }
    const std::size_t unknown = agreement_.runs_unknown.size();
    if (unknown > 0)
      text += fmt::format("{}{}{}: nothing says that its order stays, and one possible order was evaluated.\n",
                          answer.asked > 0 ? std::string(kQuestion.size(), ' ') : "Not known for ",
                          name(agreement_.runs_unknown.front()),
                          unknown > 1 ? fmt::format(", and {}", counted(unknown - 1, "other")) : "");
    return text;
  }

  std::size_t first_with_runs() const {
    std::size_t i = 0;
    while (found(i).runs == 1) ++i;
    return i;
  }

  std::string configurations() const {
    constexpr std::string_view kQuestion = "Do configurations agree?        ";
    const Answer& answer = agreement_.configurations;
    std::string text(kQuestion);
    if (answer.asked == 0) return text + "Not asked: no two of them reduce the same numbers.\n";
    if (answer.agree()) return text + fmt::format("Yes: all that reduce the same numbers end with {}.\n", same());
    const std::size_t first = answer.disagreeing.front(), base = found(first).baseline;
    const ElementPair& at = *found(first).to_baseline.first_beyond();
    return text +
           fmt::format("No: {} of {} end with something else than the first. Element {} is {} in {}, and {} in {}.\n",
                       answer.disagreeing.size(), answer.asked, at.element, at.one, name(base), at.other, name(first));
  }

  std::string predictions() const {
    if (!reductions_.measured) return {};
    constexpr std::string_view kQuestion = "Do the predictions hold?        ";
    const Answer& answer = agreement_.predictions;
    const std::string& library = reductions_.measured->library;
    const bool complete = reductions_.measured->complete;
    const std::string why = reductions_.measured->why_incomplete;
    if (answer.asked == 0 && !complete)
      return fmt::format("{}Not measured: {}. Where nothing else diverges, that is ambiguous (status 4).\n", kQuestion,
                         why);
    if (answer.asked == 0)
      return fmt::format("{}Not asked: nothing with a guaranteed prediction was measured.\n", kQuestion);
    if (answer.agree())
      return fmt::format("{}Yes: {} measured with {}, each to the bit as predicted{}.\n", kQuestion,
                         counted(answer.asked, "configuration"), library,
                         complete ? "" : fmt::format("; others were not measured: {}", why));
    const std::size_t first = answer.disagreeing.front();
    const ElementPair& at = *found(first).to_prediction.first();
    return fmt::format("{}No, not in {} of {} measured with {}. {}: element {} is predicted to be {}, and is {}.\n",
                       kQuestion, answer.disagreeing.size(), counted(answer.asked, "configuration"), library,
                       name(first), at.element, at.one, at.other);
  }

  std::string moved() const {
    std::string text;
    for (const Moved& each : moved_bits(reductions_, comparison_)) {
      text += fmt::format("{} {}: ", text.empty() ? "What moves the bits when it alone is changed?\n " : " ",
                          compare::name_of(each.dimension));
      if (each.moved == 0)
        text += fmt::format("does not, in {}.\n", counted(each.pairs, "pair"));
      else
        text += fmt::format("in {} of {}, e.g. {} and {}.\n", each.moved, counted(each.pairs, "pair"), name(each.one),
                            name(each.other));
    }
    return text.empty() ? text : text + "\n";
  }

  std::string conditions() const {
    std::string text;
    for (const auto& [data, conditions] : comparison_.conditions)
      text += fmt::format(
          "Cancellation, Σ|x|/|Σx| of {} in {}: half of the elements up to {:.3g}, 99 % up to {:.3g}, all up "
          "to {:.3g}.\n",
          counted(static_cast<std::size_t>(data.first), "contribution"), petri::name_of(data.second),
          conditions.quantile(0.5), conditions.quantile(0.99), conditions.most());
    return text;
  }

  std::string losses() const {
    std::string text;
    for (const auto& [data, loss] : comparison_.losses) {
      std::vector<std::string> what;
      const auto put = [&](std::uint64_t number, std::string_view how) {
        if (number > 0) what.push_back(fmt::format("{} {}", number, how));
      };
      const bool real = is_real(data.second);
      put(loss.cut, "lost a fraction");
      put(loss.bounded, real ? "became infinite" : "lay out of range, and became the nearer end of it");
      put(loss.nans, "came as NaN, and became the least integer");
      put(loss.vanished, "became 0");
      text += fmt::format("Conversion to {}: of {} of {}, {}.\n", petri::name_of(data.second),
                          counted(loss.numbers, "number"), counted(static_cast<std::size_t>(data.first), "rank"),
                          fmt::join(what, "; "));
    }
    return text;
  }

  static bool is_real(ElementType type) { return type != ElementType::int32 && type != ElementType::int64; }

  Row row(std::size_t i) const {
    const Found& f = found(i);
    const Configuration& c = at(i);
    Row row{c.how(), std::to_string(c.ranks), std::string(petri::name_of(c.type)), c.layout.empty() ? "-" : c.layout};
    if (f.baseline == i) {
      row.insert(row.end(), {"(the first)", "", ""});
    } else {
      const PairStatistics& pair = f.to_baseline;
      row.push_back(fmt::format("{:.3g} %",
                                100.0 * static_cast<double>(pair.differing()) / static_cast<double>(pair.elements())));
      row.push_back(pair.first() ? std::to_string(pair.first()->element) : "-");
      row.push_back(ulps_text(pair.ulps().most()));
    }
    if (f.error.elements() == 0) return row;
    row.push_back(fmt::format("{} {} {}", ulps_text(f.error.ulps().quantile(0.5)),
                              ulps_text(f.error.ulps().quantile(0.99)), ulps_text(f.error.ulps().most())));
    row.push_back(fmt::format("{:.2g}", f.error.most_absolute()));
    row.push_back(fmt::format("{:.2g}", f.error.most_relative()));
    row.push_back(fmt::format("{:.2g}", f.error.norm_relative()));
    row.push_back(fmt::format("{:.2g}", f.error.most_roundings()));
    return row;
  }

  // The place of what was measured of a configuration that is predicted.
  std::optional<std::size_t> measured_place(std::size_t prediction) const {
    for (const auto& [place, measurement] : reductions_.measured->of)
      if (measurement.prediction == prediction) return place;
    return std::nullopt;
  }

  // Of a configuration that is predicted, and measured or not.
  Row measured_row(std::size_t i) const {
    const Configuration& c = at(i);
    Row row{c.how(), std::to_string(c.ranks), std::string(petri::name_of(c.type))};
    const Measurements& measured = *reductions_.measured;
    const auto place = measured_place(i);
    if (!place) {
      const auto reason = measured.not_of.find(i);
      row.push_back("predicted only" + (reason == measured.not_of.end() ? "" : ": " + reason->second));
      return row;
    }
    const Found& f = found(*place);
    const bool same = f.to_prediction.differing() == 0, sure = f.determinism != order::Determinism::not_guaranteed;
    row.push_back(sure ? same ? "yes" : "no" : same ? "yes, not guaranteed" : "no, not guaranteed");
    row.push_back(same ? "-" : std::to_string(f.to_prediction.first()->element));
    row.push_back(f.views == 1 ? "one result" : f.among_ranks.differing() == 0 ? "yes" : "no");
    row.push_back(fmt::format("{} in {}", distinct_results(measured.of.at(*place)), counted(f.runs, "run")));
    return row;
  }

  std::string measured() const {
    if (!reductions_.measured) return {};
    const std::string& library = reductions_.measured->library;
    std::vector<Row> rows{{"order or kernel", "ranks", "type", "as predicted", "first at", "ranks agree", "results"}};
    for (std::size_t i = 0; i < comparison_.found.size(); ++i)
      if (!at(i).measured) rows.push_back(measured_row(i));
    return fmt::format("\n{} under mpirun, each run a call in one job:\n{}",
                       library.empty() ? "Nothing was measured" : "Measured with " + library, columns(rows));
  }

  std::string table() const {
    const bool exact = std::any_of(comparison_.found.begin(), comparison_.found.end(),
                                   [](const Found& f) { return f.error.elements() > 0; });
    std::vector<Row> rows{{"order or kernel", "ranks", "type", "layout", "differs", "first at", "ULPs"}};
    if (exact)
      rows.front().insert(rows.front().end(),
                          {"error: ULPs 50% 99% all", "absolute", "relative", "of norm", "roundings"});
    for (std::size_t i = 0; i < comparison_.found.size(); ++i) rows.push_back(row(i));
    std::string text = columns(rows);
    text += "\ndiffers, first at, ULPs: from the first configuration that reduces the same numbers.\n";
    if (exact)
      text +=
          "error: from the exact result; the largest absolute and relative ones, that of the vector's norm, and the "
          "largest\nin roundings of Σ|x|, by which orders are to be judged: cancellation does not enter it.\n";
    return text;
  }

  const Reductions& reductions_;
  const Comparison& comparison_;
  Agreement agreement_;
};

}  // namespace

std::string render_text(const Reductions& reductions, const Comparison& comparison, const ComparedNumbers& numbers) {
  return Report(reductions, comparison).text(numbers);
}

}  // namespace petri
