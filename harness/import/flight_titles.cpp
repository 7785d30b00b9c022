#include "harness/import/flight_titles.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "harness/import/torch_words.hpp"

namespace petri {
namespace {

// A barrier is made of another operation: "all_reduce_barrier".
std::optional<Op> operation_named(std::string_view name) {
  if (name.ends_with("barrier")) return Op::barrier;
  if (name.starts_with("sparse_")) name.remove_prefix(7);
  return torch_op(name);
}

// "0->3" or "0<-3": the peer is the second one, whichever way the message goes. "0<-?" receives from anybody.
std::int32_t peer_in(std::string_view text) {
  const std::size_t arrow = std::min(text.find("->"), text.find("<-"));
  if (arrow == std::string_view::npos) return kUnset;
  if (text.substr(arrow) == "<-?") return kAny;
  std::int32_t peer = 0;
  const char* begin = text.data() + arrow + 2;
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), peer);
  return error == std::errc() && end != begin && peer >= 0 ? peer : kUnset;
}

}  // namespace

FlightTitle read_flight_title(std::string_view title) {
  FlightTitle read;
  if (const std::size_t colon = title.find(':'); colon != std::string_view::npos) {
    read.backend = title.substr(0, colon);
    title.remove_prefix(colon + 1);
  }
  const std::string_view name = title.substr(0, title.find(' '));
  if (name == "coalesced") {
    read.coalesced = true;
    return read;
  }
  read.op = operation_named(name);
  read.uneven = name.ends_with("_v") || name.ends_with("_v_single");
  if (read.op == Op::send || read.op == Op::recv) {
    read.peer = peer_in(title.substr(name.size()));
    if (read.op == Op::recv && name != "recv") read.peer = kAny;
    if (read.peer == kUnset) read.op.reset();  // a message to nobody says nothing
  }
  return read;
}

}  // namespace petri
