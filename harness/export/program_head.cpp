#include "harness/export/program_head.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/export/c_text.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/rank_ranges.hpp"

namespace petri {

using c::comment_text;

std::string original_ranks(const Scenario& scenario, const std::vector<std::int32_t>& ranks) {
  if (!scenario.header.origin || scenario.header.origin->ranks.empty()) return "";
  std::vector<std::int32_t> old;
  for (const std::int32_t rank : ranks) old.push_back(scenario.header.origin->ranks[static_cast<std::size_t>(rank)]);
  std::sort(old.begin(), old.end());
  return fmt::format(", {} of the original job", rank_ranges(old));
}

std::string ranks_line(const Scenario& scenario, const std::vector<std::int32_t>& ranks) {
  return fmt::format("{} {}{}", ranks.size() == 1 ? "Rank" : "Ranks", rank_ranges(ranks),
                     original_ranks(scenario, ranks));
}

std::string title_line(const Scenario& scenario, const std::string& source, std::string_view kind) {
  const std::string& job = scenario.header.job;
  return fmt::format("{}: {} of a recorded {}, written by petri from {}.", comment_text(job.empty() ? "case" : job),
                     counted(static_cast<std::uint64_t>(scenario.world()), "rank"), kind, comment_text(source));
}

CaseOutcome case_outcome(const Scenario& scenario, const std::string& verdict, const std::string& signature) {
  const Header& header = scenario.header;
  const auto& known = header.expect && !header.expect->absent ? header.expect : header.observed;
  CaseOutcome outcome{verdict, signature};
  if (verdict.empty() && known && known->verdict) outcome.verdict = name_of(*known->verdict);
  if (signature.empty() && known) outcome.signature = known->signature;
  return outcome;
}

std::string outcome_lines(std::string_view begin, const CaseOutcome& outcome) {
  std::string out;
  if (!outcome.verdict.empty()) out += fmt::format("{} Verdict:   {}\n", begin, comment_text(outcome.verdict));
  if (!outcome.signature.empty()) out += fmt::format("{} Signature: {}\n", begin, comment_text(outcome.signature));
  return out;
}

std::string original_line(std::string_view begin, const Header& header) {
  if (!header.origin || header.origin->source.empty()) return "";
  return fmt::format("{} Original:  {} {}\n", begin, comment_text(header.origin->source),
                     comment_text(header.origin->digest));
}

std::string beginning_lines(std::string_view begin, const Scenario& scenario, std::size_t left_out) {
  std::string out;
  if (std::any_of(scenario.ranks.begin(), scenario.ranks.end(), [](const auto& rank) { return rank.end.dropped > 0; }))
    out += fmt::format("{} Beginning: some records lack theirs, and nothing is made up for it\n", begin);
  if (left_out > 0)
    out += fmt::format("{}            left out: {} that the records of other members show as over\n", begin,
                       counted(left_out, "call"));
  return out;
}

}  // namespace petri
