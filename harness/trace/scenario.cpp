#include "harness/trace/scenario.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace petri {
namespace {

constexpr std::array<std::string_view, 9> kVerdicts{"completes",  "deadlock", "mismatch", "race",     "divergence",
                                                    "rank-error", "skew",     "misuse",   "ambiguous"};
constexpr std::array<std::string_view, 7> kEnds{"finalized", "exited", "aborted", "signal",
                                                "running",   "cut",    "missing"};

constexpr double kNoTime = std::numeric_limits<double>::quiet_NaN();

template <class Enum, std::size_t N>
std::optional<Enum> position_in(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  return kVerdicts.at(static_cast<std::size_t>(verdict));
}

std::optional<Verdict> verdict_named(std::string_view name) {
  return position_in<Verdict>(kVerdicts, name);
}

std::string_view name_of(EndKind end) {
  return kEnds.at(static_cast<std::size_t>(end));
}

std::optional<EndKind> end_kind_named(std::string_view name) {
  return position_in<EndKind>(kEnds, name);
}

std::int32_t Communicator::group_rank_of(std::int32_t global) const {
  const auto found = std::find(ranks.begin(), ranks.end(), global);
  if (found != ranks.end()) return static_cast<std::int32_t>(found - ranks.begin());
  const auto across = std::find(remote.begin(), remote.end(), global);
  return across == remote.end() ? -1 : static_cast<std::int32_t>(across - remote.begin());
}

const std::vector<std::int32_t>& Communicator::peers_of(std::int32_t global) const {
  if (!is_inter()) return ranks;
  const bool first_group = std::find(ranks.begin(), ranks.end(), global) != ranks.end();
  return first_group ? remote : ranks;
}

double RankTrace::time_of(std::size_t index) const {
  return index < times.size() ? times[index] : kNoTime;
}

void RankTrace::set_time(std::size_t index, double time) {
  if (index >= times.size()) {
    if (std::isnan(time)) return;
    times.resize(index + 1, kNoTime);
  }
  times[index] = time;
}

SymbolTable::SymbolTable() {
  intern("");
}

std::uint32_t SymbolTable::intern(std::string_view text) {
  const auto [place, inserted] = index_.try_emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
  if (inserted) texts_.emplace_back(text);
  return place->second;
}

Scenario::Scenario(std::int32_t world) : ranks(static_cast<std::size_t>(world)) {
  header.world = world;
  Communicator all;
  all.name = "world";
  all.ranks.resize(ranks.size());
  std::iota(all.ranks.begin(), all.ranks.end(), 0);
  add_comm(std::move(all));
}

std::int32_t Scenario::find_comm(std::string_view name) const {
  const auto found = comm_index_.find(std::string(name));
  return found == comm_index_.end() ? kNoComm : found->second;
}

std::int32_t Scenario::add_comm(Communicator comm) {
  const auto index = static_cast<std::int32_t>(comms.size());
  comm_index_.emplace(comm.name, index);
  comms.push_back(std::move(comm));
  return index;
}

std::size_t Scenario::event_count() const {
  return std::accumulate(ranks.begin(), ranks.end(), std::size_t{0},
                         [](std::size_t sum, const RankTrace& rank) { return sum + rank.events.size(); });
}

}  // namespace petri
