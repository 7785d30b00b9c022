#include "harness/trace/describe.hpp"

#include <fmt/format.h>

namespace petri {
namespace {

// The communicator of an event, and who calls on it: that decides in which of an intercommunicator's groups peers are.
struct Place {
  const Communicator& comm;
  std::int32_t caller;
};

// A peer or root by its global rank.
std::string group_rank(const Place& place, std::int32_t rank) {
  if (rank == kAny) return "any";
  if (rank == kNull) return "null";
  if (rank == kRootHere) return "itself";
  if (place.comm.is_inter() && place.caller == kUnset) return fmt::format("{} of the other group", rank);
  const auto& group = place.comm.is_inter() ? place.comm.peers_of(place.caller) : place.comm.ranks;
  if (!place.comm.known || rank < 0 || rank >= static_cast<std::int32_t>(group.size()))
    return fmt::format("{} (of the group)", rank);
  return std::to_string(group[static_cast<std::size_t>(rank)]);
}

std::string leader_across(std::int32_t peer, const std::string& remote) {
  return remote.empty() || remote == "world" ? fmt::format("leader {}", peer)
                                             : fmt::format("leader {} of {}", peer, remote);
}

std::string tag(std::int32_t tag) {
  return tag == kAny ? "any" : std::to_string(tag);
}

std::string amount(std::int64_t count, ElementType type) {
  if (count == kUnknownCount) return type == ElementType::unknown ? "" : std::string(name_of(type));
  return type == ElementType::unknown ? std::to_string(count) : fmt::format("{} {}", count, name_of(type));
}

template <class Number>
std::string list(PackedNumbers<Number> numbers) {
  constexpr std::size_t kMost = 6;
  std::string out;
  for (std::size_t i = 0; i < numbers.size() && i < kMost; ++i) out += (i > 0 ? "," : "") + std::to_string(numbers[i]);
  return numbers.size() > kMost ? fmt::format("{},… ({} in all)", out, numbers.size()) : out;
}

std::string arguments(const Event& event) {
  const EventExtras& extras = event.extras;
  std::string out = amount(event.count, event.dtype);
  const auto add = [&](const std::string& text) {
    if (!text.empty()) out += (out.empty() ? "" : " ") + text;
  };
  if (!extras.counts().empty()) add("counts " + list(extras.counts()));
  if (extras.sendcount() != kUnknownCount || extras.sendtype() != ElementType::unknown)
    add("send " + amount(extras.sendcount(), extras.sendtype()));
  if (!extras.sendcounts().empty()) add("send " + list(extras.sendcounts()));
  if (extras.recvcount() != kUnknownCount || extras.recvtype() != ElementType::unknown)
    add("receive " + amount(extras.recvcount(), extras.recvtype()));
  if (!extras.recvcounts().empty()) add("receive " + list(extras.recvcounts()));
  if (event.reduce != ReduceOp::unknown) add(std::string(name_of(event.reduce)));
  return out.empty() ? "" : "(" + out + ")";
}

std::string peers(const Place& comm, const Event& event) {
  const EventExtras& extras = event.extras;
  const OpKind kind = kind_of(event.op);
  std::string out;
  if (kind == OpKind::sendrecv) {
    const auto pick = [&](std::int32_t side, std::int32_t both) { return side != kUnset ? side : both; };
    const std::int32_t to = pick(extras.sendpeer(), event.peer);
    const std::int32_t from = pick(extras.recvpeer(), event.peer);
    if (to != kUnset)
      out += fmt::format(" to {}, tag {}", group_rank(comm, to), tag(pick(extras.sendtag(), tag_of(event))));
    if (from != kUnset)
      out += fmt::format("{} from {}, tag {}", to != kUnset ? "," : "", group_rank(comm, from),
                         tag(pick(extras.recvtag(), tag_of(event))));
  } else if (event.peer != kUnset) {
    // A leader across is named in the communicator that both leaders share.
    const std::string peer =
        kind == OpKind::comm_create ? leader_across(event.peer, extras.remote()) : group_rank(comm, event.peer);
    out += fmt::format(" {} {}, tag {}", kind == OpKind::recv || kind == OpKind::probe ? "from" : "to", peer,
                       tag(tag_of(event)));
  } else if (kind == OpKind::comm_create && event.tag != kUnset) {
    out += fmt::format(" tag {}", tag(event.tag));
  }
  if (event.root != kUnset) out += fmt::format(" root {}", group_rank(comm, event.root));
  if (event.extras.matched() != kUnset) out += fmt::format(" (got {})", group_rank(comm, event.extras.matched()));
  return out;
}

// Which parts of a partitioned message a call is about.
std::string partitions(const Event& event) {
  const EventExtras& extras = event.extras;
  if (extras.partitions())
    return fmt::format(" in {} partition{}", *extras.partitions(), *extras.partitions() == 1 ? "" : "s");
  if (kind_of(event.op) != OpKind::partition) return "";
  if (extras.index()) return fmt::format(" partition {}", *extras.index());
  if (extras.indices().size() == 1) return fmt::format(" partition {}", extras.indices().front());
  return extras.indices().empty() ? "" : " partitions " + list(extras.indices());
}

}  // namespace

std::string describe(const Scenario& scenario, const Event& event, std::int32_t caller) {
  const Communicator& comm = scenario.comm_of(event);
  const Place place{comm, caller};
  const EventExtras& extras = event.extras;
  std::string out(name_of(event.op));
  out += arguments(event);
  out += peers(place, event);
  if (event.request != kNoRequest) out += fmt::format(" #{}", event.request);
  if (!extras.requests().empty()) out += fmt::format(" #{}", list(extras.requests()));
  out += partitions(event);
  if (event.extras.new_comm() != kNoComm)
    out += fmt::format(" making {}", scenario.comms[static_cast<std::size_t>(event.extras.new_comm())].name);
  if (extras.target()) out += fmt::format(" at {}", group_rank(place, *extras.target()));
  if (!extras.lock().empty()) out += " " + extras.lock();
  if (!extras.win().empty()) out += " on " + extras.win();
  if (!extras.file().empty()) out += " on " + extras.file();
  if (event.comm != 0 && extras.win().empty() && extras.file().empty()) out += fmt::format(" on {}", comm.name);
  if (!extras.event().empty()) out += " " + extras.event();
  if (!extras.stream().empty()) out += " on stream " + extras.stream();
  if (extras.polls() != 0) out += fmt::format(", polled {}×", extras.polls());
  return out;
}

}  // namespace petri
