#include "harness/export/c_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>

#include "harness/export/c_text.hpp"

namespace petri::c {
namespace {

// Why a program that makes MPI calls alone, all its processes started together, has no place for the event; empty
// where it has one.
std::string_view reason_against(const Event& event) {
  if (kind_of(event.op) == OpKind::device || !event.extras.stream().empty()) return "it is work of a device";
  switch (event.op) {
    case Op::group_start:
    case Op::group_end:
    case Op::comm_init_rank:
    case Op::comm_init_all:
    case Op::comm_finalize:
    case Op::comm_destroy:
    case Op::comm_abort: return "it is NCCL's";
    case Op::comm_spawn:
    case Op::comm_spawn_multiple:
    case Op::comm_accept:
    case Op::comm_connect: return "all processes of the program start together";
    case Op::intercomm_create_from_groups: return "its groups are not recorded";
    default: return "";
  }
}

}  // namespace

RankWriter::RankWriter(Program& program, std::int32_t rank)
    : StatementWriter(program, rank, {"/* ", " */"}, "  "), program_(program), lanes_(lanes_of(trace_)) {
  for (const Lane& lane : lanes_) bodies_.emplace_back().thread = lane.thread;
}

std::string RankWriter::code() const {
  std::string all;
  for (const Body& body : bodies_) all += fmt::format("thread {}\n{}{}", body.thread, body.head, body.code);
  return all;
}

void RankWriter::write() {
  number_marks();
  for (std::size_t place = 0; place < trace_.events.size() && !left_; ++place) {
    const Event& event = trace_.events[place];
    go_to(lane_of(place));
    if (body_->left) continue;
    begin(event);
    if (!prerequisites_.empty()) put_awaits(prerequisites_[place]);
    perform(event);
    if (!left_) put_mark(place);
  }
  event_ = nullptr;
  go_to(0);
  if (!left_ && dies()) put_awaits(at_end_);
  if (!left_ && !dies()) put_joins();
  write_end();
  write_heads();
}

void RankWriter::write_heads() {
  program_.requests = std::max(program_.requests, requests_.size());
  program_.messages = std::max(program_.messages, messages_.size());
  for (Body& body : bodies_) {
    for (const std::string& name : body.scalars) body.head += fmt::format("  int {} = 0;\n", name);
    if (body.large > 0) body.head += fmt::format("  MPI_Datatype large_type[{}];\n", body.large);
  }
  if (requests_.empty() && messages_.empty()) return;
  std::string& head = bodies_.front().head;
  std::string loops;
  const auto array = [&](const char* type, const char* name, std::size_t size, const char* empty) {
    if (size == 0) return;
    if (!program_.threads) head += fmt::format("  {} {}[{}];\n", type, name, size);
    loops += fmt::format("  for (i = 0; i < {}; ++i) {}[i] = {};\n", size, name, empty);
  };
  array("MPI_Request", "request", requests_.size(), "MPI_REQUEST_NULL");
  array("MPI_Message", "message", messages_.size(), "MPI_MESSAGE_NULL");
  head += "  int i;\n" + loops;
}

void RankWriter::write_event(const Event& event) {
  if (const std::string_view reason = reason_against(event); !reason.empty())
    reject(fmt::format("cannot be written: {}", reason));
  switch (kind_of(event.op)) {
    case OpKind::send: return write_send(event);
    case OpKind::recv: return write_recv(event);
    case OpKind::sendrecv: return write_sendrecv(event);
    case OpKind::probe: return write_probe(event);
    case OpKind::wait: return write_wait(event);
    case OpKind::test: return write_test(event);
    case OpKind::request: return write_request(event);
    case OpKind::start: return write_start(event);
    case OpKind::partition: return write_partition(event);
    case OpKind::collective: return write_collective(event);
    case OpKind::comm_create: return write_creation(event);
    case OpKind::comm_free: return write_free(event);
    case OpKind::world:
      if (event.op == Op::exit && event.extras.thread().value_or(0) > 0)
        body_->left = true;  // that thread alone
      else
        write_world(event);
      return;
    case OpKind::host:
      if (event.op == Op::sleep || event.op == Op::compute) write_pause(event);
      return;  // no other is a communication
    case OpKind::window: return write_window(event);
    case OpKind::rma: return write_access(event);
    case OpKind::file: return write_file(event);
    case OpKind::device: break;  // refused above
  }
}

std::string RankWriter::finish() {
  return "MPI_Finalize();";
}

std::string RankWriter::stay() {
  program_.helpers.insert(Helper::stay);
  return "stay();";
}

// What exit runs at the end, a record that stops without that call does not tell of.
std::string RankWriter::leave(int status) {
  return fmt::format("{}({});", event_ != nullptr ? "exit" : "_exit", status);
}

std::string RankWriter::abort(int status) {
  return fmt::format("MPI_Abort({}, {});", event_ != nullptr ? comm_of(*event_) : "MPI_COMM_WORLD", status);
}

std::string RankWriter::raise(int signal) {
  return fmt::format("raise({});", signal);
}

std::string RankWriter::pause(Op op, double seconds) {
  program_.helpers.insert(op == Op::sleep ? Helper::pause_s : Helper::compute_s);
  return fmt::format("{}({:g});", op == Op::sleep ? "pause_s" : "compute_s", seconds);
}

// C has no empty arrays: one of no values is never read.
void RankWriter::put_array(const char* type, const std::string& name, const std::vector<std::int64_t>& values) {
  put(fmt::format("static const {} {}[] = {{{}}};", type, name, values.empty() ? "0" : join(values)));
}

void RankWriter::put_with_group(const std::string& before, const std::string& comm,
                                const std::vector<std::int64_t>& members, const std::string& after) {
  if (members.empty()) return put(before + "MPI_GROUP_EMPTY" + after);
  program_.helpers.insert(Helper::subgroup);
  put("{");
  put(fmt::format("  static const int ranks[] = {{{}}};", join(members)));
  put(fmt::format("  {}subgroup({}, {}, ranks){}", before, comm, members.size(), after));
  put("}");
}

void RankWriter::put_loop(bool until_success, const std::string& condition, const std::string& call) {
  if (!until_success) return put(call);
  put(fmt::format("do {} while ({});", call, condition));
}

std::string RankWriter::comm_of(const Event& event) const {
  return comm_name(scenario_, event.comm);
}

std::string RankWriter::peer(std::int32_t peer, const char* what) const {
  if (peer == kAny) return "MPI_ANY_SOURCE";
  if (peer == kNull) return "MPI_PROC_NULL";
  if (peer < 0) reject(fmt::format("names no {}", what));
  return std::to_string(peer);
}

std::string RankWriter::tag(std::int32_t tag) {
  if (tag == kAny) return "MPI_ANY_TAG";
  return std::to_string(tag == kUnset ? 0 : tag);
}

std::string RankWriter::root_of(const Event& event) {
  if (event.root == kRootHere) return "MPI_ROOT";
  if (event.root == kUnset) {
    if (scenario_.comm_of(event).is_inter()) reject("names no root, nor on which side it is");
    note("root not recorded: 0");
    return "0";
  }
  return peer(event.root, "root");
}

Amount RankWriter::amount(const StatedAmount& stated, bool may_be_large) {
  Amount amount;
  amount.count = count_or_one(stated.count);
  amount.type_text = type_name(stated.type);
  if (stated.type == ElementType::unknown) {
    const bool reducing = reduces(event_->op);
    note(reducing ? "type not recorded: int" : "type not recorded: bytes");
    if (reducing) amount.type_text = "MPI_INT";
  }
  if (amount.count > INT_MAX) {
    if (!may_be_large) reject(fmt::format("has a count of {}: more than an int holds", amount.count));
    program_.helpers.insert(Helper::large);
    put(fmt::format("large_type[{}] = large({}LL, {});", body_->large, amount.count, amount.type_text));
    amount.type_text = fmt::format("large_type[{}]", body_->large++);
    amount.count = 1;
  }
  amount.count_text = std::to_string(amount.count);
  return amount;
}

Amount RankWriter::sent(const Event& event, bool may_be_large) {
  return amount(stated_to_send(event), may_be_large);
}

Amount RankWriter::received(const Event& event, bool may_be_large) {
  return amount(stated_to_receive(event), may_be_large);
}

std::string RankWriter::room(const char* side, const Event& event, const std::string& elements,
                             const std::string& type) {
  // The pieces that blocking calls use again are one thread's at a time.
  const bool blocking = form_of(event.op) == OpForm::blocking && !program_.threads;
  const bool out = std::string_view(side) == "out";
  program_.helpers.insert(!blocking ? Helper::room : out ? Helper::out : Helper::in);
  return fmt::format("{}({}, {})", blocking ? side : "room", elements, type);
}

std::string RankWriter::room(const char* side, const Event& event, const Amount& amount) {
  return room(side, event, amount.count_text, amount.type_text);
}

std::string RankWriter::request(std::uint32_t number) {
  const auto [place, fresh] = requests_.try_emplace(number, requests_.size());
  return fmt::format("request[{}]", place->second);
}

std::string RankWriter::request_of(const Event& event) {
  if (event.request == kNoRequest) reject("names no request");
  return "&" + request(event.request);
}

std::string RankWriter::message_of(const Event& event) {
  if (!event.extras.message()) reject("names no message");
  const auto [place, fresh] = messages_.try_emplace(*event.extras.message(), messages_.size());
  return fmt::format("&message[{}]", place->second);
}

// Without finalize, at a moment that its other threads do not choose.
bool RankWriter::dies() const {
  const EndKind kind = trace_.end.kind;
  return kind == EndKind::exited || kind == EndKind::aborted || kind == EndKind::signal;
}

// The last event that its thread began.
bool RankWriter::is_at_end(const Event& event) const {
  const auto place = static_cast<std::size_t>(&event - trace_.events.data());
  const std::vector<std::size_t>& own = lanes_[lane_of(place)].events;
  const auto next = std::upper_bound(own.begin(), own.end(), place);
  return next == own.end() || trace_.events[*next].state == EventState::scheduled;
}

// A poll that succeeded took its time, and one in which the record ends is a loop.
bool RankWriter::polls_until_success(const Event& event) const {
  return event.flag == 1 || is_at_end(event);
}

}  // namespace petri::c
