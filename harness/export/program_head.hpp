// What exported programs say of their case, whatever their language. Internal to harness/export.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri {

// ", rank 7 of the original job", by ranks of the scenario; empty where they are those of the job.
std::string original_ranks(const Scenario& scenario, const std::vector<std::int32_t>& ranks);

// "Ranks 0-3, 8-11 of the original job": whose function it is.
std::string ranks_line(const Scenario& scenario, const std::vector<std::int32_t>& ranks);

// "moe-eval: 4 ranks of a recorded job, written by petri from hang.jsonl."
std::string title_line(const Scenario& scenario, const std::string& source, std::string_view kind = "job");

// What a program is to show: what its writer was told, else what the scenario expects or observed.
struct CaseOutcome {
  std::string verdict, signature;  // empty: not known
};
CaseOutcome case_outcome(const Scenario& scenario, const std::string& verdict, const std::string& signature);

// Lines of a comment, each behind `begin`: of the outcome, of the original, and of records that lack their beginnings.
std::string outcome_lines(std::string_view begin, const CaseOutcome& outcome);
std::string original_line(std::string_view begin, const Header& header);
std::string beginning_lines(std::string_view begin, const Scenario& scenario, std::size_t left_out);

}  // namespace petri
