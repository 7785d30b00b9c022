#include <fmt/format.h>

#include <map>
#include <set>

#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/fault.hpp"

namespace petri::diagnosis {
namespace {

// What one rank has made and not freed, by name.
std::map<std::string, EventRef> kept_by(const Scenario& scenario, std::int32_t rank) {
  std::map<std::string, EventRef> kept;
  const auto& events = scenario.ranks[static_cast<std::size_t>(rank)].events;
  for (std::uint32_t index = 0; index < events.size(); ++index) {
    const Event& event = events[index];
    const bool window = kind_of(event.op) == OpKind::window, file = kind_of(event.op) == OpKind::file;
    if (window && creates(event.op)) kept["window " + event.extras->win] = {rank, index};
    if (event.op == Op::win_free) kept.erase("window " + event.extras->win);
    if (file && creates(event.op)) kept["file " + event.extras->file] = {rank, index};
    if (event.op == Op::file_close) kept.erase("file " + event.extras->file);
    const bool made = kind_of(event.op) == OpKind::comm_create && event.new_comm != kNoComm;
    if (made) kept["communicator " + scenario.comms[static_cast<std::size_t>(event.new_comm)].name] = {rank, index};
    if (kind_of(event.op) == OpKind::comm_free) kept.erase("communicator " + scenario.comm_of(event).name);
  }
  return kept;
}

}  // namespace

std::vector<std::string> leaks(const Scenario& scenario, const model::Run& run) {
  std::map<std::string, std::vector<std::int32_t>> ranks;
  std::map<std::string, EventRef> first;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    const bool done = run.standing[static_cast<std::size_t>(rank)] == model::Standing::finished;
    const bool recorded = scenario.header.backend == "mpi" && scenario.ranks[static_cast<std::size_t>(rank)].end.stated;
    if (!done || !recorded || run.truncated[static_cast<std::size_t>(rank)]) continue;
    for (const auto& [name, ref] : kept_by(scenario, rank)) {
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
