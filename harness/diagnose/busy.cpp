// Memory that an operation still uses while the program lets another one have it. A buffer that is being sent must not
// be written, one that is being received into not be touched at all, until the operation is complete (MPI 4.1, sections
// 3.7.2 and 6.12). Only recorded addresses count.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/fault.hpp"
#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {
namespace {

struct Memory {
  std::optional<Buffer> sends, receives;
};

// What a call certainly touches. A message to or from nobody touches nothing (MPI 4.1, section 3.10), nor does a
// neighbour beyond a grid's edge (section 8.6); who makes a window over memory does not access it. Of a partitioned
// send the program fills the partitions after the start, until it marks them ready (section 4.2.1).
Memory memory_of(const Event& event) {
  if (event.extras.empty() || creates(event.op) || (info(event.op).traits & kNeighbor) != 0) return {};
  Memory memory{event.extras.sendbuffer(), event.extras.recvbuffer()};
  if (event.extras.target() == kNull) return {};
  if (model::send_half(event).peer == kNull || event.op == Op::psend_init) memory.sends.reset();
  if (model::recv_half(event).peer == kNull) memory.receives.reset();
  return memory;
}

bool overlap(const std::optional<Buffer>& one, const std::optional<Buffer>& other) {
  if (!one || !other) return false;
  return one->address < other->address + other->bytes && other->address < one->address + one->bytes;
}

// Does the second operation spoil what the first one uses, or the other way round?
bool clash(const Event& pending, const Event& next) {
  const Memory then = memory_of(pending), now = memory_of(next);
  return overlap(then.receives, now.receives) || overlap(then.receives, now.sends) || overlap(then.sends, now.receives);
}

// One rank's pending requests, by number, and the events whose buffers they use.
class Pending {
 public:
  explicit Pending(const std::vector<Event>& events) : events_(events) {}

  // The earlier call whose memory this one uses, if any.
  std::optional<std::uint32_t> perform(std::uint32_t index) {
    const Event& event = events_[index];
    complete(event);
    std::vector<std::uint32_t> used{index};
    if (kind_of(event.op) == OpKind::start) used = starts_of(event);
    if (form_of(event.op) == OpForm::persistent) {
      inits_[event.request] = index;
      return std::nullopt;
    }
    std::optional<std::uint32_t> first = perform_on_window(index);
    for (const std::uint32_t one : used) {
      const Event& call = events_[one];
      const Memory memory = memory_of(call);
      if (!memory.sends && !memory.receives) continue;
      for (const auto& [request, other] : busy_)
        if (!first && other != one && clash(events_[other], call)) first = other;
      if (stays_busy(event, call)) busy_[call.request] = one;
    }
    return first;
  }

 private:
  // Accesses to windows are kept by window.
  static bool stays_busy(const Event& event, const Event& call) {
    if (call.request == kNoRequest || kind_of(call.op) == OpKind::rma) return false;
    return kind_of(event.op) == OpKind::start || form_of(event.op) == OpForm::nonblocking;
  }

  // What a put sends or a get fills is in use until the epoch ends or is flushed (MPI 4.1, section 12.3).
  std::optional<std::uint32_t> perform_on_window(std::uint32_t index) {
    const Event& event = events_[index];
    if (kind_of(event.op) == OpKind::window && event.op != Op::win_sync && event.op != Op::win_post)
      accesses_.erase(event.extras.win());
    std::optional<std::uint32_t> first;
    for (const auto& [window, accesses] : accesses_)
      for (const std::uint32_t access : accesses)
        if (!first && clash(events_[access], event)) first = access;
    if (kind_of(event.op) == OpKind::rma) accesses_[event.extras.win()].push_back(index);
    return first;
  }

  void complete(const Event& event) {
    const bool waits = kind_of(event.op) == OpKind::wait;
    const bool tests = kind_of(event.op) == OpKind::test && model::poll_succeeded(event);
    // A partition that has arrived may be read; which bytes are its own is not looked at (MPI 4.1, section 4.2.2).
    const bool arrived = event.op == Op::parrived && event.flag == 1;
    if (arrived || event.op == Op::request_free) give_back(event.request);
    if (!waits && !tests) return;
    // A wait that does not say which request it completed may have completed any of them.
    const auto completed = model::any_suffices(event) ? model::requests_of(event) : model::completed_requests_of(event);
    for (const std::uint32_t request : completed) give_back(request);
  }

  // The request of an access says that its memory here is free again (MPI 4.1, section 12.3.5).
  void give_back(std::uint32_t request) {
    busy_.erase(request);
    for (auto& [window, accesses] : accesses_) {
      const auto of_request = [&](std::uint32_t access) {
        return form_of(events_[access].op) == OpForm::nonblocking && events_[access].request == request;
      };
      accesses.erase(std::remove_if(accesses.begin(), accesses.end(), of_request), accesses.end());
    }
  }

  std::vector<std::uint32_t> starts_of(const Event& event) const {
    std::vector<std::uint32_t> calls;
    for (const std::uint32_t request : model::requests_of(event))
      if (const auto init = inits_.find(request); init != inits_.end()) calls.push_back(init->second);
    return calls;
  }

  const std::vector<Event>& events_;
  std::map<std::uint32_t, std::uint32_t> busy_, inits_;
  std::map<std::string, std::vector<std::uint32_t>> accesses_;  // by window, since it was last synchronized
};

}  // namespace

std::vector<Fault> find_busy_buffers(const Scenario& scenario) {
  std::vector<Fault> faults;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    const auto& events = scenario.ranks[static_cast<std::size_t>(rank)].events;
    const auto has_buffer = [](const Event& event) {
      return !event.extras.empty() && (event.extras.sendbuffer() || event.extras.recvbuffer());
    };
    if (std::none_of(events.begin(), events.end(), has_buffer)) continue;
    Pending pending(events);
    for (std::uint32_t index = 0; index < events.size(); ++index) {
      const auto earlier = pending.perform(index);
      if (!earlier) continue;
      const EventRef now{rank, index}, then{rank, *earlier};
      Finding finding;
      finding.kind = Verdict::misuse;
      finding.culprits = {rank};
      finding.events = {now, then};
      finding.expected = fmt::format("the completion of {} first", event_text(scenario, at(scenario, then)));
      finding.actual = fmt::format("rank {}: {}", rank, event_text(scenario, at(scenario, now)));
      finding.text = fmt::format("Rank {} uses memory in {} ({}) that {} ({}) has not given back yet.", rank,
                                 event_text(scenario, at(scenario, now)), place_text(at(scenario, now)),
                                 event_text(scenario, at(scenario, then)), place_text(at(scenario, then)));
      faults.push_back(
          {{finding},
           fmt::format("{}@0 uses a buffer of {}", name_of(at(scenario, now).op), name_of(at(scenario, then).op))});
      break;  // what follows on this rank may be the same mistake in a loop
    }
  }
  return faults;
}

}  // namespace petri::diagnosis
