#include "harness/export/call_arguments.hpp"

#include <fmt/format.h>

#include <string>

namespace petri {
namespace {

template <class List>
void give_list(std::string_view name, const List& list, const ArgumentTaker& take) {
  constexpr std::size_t kMost = 100;
  if (list.empty()) return;
  std::string text;
  std::size_t given = 0;
  for (const auto number : list) {
    if (given == kMost) break;
    text += fmt::format("{}{}", given++ == 0 ? "" : ", ", number);
  }
  if (list.size() > kMost) text += fmt::format(", … {} in all", list.size());
  take.text(name, text);
}

// A rank of a group, or what stands for one.
void give_rank(std::string_view name, std::int32_t rank, const ArgumentTaker& take) {
  if (rank == kUnset) return;
  if (rank == kAny) return take.text(name, "any");
  if (rank == kNull) return take.text(name, "null");
  if (rank == kRootHere) return take.text(name, "root");
  take.number(name, rank);
}

void give_text(std::string_view name, const std::string& text, const ArgumentTaker& take) {
  if (!text.empty()) take.text(name, text);
}

template <class Number>
void give_optional(std::string_view name, const std::optional<Number>& number, const ArgumentTaker& take) {
  if (number) take.number(name, *number);
}

void give_extras(const Scenario& scenario, const EventExtras& extras, const ArgumentTaker& take) {
  give_rank("sendpeer", extras.sendpeer(), take);
  give_rank("recvpeer", extras.recvpeer(), take);
  give_rank("sendtag", extras.sendtag(), take);
  give_rank("recvtag", extras.recvtag(), take);
  give_rank("matched", extras.matched(), take);
  give_list("counts", extras.counts(), take);
  give_list("sendcounts", extras.sendcounts(), take);
  give_list("recvcounts", extras.recvcounts(), take);
  if (extras.sendcount() != kUnknownCount) take.number("sendcount", extras.sendcount());
  if (extras.recvcount() != kUnknownCount) take.number("recvcount", extras.recvcount());
  if (extras.sendtype() != ElementType::unknown) take.text("sendtype", name_of(extras.sendtype()));
  if (extras.recvtype() != ElementType::unknown) take.text("recvtype", name_of(extras.recvtype()));
  give_list("requests", extras.requests(), take);
  if (extras.new_comm() != kNoComm) take.text("new", scenario.comms[static_cast<std::size_t>(extras.new_comm())].name);
  give_optional("color", extras.color(), take);
  give_optional("key", extras.key(), take);
  if (extras.polls() != 0) take.number("polls", static_cast<std::int64_t>(extras.polls()));
  give_text("win", extras.win(), take);
  give_text("file", extras.file(), take);
  give_optional("target", extras.target(), take);
  give_text("lock", extras.lock(), take);
  give_text("event", extras.event(), take);
  give_text("category", extras.category(), take);
  give_text("value", extras.value(), take);
  give_text("error", extras.error(), take);
}

}  // namespace

void give_arguments(const Scenario& scenario, const Event& event, const ArgumentTaker& take) {
  const OpKind kind = kind_of(event.op);
  const bool on_comm = kind != OpKind::host && kind != OpKind::device && kind != OpKind::world;
  if (on_comm) take.text("comm", scenario.comm_of(event).name);
  if (event.count != kUnknownCount) take.number("count", event.count);
  if (event.dtype != ElementType::unknown) take.text("dtype", name_of(event.dtype));
  if (event.reduce != ReduceOp::unknown) take.text("reduce", name_of(event.reduce));
  give_rank("root", event.root, take);
  give_rank("peer", event.peer, take);
  give_rank("tag", event.tag, take);
  if (event.request != kNoRequest) take.number("request", event.request);
  if (event.flag >= 0) take.number("flag", event.flag);
  if (event.step != kUnset) take.number("step", event.step);
  if (event.microbatch != kUnset) take.number("microbatch", event.microbatch);
  if (event.state == EventState::scheduled) take.text("state", "scheduled");
  if (event.state == EventState::started) take.text("state", "started");
  if (event.state == EventState::completed) take.text("state", "completed");
  if (event.site != kNoSymbol) take.text("site", scenario.site_of(event));
  take.number("seq", event.seq);
  if (!event.extras.empty()) give_extras(scenario, event.extras, take);
}

}  // namespace petri
