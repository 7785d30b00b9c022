#include "harness/import/traced_job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>

#include "harness/import/unrecorded_ranks.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/rank_ranges.hpp"

namespace petri {
namespace {

// Of all communicators together: what a small file can claim is bounded.
constexpr std::uint64_t kMostMembers = std::uint64_t{1} << 26;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// What is told of a group, as bytes.
std::string identity_of(const TracedGroup& group) {
  std::string bytes = fmt::format("{}\n{}\n{}\n{} {} {}{} ", group.name, group.description, group.backend, group.last,
                                  group.size, group.whole ? 'w' : '-', group.everyone ? 'e' : '-');
  bytes.append(reinterpret_cast<const char*>(group.ranks.data()), group.ranks.size() * sizeof(std::int32_t));
  return bytes;
}

// The members of a group that begins so, where the distance from rank to rank is the same throughout.
bool complete_by_stride(TracedGroup& group) {
  const auto told = static_cast<std::int32_t>(group.ranks.size());
  if (told < 2 || group.last < 0 || group.size <= told) return false;
  const std::int64_t stride = std::int64_t{group.ranks[1]} - group.ranks[0];
  for (std::int32_t i = 1; i < told; ++i)
    if (std::int64_t{group.ranks[static_cast<std::size_t>(i)]} - group.ranks[static_cast<std::size_t>(i - 1)] != stride)
      return false;
  if (group.ranks.front() + stride * (group.size - 1) != group.last) return false;
  for (std::int32_t i = told; i < group.size; ++i)
    group.ranks.push_back(static_cast<std::int32_t>(group.ranks.front() + stride * i));
  return true;
}

bool starts_like(const TracedGroup& whole, const TracedGroup& part) {
  return whole.ranks.size() >= part.ranks.size() &&
         (part.size == 0 || static_cast<std::size_t>(part.size) == whole.ranks.size()) &&
         (part.last < 0 || whole.ranks.back() == part.last) &&
         std::equal(part.ranks.begin(), part.ranks.end(), whole.ranks.begin());
}

std::int32_t highest_in(const TracedGroup& group) {
  std::int32_t highest = std::max(group.last, -1);
  for (const std::int32_t rank : group.ranks) highest = std::max(highest, rank);
  return group.everyone ? std::max(highest, group.size - 1) : highest;
}

}  // namespace

std::int32_t rank_in_name(std::string_view leaf) {
  const auto number_at = [&](std::size_t at) {
    std::int32_t number = -1;
    const auto [end, error] = std::from_chars(leaf.data() + at, leaf.data() + leaf.size(), number);
    return error == std::errc() && number < kMaxWorld ? number : -1;
  };
  if (const std::size_t word = leaf.rfind("rank"); word != std::string_view::npos) {
    std::size_t at = word + 4;
    if (at < leaf.size() && std::string_view("._-= ").find(leaf[at]) != std::string_view::npos) ++at;
    if (at < leaf.size() && is_digit(leaf[at])) return number_at(at);
  }
  // The last number that stands alone between the marks of a name, as in "trace.3.et" or "et_3.json".
  const auto is_mark = [](char c) { return c == '.' || c == '_' || c == '-'; };
  for (std::size_t end = leaf.size(); end > 0; --end) {
    if (!is_digit(leaf[end - 1]) || (end < leaf.size() && !is_mark(leaf[end]))) continue;
    std::size_t begin = end;
    while (begin > 0 && is_digit(leaf[begin - 1])) --begin;
    if (begin == 0 || is_mark(leaf[begin - 1])) return number_at(begin);
    end = begin + 1;
  }
  return -1;
}

std::int32_t TracedJob::group_number(const TracedGroup& group) {
  const auto [place, fresh] = numbers_.try_emplace(identity_of(group), static_cast<std::int32_t>(groups_.size()));
  if (fresh) groups_.push_back(group);
  return place->second;
}

void TracedJob::add(TracedRank traced) {
  std::vector<bool> used(traced.groups.size());
  for (const TracedCall& call : traced.calls)
    if (call.launch != TracedLaunch::closes) used[static_cast<std::size_t>(call.event.comm)] = true;
  std::vector<std::int32_t> numbers(traced.groups.size(), kNoComm);
  for (std::size_t i = 0; i < traced.groups.size(); ++i) {
    const TracedGroup& group = traced.groups[i];
    world_ = std::max({world_, highest_in(group) + 1});
    if (used[i] || group.whole || group.everyone) numbers[i] = group_number(group);
  }
  world_ = std::max({world_, traced.world, traced.rank + 1});
  for (TracedCall& call : traced.calls) {
    if (call.launch == TracedLaunch::closes) continue;
    call.event.comm = numbers[static_cast<std::size_t>(call.event.comm)];
    if (call.peer_is_global) world_ = std::max(world_, call.event.peer + 1);
  }
  if (world_ > kMaxWorld) throw InputError(traced.file, 0, 0, fmt::format("more than {} ranks", kMaxWorld));
  parts_.push_back({std::move(traced.file), std::move(traced.leaf), traced.rank, std::move(traced.calls), traced.cut,
                    traced.whole_run});
}

void TracedJob::name_ranks(ImportNotes& notes) {
  for (Part& part : parts_) {
    if (part.rank < 0) part.rank = rank_in_name(part.leaf);
    if (part.rank < 0 && parts_.size() > 1)
      throw InputError(part.file, 0, 0,
                       "neither what is in the file nor its name tells which rank it is of, e.g. \"rank_3.json\"");
    if (part.rank < 0) {
      part.rank = 0;
      notes.warnings.push_back(
          fmt::format("{}: it is not told which rank it is of, so that it is taken for rank 0", part.file));
    }
    world_ = std::max(world_, part.rank + 1);
  }
}

// A profiler writes one file for each of its windows.
void TracedJob::join_parts(ImportNotes& notes) {
  const auto begins = [](const Part& part) { return part.calls.empty() ? 0 : part.calls.front().time; };
  std::stable_sort(parts_.begin(), parts_.end(), [&](const Part& a, const Part& b) {
    return a.rank != b.rank ? a.rank < b.rank : begins(a) < begins(b);
  });
  std::vector<std::int32_t> several;
  std::vector<Part> joined;
  for (Part& part : parts_) {
    if (joined.empty() || joined.back().rank != part.rank) {
      joined.push_back(std::move(part));
      continue;
    }
    if (several.empty() || several.back() != part.rank) several.push_back(part.rank);
    Part& first = joined.back();
    first.calls.insert(first.calls.end(), part.calls.begin(), part.calls.end());
    first.cut = part.cut;
    first.whole_run = first.whole_run && part.whole_run;
  }
  parts_ = std::move(joined);
  if (!several.empty())
    notes.warnings.push_back(
        fmt::format("there are several files of {}: they are taken for one after the other", ranks_in_words(several)));
}

bool TracedJob::complete_by_others(TracedGroup& group) const {
  if (group.name.empty()) return false;
  for (const TracedGroup& other : groups_) {
    if (!other.whole || other.name != group.name || !starts_like(other, group)) continue;
    group.ranks = other.ranks;
    return true;
  }
  return false;
}

// The ranks that call on each group, ascending.
std::vector<std::vector<std::int32_t>> TracedJob::users() const {
  std::vector<std::vector<std::int32_t>> users(groups_.size());
  for (const Part& part : parts_)
    for (const TracedCall& call : part.calls) {
      if (call.launch == TracedLaunch::closes) continue;
      std::vector<std::int32_t>& of = users[static_cast<std::size_t>(call.event.comm)];
      if (of.empty() || of.back() != part.rank) of.push_back(part.rank);
    }
  return users;
}

// Whether they are as many as the group is said to have.
bool TracedJob::complete_by_users(TracedGroup& group, const std::vector<std::int32_t>& users) {
  std::set<std::int32_t> members(group.ranks.begin(), group.ranks.end());
  if (group.last >= 0) members.insert(group.last);
  members.insert(users.begin(), users.end());
  group.ranks.assign(members.begin(), members.end());
  return group.size == static_cast<std::int32_t>(group.ranks.size());
}

void TracedJob::complete_groups(ImportNotes& notes) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(world_));
  std::iota(all.begin(), all.end(), 0);
  const std::vector<std::vector<std::int32_t>> users = this->users();
  std::vector<std::string> guessed;
  std::uint64_t members = 0;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    TracedGroup& group = groups_[i];
    if (group.whole) continue;
    const bool counts_all = group.size == world_ && std::equal(group.ranks.begin(), group.ranks.end(), all.begin());
    if (group.everyone || counts_all)
      group.ranks = all;
    else if (!complete_by_others(group) && !complete_by_stride(group) && !complete_by_users(group, users[i]))
      guessed.push_back(group.name.empty() ? "without a name" : '"' + group.name + '"');
    group.whole = true;
    members += group.ranks.size();
    if (members > kMostMembers)
      throw InputError(parts_.front().file, 0, 0, fmt::format("groups of more than {} members in all", kMostMembers));
  }
  if (guessed.empty()) return;
  const std::size_t named = std::min<std::size_t>(guessed.size(), 5);
  notes.warnings.push_back(fmt::format("who is in the {} {}{} is not told: those are taken that call there",
                                       guessed.size() == 1 ? "group" : "groups",
                                       fmt::join(guessed.begin(), guessed.begin() + static_cast<long>(named), ", "),
                                       named < guessed.size() ? ", …" : ""));
}

void TracedJob::make_comms(Scenario& scenario) {
  std::vector<bool> used(groups_.size());
  for (const Part& part : parts_)
    for (const TracedCall& call : part.calls)
      if (call.launch != TracedLaunch::closes) used[static_cast<std::size_t>(call.event.comm)] = true;
  std::map<std::pair<std::string, std::vector<std::int32_t>>, std::int32_t> made;
  comms_.assign(groups_.size(), kNoComm);
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (!used[i]) continue;
    const TracedGroup& group = groups_[i];
    if (group.name.empty() && group.everyone) {
      comms_[i] = 0;
      continue;
    }
    const auto [place, fresh] = made.try_emplace({group.name, group.ranks}, kNoComm);
    if (fresh) {
      const std::string name = group.name.empty() ? "group" : group.name;
      std::string unique = name;
      if (scenario.find_comm(unique) != kNoComm && !group.ranks.empty())
        unique = fmt::format("{}:{}-{}", name, group.ranks.front(), group.ranks.back());
      for (int again = 2; scenario.find_comm(unique) != kNoComm; ++again) unique = fmt::format("{}#{}", name, again);
      place->second = scenario.add_comm({unique, group.ranks, true, {}, group.backend, group.description, {}});
    }
    comms_[i] = place->second;
  }
}

Scenario TracedJob::finish(ImportNotes& notes) {
  name_ranks(notes);
  join_parts(notes);
  complete_groups(notes);
  Scenario scenario(world_);
  make_comms(scenario);
  positions_.resize(scenario.comms.size());
  for (RankTrace& rank : scenario.ranks) rank.end.kind = EndKind::missing, rank.end.stated = true;
  find_positions(notes);
  find_windows(notes);
  leave_out_messages(scenario, notes);
  for (Part& part : parts_) {
    place_part(part, scenario);
    part.calls = {};
  }
  join_unrecorded(scenario);
  if (guessed_launches_ > 0)
    notes.facts.push_back(fmt::format(
        "sends and receives that follow each other are taken for one launch, as nothing tells where one ends: {}",
        counted(guessed_launches_, "time")));
  return scenario;
}

}  // namespace petri
