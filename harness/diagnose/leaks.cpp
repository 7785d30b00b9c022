#include <fmt/format.h>

#include <map>

#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/fault.hpp"
#include "harness/diagnose/lifetimes.hpp"

namespace petri::diagnosis {

std::vector<std::string> leaks(const Scenario& scenario, const model::Run& run) {
  std::map<std::string, std::vector<std::int32_t>> ranks;
  std::map<std::string, EventRef> first;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    const bool done = run.standing[static_cast<std::size_t>(rank)] == model::Standing::finished;
    const bool recorded = scenario.header.backend == "mpi" && scenario.ranks[static_cast<std::size_t>(rank)].end.stated;
    if (!done || !recorded || run.truncated[static_cast<std::size_t>(rank)]) continue;
    for (const auto& [name, ref] : lifetimes_of(scenario, run, rank).kept) {
      ranks[name].push_back(rank);
      first.emplace(name, ref);
    }
  }
  std::vector<std::string> texts;
  for (const auto& [name, who] : ranks)
    texts.push_back(fmt::format("{} of {} is never freed: {}", name, ranks_text(who),
                                event_text(scenario, at(scenario, first.at(name)))));
  return texts;
}

}  // namespace petri::diagnosis
