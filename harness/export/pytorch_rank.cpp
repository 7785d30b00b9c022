#include "harness/export/pytorch_rank.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/export/c_text.hpp"
#include "harness/export/pytorch_text.hpp"

namespace petri::pytorch {
namespace {

// Why a script of torch.distributed calls has no place for the event; empty where it has one.
std::string_view reason_against(const Scenario& scenario, const Event& event) {
  if (form_of(event.op) == OpForm::persistent || kind_of(event.op) == OpKind::start ||
      kind_of(event.op) == OpKind::partition)
    return "torch has no persistent calls";
  if (scenario.comm_of(event).is_inter()) return "torch has no groups that face each other";
  switch (kind_of(event.op)) {
    case OpKind::window:
    case OpKind::rma: return "torch.distributed has no windows";
    case OpKind::file: return "torch.distributed has no shared files";
    case OpKind::probe: return "torch has no probes";
    case OpKind::collective:
      if ((info(event.op).traits & kNeighbor) != 0) return "torch has no calls along a topology";
      if (info(event.op).family == "scan" || info(event.op).family == "exscan") return "torch has no scans";
      if (info(event.op).family == "alltoallw") return "torch's all_to_all has one type";
      return "";
    default: break;
  }
  switch (event.op) {
    case Op::mrecv:
    case Op::imrecv: return "torch has no probes";
    case Op::cancel: return "torch cancels no call";
    case Op::comm_abort: return "torch has no public call for it";
    case Op::intercomm_create:
    case Op::intercomm_create_from_groups:
    case Op::intercomm_merge: return "torch has no groups that face each other";
    case Op::comm_spawn:
    case Op::comm_spawn_multiple:
    case Op::comm_accept:
    case Op::comm_connect: return "all processes of the script start together";
    default: return "";
  }
}

}  // namespace

RankWriter::RankWriter(Program& program, std::int32_t rank)
    : StatementWriter(program, rank, {"# ", ""}, "    "), program_(program) {
  here_ = &statements_;
}

const Statements& RankWriter::write() {
  const bool requests = std::any_of(trace_.events.begin(), trace_.events.end(), [](const Event& event) {
    return event.request != kNoRequest || !event.extras.requests().empty();
  });
  if (requests) put("request = {}");
  write_events();
  return statements_;
}

std::string RankWriter::finish() {
  return "finish()";
}

std::string RankWriter::stay() {
  return "stay()";
}

std::string RankWriter::leave(int status) {
  return fmt::format("os._exit({})", status);
}

std::string RankWriter::abort(int status) {
  return leave(status);
}

std::string RankWriter::raise(int signal) {
  return fmt::format("os.kill(os.getpid(), {})", signal);
}

std::string RankWriter::pause(Op op, double seconds) {
  if (op == Op::compute) program_.helpers.insert(Helper::compute);
  return fmt::format("{}({:g})", op == Op::sleep ? "time.sleep" : "compute", seconds);
}

void RankWriter::write_event(const Event& event) {
  if (const std::string_view reason = reason_against(scenario_, event); !reason.empty())
    reject(fmt::format("cannot be written: {}", reason));
  switch (kind_of(event.op)) {
    case OpKind::send:
    case OpKind::recv: return write_message(event);
    case OpKind::sendrecv: return write_sendrecv(event);
    case OpKind::wait: return write_wait(event);
    case OpKind::test: return write_test(event);
    case OpKind::collective: return write_collective(event);
    case OpKind::comm_create: return write_creation(event);
    case OpKind::world: return write_world(event);
    case OpKind::host: return write_host(event);
    case OpKind::device: return write_device(event);
    default: return;  // a freed request or group: torch frees them itself
  }
}

// Sends of all modes are torch's one: it may wait for the receive.
void RankWriter::write_message(const Event& event) {
  const bool sends = kind_of(event.op) == OpKind::send;
  if (event.peer == kNull) return;
  if (info(event.op).family == "bsend" || info(event.op).family == "rsend")
    note(fmt::format("{}: torch has one kind of send", name_of(event.op)));
  const Amount what = sends ? sent(event) : received(event);
  const std::string rest = group(event) + tag(event.tag);
  const bool any = event.peer == kAny;
  if (any && sends) reject("names no peer");
  const std::int32_t other = any ? kAny : global(event, event.peer, "peer");
  if (other == rank_) reject("cannot be written: torch sends nothing from a rank to itself");
  if (any) note("from any: Gloo only");
  if (open_groups_ > 0) {
    if (any) reject("cannot be written: torch receives from any rank in no group of calls");
    held_messages_[{stream(event), event.comm}].push_back(
        fmt::format("dist.P2POp(dist.{}, {}, {}{})", sends ? "isend" : "irecv", room(what), other, rest));
    return;
  }
  const bool later = event.request != kNoRequest || !event.extras.stream().empty();
  const std::string place = any ? "" : fmt::format(", {}{}", sends ? "dst=" : "src=", other);
  put_call(event, fmt::format("dist.{}{}({}{}{}", later ? "i" : "", sends ? "send" : "recv", room(what), place, rest),
           "");
}

void RankWriter::write_sendrecv(const Event& event) {
  const EventExtras& extras = event.extras;
  const auto side = [](std::int32_t own, std::int32_t both) { return own != kUnset ? own : both; };
  const std::int32_t to = side(extras.sendpeer(), event.peer), from = side(extras.recvpeer(), event.peer);
  std::vector<std::string> calls;
  const auto add = [&](std::string_view name, std::int32_t peer, const Amount& what, std::int32_t own_tag,
                       std::string_view word) {
    if (peer == kNull) return;
    const std::int32_t other = peer == kAny && name == "irecv" ? kAny : global(event, peer, "peer");
    if (other == rank_) reject("cannot be written: torch sends nothing from a rank to itself");
    const std::string place = other == kAny ? "" : fmt::format(", {}{}", word, other);
    calls.push_back(fmt::format("dist.{}({}{}{}{})", name, room(what), place, group(event), tag(own_tag)));
  };
  add("isend", to, sent(event), side(extras.sendtag(), event.tag), "dst=");
  add("irecv", from, received(event), side(extras.recvtag(), event.tag), "src=");
  const std::string both = fmt::format("[{}]", c::join(calls, ", "));
  if (form_of(event.op) == OpForm::nonblocking) {
    if (event.request == kNoRequest) reject("names no request");
    return put(fmt::format("{} = {}", request(event.request), both));
  }
  program_.helpers.insert(Helper::wait);
  put(fmt::format("wait({})", both));
}

void RankWriter::put_call(const Event& event, const std::string& call, std::string_view asynchronous) {
  const std::string begun = fmt::format("{}{})", call, asynchronous);
  const std::string on = stream(event);
  if (open_groups_ > 0) {
    held_calls_.emplace_back(on, begun);
    if (!on.empty()) held_messages_[{on, event.comm}];  // so that the group is known to use this communicator
    return;
  }
  if (!on.empty()) {
    program_.helpers.insert(Helper::enqueue);
    return put(fmt::format("enqueue({}, \"{}\", lambda: [{}])", on, group_name(scenario_, event.comm), begun));
  }
  if (event.request != kNoRequest) {
    program_.helpers.insert(Helper::wait);
    return put(fmt::format("{} = [{}]", request(event.request), begun));
  }
  if (form_of(event.op) == OpForm::nonblocking) reject("names no request");
  put(call + ")");
}

// All that the group holds is launched at once, and its order is free (NCCL's user guide, "Group Calls"). torch takes
// the messages of one process group together.
void RankWriter::write_group_end() {
  if (open_groups_ == 0) reject("ends no group");
  if (--open_groups_ > 0) return;
  std::map<std::string, std::pair<std::vector<std::string>, std::vector<std::string>>> launches;  // works, groups
  for (const auto& [where, messages] : held_messages_) {
    auto& [works, groups] = launches[where.first];
    groups.push_back(group_name(scenario_, where.second));
    if (!messages.empty()) works.push_back(fmt::format("*dist.batch_isend_irecv([{}])", c::join(messages, ", ")));
  }
  for (const auto& [on, call] : held_calls_) launches[on].first.push_back(call);
  for (const auto& [on, launch] : launches) {
    const std::string works = fmt::format("[{}]", c::join(launch.first, ", "));
    program_.helpers.insert(on.empty() ? Helper::wait : Helper::enqueue);
    put(on.empty() ? fmt::format("wait({})", works)
                   : fmt::format("enqueue({}, \"{}\", lambda: {})", on, c::join(launch.second, " "), works));
  }
  held_messages_.clear();
  held_calls_.clear();
}

void RankWriter::write_wait(const Event& event) {
  const std::string numbers = requests(event);
  program_.helpers.insert(Helper::wait);
  if (event.op == Op::waitany || event.op == Op::waitsome) {
    program_.helpers.insert(Helper::wait_any);
    return put(fmt::format("wait_any(request, {}, {})", event.op == Op::waitsome ? "True" : "False", numbers));
  }
  if (event.op == Op::wait) return put(fmt::format("wait(request.pop({}, []))", numbers));
  put(fmt::format("for number in [{}]:", numbers));
  put("    wait(request.pop(number, []))");
}

// Gloo tells of a message only by waiting for it, and so a poll that succeeded, or in which the record ends, waits.
void RankWriter::write_test(const Event& event) {
  if (event.flag != 1 && !is_at_end(event)) return;
  const std::string numbers = requests(event);
  note(fmt::format("{}: polled until it succeeds", name_of(event.op)));
  program_.helpers.insert(Helper::wait);
  if (event.op == Op::testany || event.op == Op::testsome) {
    program_.helpers.insert(Helper::wait_any);
    return put(fmt::format("wait_any(request, {}, {})", event.op == Op::testsome ? "True" : "False", numbers));
  }
  put(fmt::format("for number in [{}]:", numbers));
  put("    wait(request.pop(number, []))");
}

// The group is made already; its members meet here as the recorded call let them.
void RankWriter::write_creation(const Event& event) {
  std::int32_t where = event.comm;
  if (!is_positional(event.op)) {
    where = event.extras.new_comm();
    if (where == kNoComm) reject("cannot be written: it names no communicator");
    program_.groups.insert(where);
  }
  note(fmt::format("{}: the group was made at the start, its members meet here", name_of(event.op)));
  Event meeting = event;
  meeting.comm = where;
  const std::string members = group(meeting);
  const std::string call = "dist.barrier(" + (members.empty() ? "" : members.substr(2));
  if (event.request == kNoRequest) return put(call + ")");
  program_.helpers.insert(Helper::wait);
  put(fmt::format("{} = [{}{}async_op=True)]", request(event.request), call, members.empty() ? "" : ", "));
}

void RankWriter::write_host(const Event& event) {
  switch (event.op) {
    case Op::group_start: ++open_groups_; return;
    case Op::group_end: return write_group_end();
    case Op::sleep:
    case Op::compute: return write_pause(event);
    default: return;  // no communication
  }
}

void RankWriter::write_device(const Event& event) {
  program_.helpers.insert(Helper::enqueue);
  const std::string on = stream(event), what = literal(event.extras.event());
  if (event.op != Op::device_sync && event.op != Op::stream_sync) program_.helpers.insert(Helper::events);
  switch (event.op) {
    case Op::device_sync: return put("sync()");
    case Op::stream_sync: return put(fmt::format("sync({})", on));
    case Op::event_record: return put(fmt::format("record_event({}, {})", on, what));
    case Op::stream_wait: return put(fmt::format("wait_event({}, {})", on, what));
    default: return put(fmt::format("sync_event({})", what));
  }
}

std::string RankWriter::group(const Event& event) {
  if (event.comm == 0) return "";
  program_.groups.insert(event.comm);
  return ", group=" + group_name(scenario_, event.comm);
}

std::int32_t RankWriter::global(const Event& event, std::int32_t rank, const char* what) const {
  return scenario_.comm_of(event).ranks[static_cast<std::size_t>(member(event, rank, what))];
}

std::int32_t RankWriter::global_root(const Event& event) {
  return global(event, root(event), "root");
}

std::string RankWriter::tag(std::int32_t tag) const {
  if (tag == kAny) reject("cannot be written: torch receives one tag only");
  return tag == kUnset || tag == 0 ? "" : fmt::format(", tag={}", tag);
}

RankWriter::Amount RankWriter::amount(const StatedAmount& stated) {
  const std::int64_t count = count_or_one(stated.count);
  require_count(count);
  const Word word = type_word(stated.type, reduces(event_->op));
  if (word.name.empty())
    reject(fmt::format("cannot be written: torch has no type for {}", petri::name_of(stated.type)));
  note(word.loss);
  return {count, word.name};
}

void RankWriter::take_counts(const std::vector<std::int64_t>& counts, std::int64_t chosen, Amount& amount) {
  if (counts.empty()) return;
  amount.count = chosen;
  notes_.erase(std::string(kUnknownCountNote));
}

RankWriter::Amount RankWriter::sent(const Event& event) {
  return amount(stated_to_send(event));
}

RankWriter::Amount RankWriter::received(const Event& event) {
  return amount(stated_to_receive(event));
}

std::string RankWriter::room(const Amount& amount) {
  return fmt::format("room({}, {})", amount.count, amount.type);
}

std::string RankWriter::rooms(std::size_t number, const Amount& amount) {
  program_.helpers.insert(Helper::rooms);
  return fmt::format("rooms({}, {}, {})", number, amount.count, amount.type);
}

std::string RankWriter::request(std::uint32_t number) const {
  return fmt::format("request[{}]", number);
}

std::string RankWriter::requests(const Event& event) const {
  std::vector<std::uint32_t> numbers = event.extras.requests();
  if (numbers.empty() && event.request != kNoRequest) numbers.push_back(event.request);
  if (numbers.empty()) reject("names no request");
  if (event.op == Op::wait && numbers.size() > 1) reject("names several requests");
  return fmt::format("{}", fmt::join(numbers, ", "));
}

// The name of its stream as a literal, or nothing.
std::string RankWriter::stream(const Event& event) const {
  if (event.extras.stream().empty() && kind_of(event.op) != OpKind::device) return "";
  return literal(fmt::format("{}/{}", event.extras.device().value_or(0), event.extras.stream()));
}

// The last event that the rank began.
bool RankWriter::is_at_end(const Event& event) const {
  const auto next = static_cast<std::size_t>(&event - trace_.events.data()) + 1;
  return next == trace_.events.size() || trace_.events[next].state == EventState::scheduled;
}

}  // namespace petri::pytorch
