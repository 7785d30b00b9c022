#include "harness/cli/shrink_report.hpp"
#include "harness/cli/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>

#include "harness/report/text.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/rank_ranges.hpp"

namespace petri::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownSignatures = 3;
constexpr std::size_t kShownRanks = 32;  // one by one

std::string size_text(const reduce::Size& size) {
  return fmt::format("{}, {}, {}", counted(size.ranks, "rank"), counted(size.events, "event"),
                     counted(size.comms, "communicator"));
}

std::string origin_text(const Scenario& scenario) {
  std::string text;
  if (!scenario.header.origin) return text;
  if (scenario.header.origin->ranks.size() > kShownRanks) return rank_ranges(scenario.header.origin->ranks);
  for (const std::int32_t rank : scenario.header.origin->ranks)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", rank);
  return text;
}

// A tie of two ranks may be all that is left of what a whole job tells.
std::string culprits_text(const ShrinkReport& report, const Scenario& result) {
  std::vector<std::int32_t> left = result.header.origin ? result.header.origin->ranks : std::vector<std::int32_t>();
  std::sort(left.begin(), left.end());
  std::vector<std::int32_t> gone;
  std::set_difference(report.culprits.begin(), report.culprits.end(), left.begin(), left.end(),
                      std::back_inserter(gone));
  std::string text = fmt::format("{} of the original job", ranks_in_words(report.culprits));
  if (!gone.empty()) text += fmt::format("; it fails without {}, too", ranks_in_words(gone));
  return text;
}

std::string_view state_name(LiveConfirmation::State state) {
  switch (state) {
    case LiveConfirmation::State::confirmed: return "confirmed";
    case LiveConfirmation::State::differs: return "differs";
    case LiveConfirmation::State::undecided: return "undecided";
    case LiveConfirmation::State::skipped: break;
  }
  return "skipped";
}

void print_also_found(const ShrinkReport& report, const reduce::ShrinkResult& result, std::FILE* to) {
  const auto& found = result.also_found;
  if (found.empty()) return;
  say(to, "also found:  {} met on the way\n", counted(found.size(), "different failure"));
  const bool filed = !report.also_found_files.empty();
  const std::size_t shown = filed ? found.size() : std::min(found.size(), kShownSignatures);
  for (std::size_t i = 0; i < shown; ++i) {
    say(to, "             {}{}{}\n", printable_line(found[i].signature), filed ? " -> " : "",
        filed ? report.also_found_files[i] : "");
  }
  if (shown < found.size()) say(to, "             … (--also-found FOLDER keeps them)\n");
}

// Why it stopped early, and whether another run would stop elsewhere.
std::string stop_text(const reduce::ShrinkResult& result) {
  if (result.stopped_by.empty()) return "";
  return fmt::format(" (by {}{})", result.stopped_by, result.repeatable() ? "" : "; another run may stop elsewhere");
}

std::string_view go_on_text(const reduce::ShrinkResult& result) {
  if (result.stopped_by == "tests") return " with a larger --max-tests";
  return result.stopped_by == "time" ? " again, its time begins anew" : " again";
}

// What the claim knows nothing of, and what it rests on.
std::string limits_text(const ShrinkReport& report, const reduce::ShrinkResult& result) {
  if (!result.stopped_by.empty()) return "";
  std::string text;
  if (result.undecided_singles > 0)
    text = fmt::format(", but for {} without an answer", counted(result.undecided_singles, "removal"));
  if (report.k_of_n)
    text += fmt::format(", as far as {} of {} tell", report.k_of_n->k, counted(report.k_of_n->n, "run"));
  return text;
}

void print_undecided(const reduce::ShrinkResult& result, std::FILE* to) {
  if (result.undecided == 0) return;
  say(to, "undecided:   {} had no answer (a time-out or exit status 125) and {} kept out\n",
      counted(result.undecided, "candidate"), result.undecided == 1 ? "was" : "were");
}

void print_other_failures(const std::vector<std::string>& others, std::FILE* to) {
  if (others.empty()) return;
  say(to, "not kept:    {} of the input\n", counted(others.size(), "other failure"));
  for (std::size_t i = 0; i < std::min(others.size(), kShownSignatures); ++i)
    say(to, "             {}\n", printable_line(others[i]));
  if (others.size() > kShownSignatures) say(to, "             … (petri diagnose tells all)\n");
}

// The sizes themselves, or what is smaller where those are alike.
std::string gain_text(const reduce::Size& before, const reduce::Size& after) {
  const std::string from = size_text(before);
  const std::string to = size_text(after);
  if (from != to) return from + " -> " + to;
  if (before.payload != after.payload)
    return fmt::format("{} -> {}", counted(before.payload, "element"), after.payload);
  return fmt::format("{} -> {}", counted(before.facts, "recorded outcome"), after.facts);
}

void print_history(const reduce::ShrinkResult& result, std::FILE* to) {
  std::size_t width = 0;
  for (const reduce::Gain& gain : result.history) width = std::max(width, gain.pass.size());
  std::string_view label = "history:";
  for (const reduce::Gain& gain : result.history) {
    say(to, "{:<13}{:<{}}  {}\n", label, gain.pass, width, gain_text(gain.before, gain.after));
    label = "";
  }
}

void print_asked_again(const reduce::Answers& answers, std::FILE* to) {
  if (answers.asked() == 0) return;
  say(to, "asked again: {} of {} on the result show{} the failure{}\n", answers.reproduces,
      counted(answers.asked(), "run"), answers.reproduces == 1 ? "s" : "",
      answers.reproduces < answers.asked() ? ": the oracle wavers, see --k-of-n" : "");
}

void print_how_to_go_on(const ShrinkReport& report, const reduce::ShrinkResult& result, std::FILE* to) {
  if (report.ended) return;
  if (report.journal.empty())
    say(to, "to go on:    by no means: what is known went nowhere; --journal FILE keeps it\n");
  else
    say(to, "to go on:    the same command{} (what is known lies in {})\n", go_on_text(result), report.journal);
}

Json json_of(const reduce::Size& size) {
  return {{"ranks", size.ranks}, {"events", size.events}, {"communicators", size.comms}};
}

}  // namespace

void ProgressLine::show(const reduce::Progress& p) {
  if (!line_.due()) return;
  line_.show(fmt::format("{}: {}, {}; {}, {:.0f}/s, {:.0f} % wasted; last gain {:.1f} s ago", p.pass,
                         counted(p.size.ranks, "rank"), counted(p.size.events, "event"), counted(p.tests, "candidate"),
                         p.candidates_per_second, 100 * p.wasted, p.seconds_since_gain));
}

void print_text(const ShrinkReport& report, const reduce::ShrinkResult& result, std::FILE* to) {
  say(to, "from:        {} ({})\n", printable_line(report.input), size_text(report.before));
  say(to, "to:          {} ({})\n", report.output, size_text(report.after));
  if (report.outcome.verdict) say(to, "failure:     {}\n", printable_line(report.outcome.signature));
  if (!report.culprits.empty()) say(to, "begun by:    {}\n", culprits_text(report, result.scenario));
  say(to, "claim:       {}{}{}\n", result.claim, limits_text(report, result), stop_text(result));
  say(to, "ranks:       original {}\n", origin_text(result.scenario));
  say(to, "candidates:  {} decided, {} judged in {:.2f} s\n", result.tests, result.asked, result.seconds);
  print_undecided(result, to);
  print_history(result, to);
  print_other_failures(report.other_failures, to);
  print_also_found(report, result, to);
  print_asked_again(report.asked_again, to);
  const bool replayed = report.live.state != LiveConfirmation::State::skipped;
  say(to, "live:        {}: {}\n", replayed ? state_name(report.live.state) : "not replayed",
      printable_line(report.live.text));
  print_how_to_go_on(report, result, to);
  if (!report.warning.empty()) say(to, "warning:     {}\n", printable_line(report.warning));
}

void print_json(const ShrinkReport& report, const reduce::ShrinkResult& result, std::FILE* to) {
  Json json{{"input", report.input}, {"output", report.output}};
  if (report.outcome.verdict) json["verdict"] = name_of(*report.outcome.verdict);
  json["signature"] = report.outcome.signature;
  json["claim"] = result.claim;
  if (!result.stopped_by.empty()) json["stopped_by"] = result.stopped_by;
  json["repeatable"] = result.repeatable();
  if (report.k_of_n) json["k_of_n"] = {{"k", report.k_of_n->k}, {"n", report.k_of_n->n}};
  if (!report.ended && !report.journal.empty()) json["journal"] = report.journal;
  json["from"] = json_of(report.before);
  json["to"] = json_of(report.after);
  json["original_ranks"] = result.scenario.header.origin ? Json(result.scenario.header.origin->ranks) : Json::array();
  json["original_culprits"] = report.culprits;
  json["tests"] = result.tests;
  json["judged"] = result.asked;
  json["wasted"] = result.wasted;
  json["undecided"] = result.undecided;
  json["undecided_singles"] = result.undecided_singles;
  json["seconds"] = result.seconds;
  json["live"] = {
      {"state", state_name(report.live.state)}, {"text", report.live.text}, {"seconds", report.live.seconds}};
  if (report.asked_again.asked() > 0)
    json["asked_again"] = {{"reproduces", report.asked_again.reproduces}, {"asked", report.asked_again.asked()}};
  json["other_failures"] = report.other_failures;
  if (!report.warning.empty()) json["warning"] = report.warning;
  json["also_found"] = Json::array();
  for (std::size_t i = 0; i < result.also_found.size(); ++i) {
    Json also{{"signature", result.also_found[i].signature}};
    also.update(json_of(reduce::size_of(result.also_found[i].scenario)));
    if (!report.also_found_files.empty()) also["file"] = report.also_found_files[i];
    json["also_found"].push_back(std::move(also));
  }
  json["history"] = Json::array();
  for (const reduce::Gain& gain : result.history) {
    json["history"].push_back({{"pass", gain.pass}, {"from", json_of(gain.before)}, {"to", json_of(gain.after)}});
  }
  fmt::print(to, "{}\n", printable_json(json.dump(2, ' ', false, Json::error_handler_t::replace)));
}

}  // namespace petri::cli
