#include "harness/diagnose/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {
namespace {

std::string rank_or_any(std::int32_t rank) {
  if (rank == kAny) return "any";
  if (rank == kNull) return "null";
  return std::to_string(rank);
}

std::string amount_text(std::int64_t count, ElementType type) {
  if (count < 0 && type == ElementType::unknown) return "";
  if (count < 0) return fmt::format(" of {}", name_of(type));
  return fmt::format(" of {} {}", count, type == ElementType::unknown ? "elements" : name_of(type));
}

std::string tag_text(std::int32_t tag) {
  return tag == kUnset ? "" : fmt::format(" tag {}", rank_or_any(tag));
}

std::string peers_text(const Event& event) {
  const OpKind kind = kind_of(event.op);
  if (kind == OpKind::sendrecv) {
    return fmt::format(" to {} from {}", rank_or_any(model::send_half(event).peer),
                       rank_or_any(model::recv_half(event).peer));
  }
  if (event.peer == kUnset) return "";
  return fmt::format(" {} {}{}", kind == OpKind::send ? "to" : "from", rank_or_any(event.peer), tag_text(event.tag));
}

}  // namespace

std::string ranks_text(std::vector<std::int32_t> ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  if (ranks.empty()) return "no rank";
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t from = 0; from < ranks.size();) {
    std::size_t to = from;
    while (to + 1 < ranks.size() && ranks[to + 1] == ranks[to] + 1) ++to;
    if (from != 0) text += ',';
    text += to == from ? std::to_string(ranks[from])
                       : fmt::format("{}{}{}", ranks[from], to == from + 1 ? "," : "-", ranks[to]);
    from = to + 1;
  }
  return text;
}

std::string event_text(const Scenario& scenario, const Event& event) {
  const OpKind kind = kind_of(event.op);
  std::string text(name_of(event.op));
  text += amount_text(event.count, event.dtype);
  if (event.reduce != ReduceOp::unknown) text += fmt::format(" ({})", name_of(event.reduce));
  if (is_rooted(event.op) && event.root != kUnset) text += fmt::format(" root {}", rank_or_any(event.root));
  text += peers_text(event);
  const bool on_comm = kind != OpKind::wait && kind != OpKind::test && kind != OpKind::request &&
                       kind != OpKind::world && kind != OpKind::host;
  if (on_comm) text += fmt::format(" on {}", scenario.comm_of(event).name);
  if (event.extras->polls > 0) text += fmt::format(" (polled {} times)", event.extras->polls);
  if (event.site != kNoSymbol) text += fmt::format(" at {}", scenario.site_of(event));
  return text;
}

std::string place_text(const Event& event) {
  return event.step == kUnset ? fmt::format("event {}", event.seq)
                              : fmt::format("step {}, event {}", event.step, event.seq);
}

std::string ordinal_text(std::int64_t position) {
  const std::int64_t number = position + 1;
  const std::int64_t tens = number % 100;
  const char* suffix = tens >= 11 && tens <= 13 ? "th"
                       : number % 10 == 1       ? "st"
                       : number % 10 == 2       ? "nd"
                       : number % 10 == 3       ? "rd"
                                                : "th";
  return fmt::format("{}{}", number, suffix);
}

}  // namespace petri::diagnosis
