#include "harness/import/flight_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "harness/import/flight_messages.hpp"
#include "harness/import/flight_scenario.hpp"

namespace petri {
namespace {

std::vector<std::int32_t> members_common_to(const FlightDump& dump) {
  std::vector<std::int32_t> common;
  bool any = false;
  for (const FlightGroup& group : dump.groups) {
    std::vector<std::int32_t> ranks = dump.ranks_of(group);
    // Gloo's recorder names no group, and lists ranks of the group.
    if (ranks.empty() || !group.configured || dump.text(group.name).empty()) continue;
    std::sort(ranks.begin(), ranks.end());
    if (!std::exchange(any, true)) {
      common = std::move(ranks);
      continue;
    }
    std::vector<std::int32_t> both;
    std::set_intersection(common.begin(), common.end(), ranks.begin(), ranks.end(), std::back_inserter(both));
    if (!both.empty()) common = std::move(both);
  }
  return common;
}

// pg_status has local ids. Entries join them to groups; where none does, ids and names are joined in their order, if
// there are as many of both.
void take_status(const FlightDump& dump, const std::vector<std::int32_t>& groups, FlightRecord& record) {
  std::vector<std::uint32_t> configured;
  for (std::uint32_t place = 0; place < dump.groups.size(); ++place)
    if (dump.groups[place].configured) configured.push_back(place);
  std::sort(configured.begin(), configured.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::string &one = dump.text(dump.groups[a].name), &other = dump.text(dump.groups[b].name);
    return std::pair(one.size(), one) < std::pair(other.size(), other);
  });
  const bool in_order = configured.size() == dump.status.size();
  for (std::size_t i = 0; i < dump.status.size(); ++i) {
    const auto& [id, status] = dump.status[i];
    const auto found = record.calls.local_ids.find(id);
    if (found == record.calls.local_ids.end() && !in_order) continue;
    const std::uint32_t place = found != record.calls.local_ids.end() ? found->second : configured[i];
    record.status[groups[place]] = {status.last_enqueued, status.last_completed};
  }
}

}  // namespace

void FlightJob::add(const TraceFile& file, FlightDump&& dump, FlightCalls&& calls) {
  remarks_.add(file.name, dump, calls);
  FlightRecord record;
  record.calls = std::move(calls);
  const std::vector<std::int32_t> groups = groups_of(dump, record.calls);
  std::vector<std::uint32_t> symbols(dump.texts.size(), kNoSymbol);
  for (Event& event : record.calls.events) {
    event.comm = groups[static_cast<std::size_t>(event.comm)];
    if (event.site == kNoSymbol) continue;
    std::uint32_t& symbol = symbols[event.site];
    if (symbol == kNoSymbol) symbol = symbols_.intern(dump.text(event.site));
    event.site = symbol;
  }
  note_progress(record);
  for (const std::int32_t place : record.calls.left_over)
    record.message_groups.insert(groups[static_cast<std::size_t>(place)]);
  for (const auto& [place, number] : record.calls.last_message)
    record.last_message[groups[static_cast<std::size_t>(place)]] = number;
  take_status(dump, groups, record);
  files_.push_back({file.name, file.leaf, members_common_to(dump)});
  record.cut = dump.cut;
  records_.push_back(std::move(record));
}

void FlightJob::leave_out(const InputError& error) {
  if (!first_error_) first_error_ = error;
  notes_.warnings.push_back(fmt::format("{} (left out)", error.what()));
}

Scenario FlightJob::finish() {
  if (records_.empty()) throw InputError(*first_error_);
  name_ranks();
  const std::int32_t world = this->world();
  if (remarks_.launches_counted && !remarks_.any_lost) discount_launches();
  if (remarks_.launches_counted)
    for (FlightRecord& record : records_) record.last_message.clear();
  resolve_groups();
  infer_members(world);
  for (FlightRecord& record : records_) leave_out_strays(record);
  std::vector<bool> used(groups_.size(), false);
  for (const FlightRecord& record : records_)
    for (const auto& [group, progress] : record.groups) used[static_cast<std::size_t>(group)] = true;
  groups_.add_kin(used);
  const std::vector<FlightStanding> standings = settle(records_, used);
  Scenario scenario(world);
  remarks_.partial = is_partial(scenario, records_, standings);
  for (std::size_t i = 0; i < records_.size(); ++i)
    if (standings[i].place_lost) remarks_.places_lost.push_back(records_[i].rank);
  std::sort(remarks_.places_lost.begin(), remarks_.places_lost.end());
  fill_scenario(scenario, groups_, used, standings, records_);
  fill_header(scenario);
  remarks_.say(scenario, notes_);
  return scenario;
}

void FlightJob::name_ranks() {
  const FlightRanks found = ranks_of_files(files_);
  notes_.warnings.insert(notes_.warnings.end(), found.doubts.begin(), found.doubts.end());
  for (std::size_t i = 0; i < records_.size(); ++i) records_[i].rank = found.ranks[i];
  std::erase_if(records_, [](const FlightRecord& record) { return record.rank < 0; });
}

// As far as records and groups name ranks.
std::int32_t FlightJob::world() const {
  std::int32_t world = 0;
  for (const FlightRecord& record : records_) world = std::max(world, record.rank + 1);
  for (std::size_t group = 0; group < groups_.size(); ++group)
    for (const std::int32_t rank : groups_.ranks_of(static_cast<std::int32_t>(group)))
      world = std::max(world, rank + 1);
  return world;
}

// By place in the dump, the number of the group; the last one is for entries without a group.
std::vector<std::int32_t> FlightJob::groups_of(const FlightDump& dump, const FlightCalls& calls) {
  std::vector<std::int32_t> groups;
  for (const FlightGroup& group : dump.groups)
    groups.push_back(groups_.number_of(dump.text(group.name), dump.text(group.description), dump.ranks_of(group)));
  const bool any_without = std::any_of(calls.events.begin(), calls.events.end(), [&](const Event& event) {
    return static_cast<std::size_t>(event.comm) == dump.groups.size();
  });
  groups.push_back(any_without ? groups_.number_of("", "", {}) : 0);
  for (std::size_t place = 0; place < calls.backends.size(); ++place)
    if (!calls.backends[place].empty()) groups_.set_backend(groups[place], calls.backends[place]);
  return groups;
}

// Groups whose members one dump does not say are those that other dumps tell of.
void FlightJob::resolve_groups() {
  for (FlightRecord& record : records_) {
    bool changed = false;
    for (Event& event : record.calls.events) {
      const std::int32_t resolved = groups_.resolved(event.comm, record.rank);
      changed = changed || resolved != event.comm;
      event.comm = resolved;
    }
    if (!changed) continue;
    record.groups.clear();
    note_progress(record);
  }
}

// Numbers that launches of messages took are none of collectives, and other members did not make these launches.
void FlightJob::discount_launches() {
  for (FlightRecord& record : records_) {
    FlightCalls& calls = record.calls;
    for (std::size_t i = 0; i < calls.taken.size(); ++i)
      if (calls.positions[i] != kNoPosition) calls.positions[i] -= calls.taken[i];
    record.groups.clear();
    note_progress(record);
  }
}

// Calls on groups of which the rank, or the partner of a message, is no member.
void FlightJob::leave_out_strays(FlightRecord& record) {
  FlightCalls& calls = record.calls;
  std::size_t kept = 0;
  std::set<std::uint32_t> gone;  // requests
  for (std::size_t i = 0; i < calls.events.size(); ++i) {
    Event& event = calls.events[i];
    if (kind_of(event.op) == OpKind::wait && !gone.empty()) keep_requests(event, gone);
    if (is_stray(event, record.rank)) {
      if (remarks_.strays++ == 0)
        remarks_.first_stray = fmt::format("rank {} on group {:.40}", record.rank, groups_.name_of(event.comm));
      gone.insert(event.request);
      continue;
    }
    if (kind_of(event.op) == OpKind::wait && event.extras.requests().empty()) continue;
    calls.positions[kept] = calls.positions[i];
    calls.times[kept] = calls.times[i];
    if (kept != i) calls.events[kept] = std::move(event);
    ++kept;
  }
  if (kept == calls.events.size()) return;
  calls.events.resize(kept);
  calls.positions.resize(kept);
  calls.times.resize(kept);
  record.groups.clear();
  note_progress(record);
}

bool FlightJob::is_stray(const Event& event, std::int32_t rank) const {
  const auto& members = groups_.ranks_of(event.comm);
  if (members.empty() || kind_of(event.op) == OpKind::wait) return false;
  return std::find(members.begin(), members.end(), rank) == members.end() ||
         (event.peer >= 0 && static_cast<std::size_t>(event.peer) >= members.size());
}

void FlightJob::infer_members(std::int32_t world) {
  std::vector<std::vector<std::int32_t>> users(groups_.size());
  for (const FlightRecord& record : records_)
    for (const auto& [group, progress] : record.groups) {
      users[static_cast<std::size_t>(group)].push_back(record.rank);
      if (groups_.ranks_of(group).empty()) remarks_.inferred = true;
    }
  groups_.infer_members(world, users);
}

void FlightJob::fill_header(Scenario& scenario) {
  scenario.symbols = std::move(symbols_);
  scenario.header.job = "flight-recorder";
  for (const auto& [key, values] :
       {std::pair{"flight_recorder", &remarks_.versions}, {"comm_lib", &remarks_.libraries}})
    for (const std::string& value : *values)
      if (!value.empty()) scenario.header.environment.emplace_back(key, value);
}

}  // namespace petri
