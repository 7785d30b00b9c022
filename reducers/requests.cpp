#include "reducers/requests.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace petri::reduce {
namespace {

using Requests = std::unordered_set<std::uint32_t>;
using Messages = std::unordered_set<std::int64_t>;

Requests requests_of(const std::vector<Event>& events, RequestRole role) {
  Requests found;
  for (const Event& event : events) {
    if (request_role(event) == role) for_each_request(event, [&](std::uint32_t request) { found.insert(request); });
  }
  return found;
}

Messages probed_messages(const std::vector<Event>& events) {
  Messages found;
  for (const Event& event : events) {
    if (kind_of(event.op) == OpKind::probe && event.extras->message) found.insert(*event.extras->message);
  }
  return found;
}

template <class Set>
Set missing(const Set& before, const Set& now) {
  Set lost;
  for (const auto value : before) {
    if (!now.contains(value)) lost.insert(value);
  }
  return lost;
}

// Renumbers positions in a list of requests after some were taken out; positions of those disappear.
void follow_positions(EventExtras& x, const std::vector<std::int32_t>& now) {
  const auto moved = [&](std::int64_t old) {
    return old >= 0 && static_cast<std::size_t>(old) < now.size() ? now[static_cast<std::size_t>(old)] : -1;
  };
  if (x.index) {
    const std::int32_t position = moved(*x.index);
    if (position >= 0) {
      x.index = position;
    } else {
      x.index.reset();
    }
  }
  std::vector<std::uint32_t> kept;
  for (const std::uint32_t old : x.indices) {
    if (moved(old) >= 0) kept.push_back(static_cast<std::uint32_t>(moved(old)));
  }
  x.indices = std::move(kept);
}

// False when the event named requests and none of them is left.
bool take_out(Event& event, const Requests& lost) {
  bool named = false;
  bool left = false;
  if (event.request != kNoRequest) {
    named = true;
    left = !lost.contains(event.request);
    if (!left) event.request = kNoRequest;
  }
  const std::vector<std::uint32_t>& list = event.extras->requests;
  const bool touched = std::any_of(list.begin(), list.end(), [&](std::uint32_t r) { return lost.contains(r); });
  if (!touched) return !named || left || !list.empty();
  EventExtras& x = event.extras.edit();
  std::vector<std::uint32_t> kept;
  std::vector<std::int32_t> now;
  for (const std::uint32_t request : x.requests) {
    const bool stays = !lost.contains(request);
    now.push_back(stays ? static_cast<std::int32_t>(kept.size()) : -1);
    if (stays) kept.push_back(request);
  }
  x.requests = std::move(kept);
  follow_positions(x, now);
  return left || !x.requests.empty();
}

template <class Goes>
void erase_where(std::vector<Event>& kept, std::vector<std::uint32_t>& source, Goes goes) {
  std::size_t to = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (goes(kept[i])) continue;
    if (to != i) {
      kept[to] = std::move(kept[i]);
      source[to] = source[i];
    }
    ++to;
  }
  kept.resize(to);
  source.resize(to);
}

void drop_orphaned_messages(const std::vector<Event>& all, std::vector<Event>& kept,
                            std::vector<std::uint32_t>& source) {
  const Messages lost = missing(probed_messages(all), probed_messages(kept));
  if (lost.empty()) return;
  erase_where(kept, source, [&](const Event& event) {
    return kind_of(event.op) == OpKind::recv && event.extras->message && lost.contains(*event.extras->message);
  });
}

}  // namespace

RequestRole request_role(const Event& event) {
  switch (kind_of(event.op)) {
    case OpKind::wait:
    case OpKind::test:
    case OpKind::request:
    case OpKind::partition: return RequestRole::uses;
    case OpKind::start: return RequestRole::starts;
    default: return event.request != kNoRequest ? RequestRole::makes : RequestRole::none;
  }
}

void drop_lost_requests(const std::vector<Event>& all, std::vector<Event>& kept, std::vector<std::uint32_t>& source) {
  drop_orphaned_messages(all, kept, source);
  Requests lost = missing(requests_of(all, RequestRole::makes), requests_of(kept, RequestRole::makes));
  const auto drop_from = [&](RequestRole role) {
    erase_where(kept, source, [&](Event& event) { return request_role(event) == role && !take_out(event, lost); });
  };
  if (!lost.empty()) drop_from(RequestRole::starts);
  const Requests idle = missing(requests_of(all, RequestRole::starts), requests_of(kept, RequestRole::starts));
  lost.insert(idle.begin(), idle.end());
  if (lost.empty()) return;
  drop_from(RequestRole::makes);
  drop_from(RequestRole::uses);
}

}  // namespace petri::reduce
