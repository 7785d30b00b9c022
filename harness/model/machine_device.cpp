// What is enqueued on device streams. The host goes on at once; a stream performs its launches in order, each when all
// that it waits for is there. NCCL: the operations of a group on one communicator are one launch, in no order among
// themselves; positions on a communicator are those of the host's calls.
#include <algorithm>

#include "harness/model/machine.hpp"
#include "harness/model/op_rules.hpp"

namespace petri::model {

void Machine::enqueue(std::uint32_t lane, EventRef ref) {
  const Event& event = at(scenario_, ref);
  const std::uint32_t stream = state(ref.rank).streams.at({event.extras.device().value_or(0), event.extras.stream()});
  if (lanes_[lane].group_depth > 0 && communicates(event))
    lanes_[lane].group.emplace_back(stream, ref.index);
  else
    launch(stream, {ref.index}, ref.rank);
}

// The outermost end launches what the group holds, on each stream at once. Each communicator has a kernel of its own,
// in the order of their first calls: "users still need to guarantee the same issuing order of the operations among
// different GPUs no matter whether the operations are issued to the same or different communicators" (NCCL user guide,
// Group Operation Ordering Semantics).
void Machine::end_group(std::uint32_t lane) {
  LaneState& thread = lanes_[lane];
  const std::int32_t rank = rank_of(lane);
  if (thread.group_depth == 0 || --thread.group_depth > 0) return;
  struct Kernel {
    std::uint32_t stream;
    std::int32_t comm;
    std::vector<std::uint32_t> events;
  };
  std::vector<Kernel> kernels;
  for (const auto& [stream, event] : thread.group) {
    const std::int32_t comm = at(scenario_, {rank, event}).comm;
    const auto same = std::find_if(kernels.begin(), kernels.end(), [&, on = stream](const Kernel& kernel) {
      return kernel.stream == on && kernel.comm == comm;
    });
    if (same == kernels.end())
      kernels.push_back({stream, comm, {event}});
    else
      same->events.push_back(event);
  }
  thread.group.clear();
  for (const Kernel& kernel : kernels) launch(kernel.stream, kernel.events, rank);
}

void Machine::launch(std::uint32_t stream, const std::vector<std::uint32_t>& events, std::int32_t rank) {
  Launch item;
  item.events = events;
  for (const std::uint32_t index : events) {
    const Event& event = at(scenario_, {rank, index});
    const bool meets = kind_of(event.op) == OpKind::collective;
    item.gatherings.push_back(meets ? run_.gatherings.reserve({rank, index}, stream) : kNone);
    item.communicates = item.communicates || communicates(event);
    // A wait is for the latest record of its event that the host has enqueued, or for nothing.
    if (event.op == Op::stream_wait)
      if (const auto found = state(rank).recorded.find(event.extras.event()); found != state(rank).recorded.end())
        item.after = found->second;
    if (event.op == Op::event_record)
      state(rank).recorded[event.extras.event()] = {stream, lanes_[stream].launches.size() + 1};
  }
  lanes_[stream].launches.push_back(std::move(item));
  wake_lane(stream);
}

bool Machine::reached(const Ticket& ticket) const {
  return ticket.lane == kNone || lanes_[ticket.lane].pc >= ticket.launches;
}

// What the host waits for in this call: everything that its streams hold so far, or an event's record.
std::vector<Machine::Ticket> Machine::awaited_by_host(EventRef ref) const {
  const Event& event = at(scenario_, ref);
  const RankState& rank = state(ref.rank);
  std::vector<Ticket> tickets;
  const auto add_stream = [&](std::uint32_t lane) { tickets.push_back({lane, lanes_[lane].launches.size()}); };
  if (event.op == Op::event_sync) {
    const auto found = rank.recorded.find(event.extras.event());
    if (found != rank.recorded.end()) tickets.push_back(found->second);
  }
  for (const auto& [name, lane] : rank.streams) {
    const bool this_device = name.first == event.extras.device().value_or(name.first);
    if (event.op == Op::device_sync && this_device) add_stream(lane);
    if (event.op == Op::stream_sync && this_device && name.second == event.extras.stream()) add_stream(lane);
  }
  return tickets;
}

// Strict: a device runs one kernel that communicates at a time. Buffered: as many as there are streams.
bool Machine::device_free(std::uint32_t lane) const {
  const auto holder = occupied_.find({rank_of(lane), run_.lanes[lane].device});
  return assumptions_.buffered || holder == occupied_.end() || holder->second == lane;
}

void Machine::enter_launch(std::uint32_t lane, const Launch& item) {
  LaneState& one = lanes_[lane];
  const std::int32_t rank = rank_of(lane);
  if (item.communicates) occupied_[{rank, run_.lanes[lane].device}] = lane;
  one.current.clear();
  for (std::size_t i = 0; i < item.events.size(); ++i) {
    const EventRef ref{rank, item.events[i]};
    const Event& event = at(scenario_, ref);
    Pending pending;
    pending.posted = ref;
    post_messages(event, pending);
    if (item.gatherings[i] != kNone) {
      run_.gatherings.arrive_at(item.gatherings[i], ref);
      pending.gathering = item.gatherings[i];
      arrived(pending.gathering, rank);
    }
    one.current.push_back(std::move(pending));
  }
  announce_matches();
}

bool Machine::launch_done(std::uint32_t lane, const Launch& item) const {
  const auto& current = lanes_[lane].current;
  return reached(item.after) && std::all_of(current.begin(), current.end(),
                                            [&](const Pending& pending) { return done(rank_of(lane), pending); });
}

// A kernel that finds its device taken, or could find it so, waits until nothing else moves: see occupy_devices.
void Machine::advance_stream(std::uint32_t lane) {
  LaneState& one = lanes_[lane];
  while (!one.over && one.pc < one.launches.size()) {
    const Launch& item = one.launches[one.pc];
    if (!one.entered) {
      const bool must_ask = item.communicates && !assumptions_.buffered && state(rank_of(lane)).streams.size() > 1;
      if (must_ask) {
        if (std::find(ready_launches_.begin(), ready_launches_.end(), lane) == ready_launches_.end())
          ready_launches_.push_back(lane);
        return;
      }
      one.entered = true;
      enter_launch(lane, item);
    }
    if (!launch_done(lane, item)) {
      if (assumptions_.buffered)
        for (const Pending& pending : one.current) watch(rank_of(lane), pending);
      return;
    }
    if (item.communicates) occupied_.erase({rank_of(lane), run_.lanes[lane].device});
    one.entered = false;
    one.current.clear();
    ++one.pc;
    wake(rank_of(lane));
  }
}

void Machine::occupy_device(std::uint32_t lane) {
  lanes_[lane].entered = true;
  enter_launch(lane, lanes_[lane].launches[lanes_[lane].pc]);
  wake_lane(lane);
}

// Where several streams of a device are ready, the one whose operation the host enqueued first runs first.
bool Machine::occupy_devices() {
  if (assumptions_.any_kernel_order) return false;
  const auto first_event = [&](std::uint32_t lane) { return lanes_[lane].launches[lanes_[lane].pc].events.front(); };
  std::sort(ready_launches_.begin(), ready_launches_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(rank_of(a), first_event(a)) < std::pair(rank_of(b), first_event(b));
  });
  bool moved = false;
  for (const std::uint32_t lane : std::exchange(ready_launches_, {})) {
    if (!device_free(lane)) {
      ready_launches_.push_back(lane);
      continue;
    }
    occupy_device(lane);
    moved = true;
  }
  return moved;
}

Wait Machine::wait_of_stream(std::uint32_t lane) const {
  const LaneState& one = lanes_[lane];
  const std::int32_t rank = rank_of(lane);
  Wait wait;
  wait.rank = rank;
  wait.lane = lane;
  wait.index = run_.lanes[lane].index;
  Atom atom;
  atom.posted = {rank, wait.index};
  atom.kind = Atom::stream;
  atom.peer = rank;
  atom.comm = at(scenario_, atom.posted).comm;
  const Launch& item = one.launches[one.pc];
  if (!one.entered) {
    atom.number = occupied_.at({rank, run_.lanes[lane].device});
    wait.atoms.push_back(atom);
    return wait;
  }
  if (!reached(item.after)) {
    atom.number = item.after.lane;
    wait.atoms.push_back(atom);
  }
  for (const Pending& pending : one.current) add_atoms(rank, pending, wait.atoms);
  // Where a stream waits inside a group, it is for those of its operations that are not done.
  for (const Pending& pending : one.current) {
    if (done(rank, pending)) continue;
    wait.index = pending.posted.index;
    break;
  }
  return wait;
}

}  // namespace petri::model
