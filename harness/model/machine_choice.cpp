// What the machine does where nothing certain is left to do.
#include <algorithm>
#include <tuple>

#include "harness/model/machine.hpp"

namespace petri::model {

// The lane of another thread that has still to make what the next call of this one uses; kNone where there is none.
std::uint32_t Machine::handed_over_by(std::uint32_t lane) const {
  for (const Handovers::Before& before : handovers_.before(event_at(lane)))
    if (!lanes_[before.lane].over && lanes_[before.lane].pc <= before.position) return before.lane;
  return kNone;
}

// A call that competes with one that another thread of the rank has still to make waits until nothing else moves.
bool Machine::hold_back(std::uint32_t lane, EventRef ref) {
  LaneState& one = lanes_[lane];
  if (!std::exchange(one.chosen, false) && rivals_.contested(lane, ref)) {
    if (std::find(held_back_.begin(), held_back_.end(), lane) == held_back_.end()) held_back_.push_back(lane);
    return true;
  }
  rivals_.made(lane, ref);
  return false;
}

bool Machine::let_uncontested_go() {
  const auto go = [&](std::uint32_t lane) {
    if (lanes_[lane].over) return true;
    if (rivals_.contested(lane, event_at(lane))) return false;
    wake_lane(lane);
    return true;
  };
  std::erase_if(held_back_, go);
  return !queue_.empty();
}

// Has another thread of the rank a call to make that the record lists before this one?
bool Machine::comes_too_early(std::uint32_t lane) const {
  const EventRef ref = event_at(lane);
  for (std::uint32_t other = 0; other < lanes_.size(); ++other) {
    const Lane& thread = run_.lanes[other];
    if (other == lane || thread.rank != ref.rank || thread.is_stream() || lanes_[other].over) continue;
    const std::size_t next = lanes_[other].pc + (lanes_[other].entered ? 1 : 0);
    if (next < thread.events.size() && thread.events[next] < ref.index) return true;
  }
  return false;
}

// A record lists the calls of a rank's threads as they began.
bool Machine::enter_as_recorded() {
  const auto known = [&](std::uint32_t lane) { return at(scenario_, event_at(lane)).state != EventState::unknown; };
  const auto order = [&](std::uint32_t lane) {
    return std::tuple(!known(lane), comes_too_early(lane), event_at(lane));
  };
  const auto first = std::min_element(held_back_.begin(), held_back_.end(),
                                      [&](std::uint32_t a, std::uint32_t b) { return order(a) < order(b); });
  if (first == held_back_.end() || !known(*first)) return false;
  perform(alternative_of(*first));
  return true;
}

bool Machine::resolve_as_recorded() {
  for (const OpenWildcard& wildcard : mail_.open_wildcards()) {
    const std::int32_t prefer = mail_.recv(wildcard.recv).prefer;
    if (prefer == kUnset) continue;
    for (std::size_t i = 0; i < wildcard.candidates.size(); ++i) {
      if (mail_.send(wildcard.candidates[i]).source != prefer) continue;
      perform(alternative_of(std::make_shared<OpenWildcard>(wildcard), i));
      return true;
    }
  }
  return false;
}

// Locks whose order decides nothing are granted as they come. One that the record shows held goes before those that it
// shows waiting.
bool Machine::grant_where_certain() {
  if (const std::uint32_t lock = windows_.grantable_in_any_order(); lock != kNone) {
    windows_.grant(lock);
    wake(windows_.lock(lock).at.rank);
    return true;
  }
  if (!assumptions_.follow_record) return false;
  const std::vector<std::uint32_t> grantable = windows_.grantable();
  const auto returned = [&](std::uint32_t lock) {
    return at(scenario_, windows_.lock(lock).at).state == EventState::completed;
  };
  const auto held = std::find_if(grantable.begin(), grantable.end(), returned);
  const bool others_wait = std::any_of(grantable.begin(), grantable.end(), [&](auto lock) { return !returned(lock); });
  if (held == grantable.end() || !others_wait) return false;
  Alternative grant;
  grant.lock = *held;
  grant.at = windows_.lock(*held).at;
  perform(grant);
  return true;
}

Machine::Alternative Machine::alternative_of(std::uint32_t lane) const {
  Alternative alternative;
  alternative.lane = lane;
  alternative.at =
      is_stream(lane) ? EventRef{rank_of(lane), lanes_[lane].launches[lanes_[lane].pc].events.front()} : event_at(lane);
  return alternative;
}

Machine::Alternative Machine::alternative_of(std::shared_ptr<const OpenWildcard> wildcard,
                                             std::size_t candidate) const {
  Alternative alternative;
  alternative.recv = wildcard->recv;
  alternative.send = wildcard->candidates[candidate];
  alternative.candidate = candidate;
  alternative.wildcard = std::move(wildcard);
  alternative.at = mail_.recv_at(alternative.recv);
  alternative.from = mail_.send_at(alternative.send);
  return alternative;
}

// Wildcards without a recorded match are free; those whose recorded message cannot come are, when all else has stopped.
std::vector<Machine::Alternative> Machine::alternatives(bool against_record) const {
  std::vector<Alternative> all;
  for (const OpenWildcard& wildcard : mail_.open_wildcards()) {
    if ((mail_.recv(wildcard.recv).prefer != kUnset) != against_record) continue;
    const auto shared = std::make_shared<const OpenWildcard>(wildcard);
    for (std::size_t i = 0; i < wildcard.candidates.size(); ++i) all.push_back(alternative_of(shared, i));
  }
  if (against_record) return all;
  for (const std::uint32_t lane : held_back_) all.push_back(alternative_of(lane));
  for (const std::uint32_t lane : ready_launches_)
    if (assumptions_.any_kernel_order && device_free(lane)) all.push_back(alternative_of(lane));
  for (const std::uint32_t lock : windows_.grantable()) {
    Alternative grant;
    grant.lock = lock;
    grant.at = windows_.lock(lock).at;
    all.push_back(grant);
  }
  return all;
}

// Sleep sets (Godefroid, Partial-Order Methods for the Verification of Concurrent Systems, 1996): what was explored at
// this decision before need not be tried again after a step that it does not depend on.
bool Machine::resolve_by_choice(bool against_record) {
  std::vector<Alternative> open = alternatives(against_record);
  if (open.empty()) return false;
  std::erase_if(open, [&](const Alternative& alternative) { return asleep(alternative); });
  if (open.empty()) {
    run_.repeats = true;
    return false;
  }
  Choice choice{0, static_cast<std::uint32_t>(open.size())};
  if (choice.alternatives > 1) {
    if (run_.choices.size() < script_.size())
      choice.taken = std::min(script_[run_.choices.size()], choice.alternatives - 1);
    run_.choices.push_back(choice);
  }
  for (std::uint32_t earlier = 0; earlier < choice.taken; ++earlier) sleeping_.push_back(open[earlier]);
  perform(open[choice.taken]);
  return true;
}

bool Machine::asleep(const Alternative& alternative) const {
  return std::any_of(sleeping_.begin(), sleeping_.end(), [&](const Alternative& one) {
    return one.at == alternative.at && one.from == alternative.from &&
           (one.lock == kNone) == (alternative.lock == kNone) && (one.lane == kNone) == (alternative.lane == kNone);
  });
}

// Two steps depend on each other if one may take away or add what the other chooses from.
bool Machine::depend(const Alternative& one, const Alternative& other) const {
  // A call may add to what a wildcard chooses from, and lead to requests for locks.
  if (one.lane != kNone || other.lane != kNone)
    return one.lane == kNone || other.lane == kNone || one.at.rank == other.at.rank;
  const bool locks = one.lock != kNone;
  if (locks != (other.lock != kNone)) return false;
  if (locks) return Windows::contend(windows_.lock(one.lock), windows_.lock(other.lock));
  return one.at.rank == other.at.rank && at(scenario_, one.at).comm == at(scenario_, other.at).comm;
}

void Machine::wake_dependent(const Alternative& performed) {
  std::erase_if(sleeping_, [&](const Alternative& one) { return depend(one, performed); });
}

void Machine::perform(const Alternative& alternative) {
  wake_dependent(alternative);
  if (alternative.lane != kNone && is_stream(alternative.lane)) {
    std::erase(ready_launches_, alternative.lane);
    return occupy_device(alternative.lane);
  }
  if (alternative.lane != kNone) {
    lanes_[alternative.lane].chosen = true;
    std::erase(held_back_, alternative.lane);
    wake_lane(alternative.lane);
    return;
  }
  if (alternative.lock != kNone) {
    windows_.grant(alternative.lock);
    wake(alternative.at.rank);
    return;
  }
  Wildcard taken;
  taken.recv = alternative.at;
  for (const std::uint32_t send : alternative.wildcard->candidates) taken.candidates.push_back(mail_.send_at(send));
  taken.chosen = alternative.candidate;
  run_.wildcards.push_back(std::move(taken));
  mail_.resolve(alternative.recv, alternative.send);
  announce_matches();
}

bool Machine::follow_record() {
  if (!assumptions_.follow_record) return false;
  bool moved = false, leaned = false;
  for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) {
    LaneState& one = lanes_[lane];
    if (is_stream(lane) || one.over || one.forced) continue;
    const bool at_end = one.pc == events_of(lane);
    const bool returned =
        at_end ? trace(rank_of(lane)).end.stated
               : at(scenario_, event_at(lane)).state == EventState::completed && !spins_here(event_at(lane));
    if (!returned) continue;
    one.forced = moved = true;
    leaned = leaned || at_end || !is_enqueued_somewhere(scenario_, at(scenario_, event_at(lane)));
    wake_lane(lane);
  }
  run_.leaned_on_record = run_.leaned_on_record || leaned;
  return moved;
}

}  // namespace petri::model
