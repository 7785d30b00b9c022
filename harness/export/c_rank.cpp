#include "harness/export/c_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cstdlib>

#include "harness/export/c_text.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/error.hpp"

namespace petri::c {
namespace {

constexpr double kShort_s = 0.01;  // of a sleep or computation whose length was not recorded
constexpr double kLongest_s = 3600;

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

std::string comment_of(const Scenario& scenario, const Event& event, const std::vector<std::string>& notes) {
  std::vector<std::string> parts;
  if (event.site != kNoSymbol) parts.push_back(scenario.site_of(event));
  if (event.step != kUnset) parts.push_back(fmt::format("step {}", event.step));
  if (event.extras.polls() != 0) parts.push_back("polled " + counted(event.extras.polls(), "time"));
  if (event.extras.matched() >= 0) parts.push_back(fmt::format("got rank {} of the group", event.extras.matched()));
  if (!event.extras.error().empty()) parts.push_back("recorded error: " + event.extras.error());
  parts.insert(parts.end(), notes.begin(), notes.end());
  return comment_text(join(parts, ", "));
}

}  // namespace

RankWriter::RankWriter(Program& program, std::int32_t rank)
    : program_(program),
      scenario_(program.scenario),
      trace_(program.scenario.ranks[static_cast<std::size_t>(rank)]),
      rank_(rank),
      lanes_(lanes_of(trace_)) {
  for (const Lane& lane : lanes_) bodies_.push_back({lane.thread});
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
    here_ = &bodies_[lane_of(place)];
    if (here_->left) continue;
    event_ = &event;
    commented_ = false;
    notes_.clear();
    if (!prerequisites_.empty()) put_awaits(prerequisites_[place]);
    if (program_.left_out.count({rank_, static_cast<std::uint32_t>(place)}) == 0) write_event(event);
    if (!left_) put_mark(place);
  }
  event_ = nullptr;
  here_ = &bodies_.front();
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
  if (event.op != Op::exit && finalized_) reject("comes after finalize");
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
    case OpKind::world: return write_world(event);
    case OpKind::host: return write_host(event);
    case OpKind::window: return write_window(event);
    case OpKind::rma: return write_access(event);
    case OpKind::file: return write_file(event);
    case OpKind::device: break;  // refused above
  }
}

void RankWriter::write_world(const Event& event) {
  switch (event.op) {
    case Op::finalize: finalized_ = true; return put("MPI_Finalize();");
    case Op::abort:
      left_ = true;
      return put(fmt::format("MPI_Abort({}, {});", comm_of(event), trace_.end.status != 0 ? trace_.end.status : 1));
    case Op::exit:
      if (event.extras.thread().value_or(0) > 0) {  // of that thread alone
        here_->left = true;
        return;
      }
      left_ = true;
      return put(fmt::format("exit({});", trace_.end.status));
    default: return;  // main calls MPI_Init
  }
}

void RankWriter::write_host(const Event& event) {
  switch (event.op) {
    case Op::sleep:
    case Op::compute:
      if (event.state == EventState::started && trace_.end.kind == EndKind::running) {
        program_.helpers.insert(Helper::stay);
        note(fmt::format("the record ends in this {}", name_of(event.op)));
        return put("stay();");
      }
      program_.helpers.insert(event.op == Op::sleep ? Helper::pause_s : Helper::compute_s);
      return put(fmt::format("{}({:g});", event.op == Op::sleep ? "pause_s" : "compute_s", seconds_of(event)));
    default: return;  // no communication
  }
}

double RankWriter::seconds_of(const Event& event) const {
  const std::string& text = event.extras.value();
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  const bool number = !text.empty() && *end == '\0' && seconds >= 0;
  return number ? std::min(seconds, kLongest_s) : kShort_s;
}

void RankWriter::write_end() {
  if (left_) return;
  if (dies())
    put_awaits(at_end_);
  else
    put_joins();
  switch (trace_.end.kind) {
    case EndKind::finalized:
      if (!finalized_) put("MPI_Finalize();");
      return;
    case EndKind::exited: return put(fmt::format("_exit({});  /* without finalize */", trace_.end.status));
    case EndKind::aborted:
      return put(fmt::format("MPI_Abort(MPI_COMM_WORLD, {});", trace_.end.status != 0 ? trace_.end.status : 1));
    case EndKind::signal: return put(fmt::format("raise({});", trace_.end.signal > 0 ? trace_.end.signal : 9));
    case EndKind::running:
    case EndKind::cut:
    case EndKind::missing:
      if (finalized_) return;
      program_.helpers.insert(Helper::stay);
      return put("stay();");
  }
}

void RankWriter::put(const std::string& statement) {
  here_->code += indent_ + statement + '\n';
  here_->text += indent_ + statement;
  if (event_ != nullptr && !commented_) {
    const std::string comment = comment_of(scenario_, *event_, notes_);
    if (!comment.empty()) here_->text += fmt::format("  /* {} */", comment);
    commented_ = true;
  }
  here_->text += '\n';
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

void RankWriter::note(const std::string& remark) {
  notes_.push_back(remark);
}

void RankWriter::reject(const std::string& reason) const {
  throw InputError(program_.source, 0, 0,
                   fmt::format("rank {}, event {}: {} {}", rank_, event_->seq, name_of(event_->op), reason));
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

Amount RankWriter::amount(std::int64_t count, ElementType type, bool may_be_large) {
  Amount amount;
  if (count == kUnknownCount) note("count not recorded: 1");
  if (type == ElementType::unknown) note(reduces(event_->op) ? "type not recorded: int" : "type not recorded: bytes");
  const bool reducing_unknown = type == ElementType::unknown && reduces(event_->op);
  amount.type_text = reducing_unknown ? "MPI_INT" : std::string(type_name(type));
  amount.count = count == kUnknownCount ? 1 : count;
  if (amount.count > INT_MAX) {
    if (!may_be_large) reject(fmt::format("has a count of {}: more than an int holds", amount.count));
    program_.helpers.insert(Helper::large);
    put(fmt::format("large_type[{}] = large({}LL, {});", here_->large, amount.count, amount.type_text));
    amount.type_text = fmt::format("large_type[{}]", here_->large++);
    amount.count = 1;
  }
  amount.count_text = std::to_string(amount.count);
  return amount;
}

Amount RankWriter::sent(const Event& event, bool may_be_large) {
  const EventExtras& extras = event.extras;
  return amount(extras.sendcount() != kUnknownCount ? extras.sendcount() : event.count,
                extras.sendtype() != ElementType::unknown ? extras.sendtype() : event.dtype, may_be_large);
}

Amount RankWriter::received(const Event& event, bool may_be_large) {
  const EventExtras& extras = event.extras;
  return amount(extras.recvcount() != kUnknownCount ? extras.recvcount() : event.count,
                extras.recvtype() != ElementType::unknown ? extras.recvtype() : event.dtype, may_be_large);
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
