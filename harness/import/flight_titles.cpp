#include "harness/import/flight_titles.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace petri {
namespace {

// Names without backend, leading underscore and the suffixes below, which tell variants of one operation apart.
constexpr std::array<std::pair<std::string_view, Op>, 19> kNames{{
    {"all_reduce", Op::allreduce},
    {"allreduce", Op::allreduce},
    {"broadcast", Op::bcast},
    {"reduce", Op::reduce},
    {"all_gather", Op::allgather},
    {"allgather", Op::allgather},
    {"reduce_scatter", Op::reduce_scatter_block},
    {"all_to_all", Op::alltoall},
    {"alltoall", Op::alltoall},
    {"gather", Op::gather},
    {"scatter", Op::scatter},
    {"barrier", Op::barrier},
    {"all_reduce_barrier", Op::barrier},
    {"monitored_barrier", Op::barrier},
    {"send", Op::send},
    {"recv", Op::recv},
    {"recvAnySource", Op::recv},
    {"recv_anysource", Op::recv},
    {"recv_any_source", Op::recv},
}};
constexpr std::array<std::string_view, 9> kVariants{"_base",   "_oop",    "_coalesced", "_into_tensor", "_tensor",
                                                    "_sparse", "_single", "_async",     "_out"};

std::optional<Op> operation_named(std::string_view name) {
  for (;;) {
    for (const auto& [known, op] : kNames)
      if (known == name) return op;
    const std::string_view before = name;
    if (name.starts_with('_')) name.remove_prefix(1);
    for (const std::string_view variant : kVariants)
      if (name.size() > variant.size() && name.ends_with(variant)) name.remove_suffix(variant.size());
    if (name.starts_with("sparse_")) name.remove_prefix(7);
    if (name == before) return std::nullopt;
  }
}

// "0->3" or "0<-3": the peer is the second one, whichever way the message goes.
std::int32_t peer_in(std::string_view text) {
  const std::size_t arrow = std::min(text.find("->"), text.find("<-"));
  if (arrow == std::string_view::npos) return kUnset;
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
  if (read.op == Op::send || read.op == Op::recv) {
    read.peer = peer_in(title.substr(name.size()));
    if (read.op == Op::recv && name != "recv") read.peer = kAny;
    if (read.peer == kUnset) read.op.reset();  // a message to nobody says nothing
  }
  return read;
}

}  // namespace petri
