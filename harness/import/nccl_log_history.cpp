#include "harness/import/nccl_log_history.hpp"

#include <algorithm>
#include <functional>

namespace petri {
namespace {

constexpr std::ptrdiff_t kMostInLaunch = 4096;  // calls of one launch that are looked through
constexpr std::size_t kMostMended = 4096;       // of a process; one with more torn lines keeps them torn

}  // namespace

CreationKey creation_of(const CommLife& life) {
  return {life.pointer, life.id, life.nranks, life.rank, life.split, life.color};
}

std::uint32_t print_of(std::string_view call) {
  constexpr std::string_view kLast = " stream ";
  const std::size_t last = call.find(kLast);
  if (last != std::string_view::npos) call = call.substr(0, call.find(' ', last + kLast.size()));
  const std::uint64_t hash = std::hash<std::string_view>()(call);
  return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

std::vector<CallHistory::Call>::iterator CallHistory::first_of(std::uint32_t op_count) {
  return std::lower_bound(calls_.begin(), calls_.end(), op_count,
                          [](const Call& call, std::uint32_t number) { return call.op_count < number; });
}

bool CallHistory::knows(std::uint32_t op_count, std::uint32_t print, bool seen_twice) {
  if (calls_.empty() || op_count > calls_.back().op_count) return false;
  const auto is_it = [&](const Call& call) { return call.op_count == op_count && call.print == print; };
  if (at_ < calls_.size() && is_it(calls_[at_])) return ++at_, true;
  if (op_count == calls_.back().op_count && !seen_twice) return false;
  const auto end = std::upper_bound(calls_.begin(), calls_.end(), op_count,
                                    [](std::uint32_t number, const Call& call) { return number < call.op_count; });
  const auto first = std::max(first_of(op_count), end - std::min(end - calls_.begin(), kMostInLaunch));
  const auto found = std::find_if(first, end, is_it);
  if (found == end) return false;
  at_ = static_cast<std::size_t>(found - calls_.begin()) + 1;
  return true;
}

void CallHistory::append(std::uint32_t op_count, std::uint32_t print) {
  calls_.push_back({op_count, print});
  at_ = calls_.size();
}

void CallHistory::insert(std::uint32_t op_count, std::uint32_t print) {
  const auto at = calls_.insert(first_of(op_count), {op_count, print});
  at_ = static_cast<std::size_t>(at - calls_.begin()) + 1;
}

std::optional<std::uint32_t> ProcessHistory::created(const CommLife& life) const {
  const auto found = creations_.find(creation_of(life));
  return found == creations_.end() ? std::nullopt : std::optional(found->second);
}

void ProcessHistory::create_again(std::uint32_t life) {
  calls_[life].create_again();
  is_repeating_ = seen_twice_ = true;
}

bool ProcessHistory::knows(std::uint32_t life, std::uint32_t op_count, std::uint32_t print) {
  if (!calls_[life].knows(op_count, print, seen_twice_)) return false;
  is_repeating_ = seen_twice_ = true;
  return true;
}

bool ProcessHistory::mends(LogProcess& process, std::uint32_t life, const Event& call, std::uint32_t op_count,
                           std::uint32_t print) {
  if (process.torn.empty() || process.torn.size() > kMostMended) return false;
  if (!is_repeating_ && calls_[life].is_behind(op_count)) return false;
  const auto torn = std::find_if(process.torn.begin(), process.torn.end(), [&](const TornCall& one) {
    return one.op == call.op && one.op_count && static_cast<std::uint32_t>(*one.op_count) == op_count;
  });
  if (torn == process.torn.end()) return false;
  process.events[torn->at] = call;
  process.events[torn->at].comm = static_cast<std::int32_t>(life);
  process.prints[torn->at] = print;
  process.torn.erase(torn);
  calls_[life].insert(op_count, print);
  is_repeating_ = seen_twice_ = true;
  return true;
}

void ProcessHistory::append(std::uint32_t life, std::uint32_t op_count, std::uint32_t print) {
  calls_[life].append(op_count, print);
  is_repeating_ = false;
}

bool ProcessHistory::knows_error(std::string_view text) {
  return !errors_.insert(std::hash<std::string_view>()(text)).second && is_repeating_;
}

}  // namespace petri
