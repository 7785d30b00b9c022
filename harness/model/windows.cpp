#include "harness/model/windows.hpp"

#include <algorithm>

#include "harness/model/mail.hpp"

namespace petri::model {

namespace {

// Calls that return whatever other ranks do.
bool waits_for_nobody(const Event& event) {
  switch (kind_of(event.op)) {
    case OpKind::rma: return true;
    case OpKind::window:
      return event.op == Op::win_sync || event.op == Op::win_unlock || event.op == Op::win_flush ||
             event.op == Op::win_flush_local || event.op == Op::win_flush_all || event.op == Op::win_flush_local_all;
    case OpKind::host: return event.op == Op::compute || event.op == Op::sleep;
    default: return false;
  }
}

// From a lock to its unlock, does the rank wait for nobody?
bool is_given_back(const std::vector<Event>& events, std::size_t lock) {
  const Event& taken = events[lock];
  if (taken.op != Op::win_lock || !taken.extras.target()) return false;
  for (std::size_t next = lock + 1; next < events.size(); ++next) {
    const Event& event = events[next];
    if (event.extras.thread() != taken.extras.thread() || !waits_for_nobody(event)) return false;
    if (event.op != Op::win_unlock) continue;
    return event.extras.win() == taken.extras.win() && event.extras.target() == taken.extras.target();
  }
  return false;
}

}  // namespace

Windows::Windows(const Scenario& scenario) {
  for (const RankTrace& rank : scenario.ranks) {
    for (std::size_t index = 0; index < rank.events.size(); ++index) {
      const Event& event = rank.events[index];
      if (event.extras.empty() || event.extras.win().empty()) continue;
      const auto [place, fresh] = names_.try_emplace(event.extras.win(), static_cast<std::int32_t>(names_.size()));
      if (fresh) exclusive_.push_back(false), any_order_.push_back(true);
      const bool locks = event.op == Op::win_lock || event.op == Op::win_lock_all;
      if (locks && any_order_[static_cast<std::size_t>(place->second)])
        any_order_[static_cast<std::size_t>(place->second)] = is_given_back(rank.events, index);
      if (event.op == Op::win_lock && event.extras.lock() != "shared")
        exclusive_[static_cast<std::size_t>(place->second)] = true;
    }
  }
  held_.resize(names_.size());
}

std::int32_t Windows::window_of(const Event& event) const {
  const auto found = names_.find(event.extras.win());
  return found == names_.end() ? -1 : found->second;
}

std::uint32_t Windows::open(Epoch epoch) {
  const auto number = static_cast<std::uint32_t>(epochs_.size());
  open_epochs_[{epoch.window, epoch.at.rank, epoch.access}] = number;
  epochs_.push_back(std::move(epoch));
  return number;
}

std::uint32_t Windows::post(EventRef at, std::int32_t window, const std::vector<std::int32_t>& origins) {
  Epoch epoch{at, window, false, {}};
  for (const std::int32_t origin : origins) epoch.partners.emplace_back(origin, ++posts_[{window, origin, at.rank}]);
  return open(std::move(epoch));
}

std::uint32_t Windows::start(EventRef at, std::int32_t window, const std::vector<std::int32_t>& targets) {
  Epoch epoch{at, window, true, {}};
  for (const std::int32_t target : targets) epoch.partners.emplace_back(target, ++starts_[{window, at.rank, target}]);
  return open(std::move(epoch));
}

std::uint32_t Windows::open_epoch(std::int32_t window, std::int32_t rank, bool access) const {
  const auto found = open_epochs_.find({window, rank, access});
  return found == open_epochs_.end() ? kNone : found->second;
}

void Windows::complete(std::uint32_t number) {
  const Epoch& epoch = epochs_[number];
  for (const auto& [target, ordinal] : epoch.partners) completes_[{epoch.window, epoch.at.rank, target}] = ordinal;
  close(number);
}

void Windows::close(std::uint32_t number) {
  const Epoch& epoch = epochs_[number];
  open_epochs_.erase({epoch.window, epoch.at.rank, epoch.access});
}

std::vector<std::int32_t> Windows::missing(std::uint32_t number) const {
  const Epoch& epoch = epochs_[number];
  const auto& theirs = epoch.access ? posts_ : completes_;
  std::vector<std::int32_t> ranks;
  for (const auto& [partner, ordinal] : epoch.partners) {
    const std::int32_t origin = epoch.access ? epoch.at.rank : partner;
    const std::int32_t target = epoch.access ? partner : epoch.at.rank;
    const auto found = theirs.find({epoch.window, origin, target});
    if (found == theirs.end() || found->second < ordinal) ranks.push_back(partner);
  }
  return ranks;
}

bool Windows::contend(const Lock& one, const Lock& other) {
  const bool meet = one.target == other.target || one.target == kAny || other.target == kAny;
  return one.window == other.window && meet && (one.exclusive || other.exclusive);
}

bool Windows::is_free(const Lock& lock) const {
  const Held& held = held_[static_cast<std::size_t>(lock.window)];
  if (lock.target == kAny) return held.exclusive.empty();
  if (held.exclusive.count(lock.target) != 0) return false;
  return !lock.exclusive || (held.shared.count(lock.target) == 0 && held.shared_at_all == 0);
}

std::uint32_t Windows::request(EventRef at, std::int32_t window, std::int32_t target, bool exclusive) {
  const auto number = static_cast<std::uint32_t>(locks_.size());
  locks_.push_back({at, window, target, exclusive, Lock::State::wanted});
  open_locks_[{window, at.rank}].push_back(number);
  wanted_.push_back(number);
  if (!exclusive_[static_cast<std::size_t>(window)]) grant(number);
  return number;
}

std::uint32_t Windows::open_lock(std::int32_t window, std::int32_t rank, std::int32_t target) const {
  const auto found = open_locks_.find({window, rank});
  if (found == open_locks_.end()) return kNone;
  for (const std::uint32_t number : found->second)
    if (locks_[number].target == target || locks_[number].target == kAny) return number;
  return kNone;
}

std::vector<std::uint32_t> Windows::open_locks(std::int32_t window, std::int32_t rank) const {
  const auto found = open_locks_.find({window, rank});
  return found == open_locks_.end() ? std::vector<std::uint32_t>{} : found->second;
}

std::vector<std::uint32_t> Windows::grantable() const {
  std::vector<std::uint32_t> free;
  for (const std::uint32_t number : wanted_)
    if (is_free(locks_[number])) free.push_back(number);
  return free;
}

std::uint32_t Windows::grantable_in_any_order() const {
  for (const std::uint32_t number : wanted_)
    if (any_order_[static_cast<std::size_t>(locks_[number].window)] && is_free(locks_[number])) return number;
  return kNone;
}

void Windows::grant(std::uint32_t number) {
  Lock& lock = locks_[number];
  lock.state = Lock::State::held;
  std::erase(wanted_, number);
  Held& held = held_[static_cast<std::size_t>(lock.window)];
  if (lock.target == kAny)
    ++held.shared_at_all;
  else
    ++(lock.exclusive ? held.exclusive : held.shared)[lock.target];
}

void Windows::release(std::uint32_t number) {
  Lock& lock = locks_[number];
  std::erase(open_locks_[{lock.window, lock.at.rank}], number);
  std::erase(wanted_, number);
  const bool was_held = std::exchange(lock.state, Lock::State::released) == Lock::State::held;
  if (!was_held) return;
  Held& held = held_[static_cast<std::size_t>(lock.window)];
  if (lock.target == kAny) {
    --held.shared_at_all;
    return;
  }
  auto& counts = lock.exclusive ? held.exclusive : held.shared;
  if (--counts[lock.target] == 0) counts.erase(lock.target);
}

std::vector<std::int32_t> Windows::holders_against(std::uint32_t number) const {
  std::vector<std::int32_t> ranks;
  for (const Lock& other : locks_)
    if (other.state == Lock::State::held && contend(other, locks_[number])) ranks.push_back(other.at.rank);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

}  // namespace petri::model
