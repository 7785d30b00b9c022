#include "harness/cli/live_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

namespace petri::cli {
namespace {

// The reason in "no: <reason>", or nothing where the key allows a replay.
std::string stated_reason(const std::string& json_text) {
  const auto json = nlohmann::json::parse(json_text, nullptr, false);
  if (json.is_boolean()) return json.get<bool>() ? "" : "the scenario says so";
  if (!json.is_string()) return "";
  const std::string text = json.get<std::string>();
  if (!text.starts_with("no")) return "";
  const std::size_t reason = text.find_first_not_of(": ", 2);
  return reason == std::string::npos ? "the scenario says so" : text.substr(reason);
}

}  // namespace

bool needs_nccl(const Scenario& scenario) {
  const auto of_nccl = [](const Event& event) {
    return kind_of(event.op) == OpKind::device || !event.extras.stream().empty();
  };
  return scenario.header.backend == "nccl" &&
         std::any_of(scenario.ranks.begin(), scenario.ranks.end(), [&](const RankTrace& rank) {
           return std::any_of(rank.events.begin(), rank.events.end(), of_nccl);
         });
}

std::string why_not_live(const Scenario& scenario) {
  for (const auto& [key, value] : scenario.header.free_keys) {
    if (key != "x_live") continue;
    if (std::string reason = stated_reason(value); !reason.empty()) return reason;
  }
  if (const auto& expect = scenario.header.expect; expect && expect->verdict == Verdict::divergence)
    return std::string(kNumbersAreItsOwn);
  if (needs_nccl(scenario)) return "its streams and groups are NCCL's, and only MPI is replayed";
  if (scenario.world() > kMaxLiveWorld) {
    return fmt::format("{} ranks are more than the {} that are replayed on one machine", scenario.world(),
                       kMaxLiveWorld);
  }
  return "";
}

}  // namespace petri::cli
