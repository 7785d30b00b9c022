#include "harness/export/statements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "harness/export/c_text.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/error.hpp"

namespace petri {
namespace {

constexpr double kShort_s = 0.01;  // of a sleep or computation whose length was not recorded
constexpr double kLongest_s = 3600;
constexpr std::int64_t kMostElements = std::int64_t{1} << 40;  // far above any memory
constexpr int kKill = 9;                                       // SIGKILL, where the signal was not recorded

double seconds_of(const Event& event) {
  const std::string& text = event.extras.value();
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  const bool number = !text.empty() && *end == '\0' && seconds >= 0;
  return number ? std::min(seconds, kLongest_s) : kShort_s;
}

int status_of_abort(const RankEnd& end) {
  return end.status != 0 ? end.status : 1;
}

}  // namespace

StatedAmount stated_to_send(const Event& event) {
  const EventExtras& extras = event.extras;
  return {extras.sendcount() != kUnknownCount ? extras.sendcount() : event.count,
          extras.sendtype() != ElementType::unknown ? extras.sendtype() : event.dtype};
}

StatedAmount stated_to_receive(const Event& event) {
  const EventExtras& extras = event.extras;
  return {extras.recvcount() != kUnknownCount ? extras.recvcount() : event.count,
          extras.recvtype() != ElementType::unknown ? extras.recvtype() : event.dtype};
}

StatementWriter::StatementWriter(const SharedCase& shared, std::int32_t rank, Comment comment, std::string indent)
    : scenario_(shared.scenario),
      trace_(shared.scenario.ranks[static_cast<std::size_t>(rank)]),
      rank_(rank),
      indent_(std::move(indent)),
      shared_(shared),
      comment_(comment) {}

void StatementWriter::write_events() {
  for (const Event& event : trace_.events) {
    if (left_) break;
    begin(event);
    perform(event);
  }
  write_end();
}

void StatementWriter::begin(const Event& event) {
  event_ = &event;
  commented_ = false;
  notes_.clear();
}

void StatementWriter::perform(const Event& event) {
  const auto index = static_cast<std::uint32_t>(&event - trace_.events.data());
  if (shared_.left_out.count({rank_, index}) != 0) return;
  if (event.op != Op::exit && finalized_) reject("comes after finalize");
  write_event(event);
}

void StatementWriter::write_world(const Event& event) {
  switch (event.op) {
    case Op::finalize: finalized_ = true; return put(finish());
    case Op::abort: left_ = true; return put(abort(status_of_abort(trace_.end)));
    case Op::exit: left_ = true; return put(leave(trace_.end.status));
    default: return;  // the program's own start
  }
}

void StatementWriter::write_pause(const Event& event) {
  if (event.state == EventState::started && trace_.end.kind == EndKind::running) {
    note(fmt::format("the record ends in this {}", name_of(event.op)));
    return put(stay());
  }
  const double seconds = seconds_of(event);
  seconds_ += seconds;
  put(pause(event.op, seconds));
}

void StatementWriter::write_end() {
  event_ = nullptr;
  if (left_) return;
  switch (trace_.end.kind) {
    case EndKind::finalized:
      if (!finalized_) put(finish());
      return;
    case EndKind::exited: return put(leave(trace_.end.status) + comment("without finalize"));
    case EndKind::aborted: return put(abort(status_of_abort(trace_.end)));
    case EndKind::signal: return put(raise(trace_.end.signal > 0 ? trace_.end.signal : kKill));
    case EndKind::running:
    case EndKind::cut:
    case EndKind::missing:
      if (!finalized_) put(stay());
      return;
  }
}

void StatementWriter::put(const std::string& statement) {
  here_->code += indent_ + statement + '\n';
  here_->text += indent_ + statement;
  if (event_ != nullptr && !commented_) {
    here_->text += comment(comment_of_event());
    commented_ = true;
  }
  here_->text += '\n';
}

std::string StatementWriter::comment(std::string_view text) const {
  return text.empty() ? std::string() : fmt::format("  {}{}{}", comment_.before, text, comment_.after);
}

std::string StatementWriter::comment_of_event() const {
  const EventExtras& extras = event_->extras;
  std::vector<std::string> parts;
  if (event_->site != kNoSymbol) parts.push_back(scenario_.site_of(*event_));
  if (event_->step != kUnset) parts.push_back(fmt::format("step {}", event_->step));
  if (extras.polls() != 0) parts.push_back("polled " + counted(extras.polls(), "time"));
  if (extras.matched() >= 0) parts.push_back(fmt::format("got rank {} of the group", extras.matched()));
  if (!extras.error().empty()) parts.push_back("recorded error: " + extras.error());
  parts.insert(parts.end(), notes_.begin(), notes_.end());
  return c::comment_text(c::join(parts, ", "));
}

void StatementWriter::note(std::string_view remark) {
  if (!remark.empty()) notes_.emplace(remark);
}

void StatementWriter::reject(const std::string& reason) const {
  throw InputError(shared_.source, 0, 0,
                   fmt::format("rank {}, event {}: {} {}", rank_, event_->seq, name_of(event_->op), reason));
}

std::size_t StatementWriter::size(const Event& event) const {
  const Communicator& comm = scenario_.comm_of(event);
  if (!comm.known) reject("cannot be written: the members of its communicator are not known");
  return comm.ranks.size();
}

std::int32_t StatementWriter::member(const Event& event, std::int32_t rank, const char* what) const {
  const std::size_t members = size(event);
  if (rank < 0 || static_cast<std::size_t>(rank) >= members) reject(fmt::format("names no {} of its group", what));
  return rank;
}

std::int32_t StatementWriter::root(const Event& event) {
  if (event.root == kUnset) note("root not recorded: 0");
  return member(event, event.root == kUnset ? 0 : event.root, "root");
}

std::int64_t StatementWriter::count_or_one(std::int64_t count) {
  if (count != kUnknownCount) return count;
  note(kUnknownCountNote);
  return 1;
}

void StatementWriter::require_count(std::int64_t count) const {
  if (count > kMostElements) reject(fmt::format("has a count of {}: more than any memory holds", count));
}

}  // namespace petri
