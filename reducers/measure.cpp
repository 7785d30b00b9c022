#include "reducers/measure.hpp"

#include <bit>
#include <cmath>
#include <string_view>
#include <type_traits>

#include "harness/trace/digest.hpp"

namespace petri::reduce {
namespace {

std::uint64_t elements(std::int64_t count) {
  return count > 0 ? static_cast<std::uint64_t>(count) : 0;
}

std::uint64_t elements(PackedNumbers<std::int64_t> counts) {
  std::uint64_t sum = 0;
  for (const std::int64_t count : counts) sum += elements(count);
  return sum;
}

std::uint64_t payload_of(const Event& event) {
  const EventExtras& x = event.extras;
  return elements(event.count) + elements(x.sendcount()) + elements(x.recvcount()) + elements(x.counts()) +
         elements(x.sendcounts()) + elements(x.recvcounts()) + x.polls();
}

constexpr std::size_t kChunk = 1 << 14;

// Digests values in a form without ambiguity: numbers at their full width, texts and lists behind their length.
class Bytes {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void add(T value) { append({reinterpret_cast<const char*>(&value), sizeof value}); }
  void add(std::string_view text) {
    add(text.size());
    append(text);
  }
  void add(const std::string& text) { add(std::string_view(text)); }
  template <class T>
  void add(const std::vector<T>& list) {
    add(list.size());
    for (const T& value : list) add(value);
  }
  template <class T>
  void add(PackedNumbers<T> list) {
    add(list.size());
    for (const T value : list) add(value);
  }
  template <class T>
  void add(const std::optional<T>& value) {
    add(value.has_value());
    if (value) add(*value);
  }
  template <class A, class B>
  void add(const std::pair<A, B>& pair) {
    add(pair.first);
    add(pair.second);
  }
  void add(const Summary& s) {
    add(s.digest);
    for (const auto& value : {s.min, s.max, s.sum, s.norm}) add(value);
    add(s.nan);
    add(s.inf);
  }
  void add(const Buffer& buffer) {
    add(buffer.address);
    add(buffer.bytes);
  }
  void add(const Fill& fill) {
    add(fill.generator);
    add(fill.seed);
    add(fill.scale);
  }
  std::string digest() {
    digest_.add(bytes_);
    return digest_.text();
  }

 private:
  void append(std::string_view bytes) {
    bytes_.append(bytes);
    if (bytes_.size() < kChunk) return;
    digest_.add(bytes_);
    bytes_.clear();
  }

  std::string bytes_;  // not yet in the digest
  Digest digest_;
};

void add_extras(Bytes& out, const EventExtras& x) {
  for (const auto list : {x.counts(), x.sendcounts(), x.recvcounts()}) out.add(list);
  for (const std::int32_t value : {x.matched(), x.sendpeer(), x.recvpeer(), x.sendtag(), x.recvtag()}) out.add(value);
  out.add(x.sendcount());
  out.add(x.recvcount());
  out.add(x.sendtype());
  out.add(x.recvtype());
  out.add(x.requests());
  out.add(x.indices());
  out.add(x.index());
  out.add(x.message());
  out.add(x.polls());
  out.add(x.ranks());
  out.add(x.color());
  out.add(x.key());
  for (const auto list : {x.sources(), x.destinations(), x.dims(), x.periods()}) out.add(list);
  for (const auto* text : {&x.remote(), &x.win(), &x.file(), &x.lock(), &x.assertions(), &x.path(), &x.mode(),
                           &x.stream(), &x.event(), &x.category(), &x.value(), &x.error(), &x.npy()}) {
    out.add(*text);
  }
  for (const auto& value : {x.target(), x.thread(), x.device(), x.partitions()}) out.add(value);
  out.add(x.disp());
  out.add(x.sendbuffer());
  out.add(x.recvbuffer());
  out.add(x.in());
  out.add(x.out());
  out.add(x.orders().size());
  for (const std::string& order : x.orders()) out.add(order);
  out.add(x.values());
  out.add(x.fill());
  out.add(x.free_keys());
}

void add_event(Bytes& out, const Scenario& scenario, const Event& event) {
  out.add(event.op);
  out.add(event.state);
  out.add(event.dtype);
  out.add(event.reduce);
  for (const std::int32_t value : {event.comm, event.peer, event.tag, event.root, event.step, event.microbatch,
                                   event.extras.new_comm(), event.extras.coll_seq()}) {
    out.add(value);
  }
  out.add(event.count);
  out.add(scenario.site_of(event));
  out.add(event.request);
  out.add(event.flag);
  out.add(event.extras.empty());
  if (!event.extras.empty()) add_extras(out, event.extras);
}

}  // namespace

Size size_of(const Scenario& scenario) {
  Size size;
  size.ranks = scenario.ranks.size();
  size.events = scenario.event_count();
  size.comms = scenario.comms.size();
  for (const RankTrace& rank : scenario.ranks) {
    if (rank.end.stated) ++size.facts;
    for (const Event& event : rank.events) {
      size.payload += payload_of(event);
      if (event.state != EventState::unknown) ++size.facts;
    }
    for (const double time : rank.times)
      if (!std::isnan(time)) ++size.facts;
  }
  return size;
}

std::string fingerprint(const Scenario& scenario) {
  Bytes out;
  out.add(scenario.header.world);
  out.add(scenario.header.backend);
  out.add(scenario.header.hosts);
  out.add(scenario.header.devices);
  out.add(scenario.comms.size());
  for (const Communicator& comm : scenario.comms) {
    for (const auto* text : {&comm.name, &comm.parent, &comm.backend, &comm.label}) out.add(*text);
    out.add(comm.ranks);
    out.add(comm.remote);
    out.add(comm.known);
  }
  for (const RankTrace& rank : scenario.ranks) {
    out.add(rank.end.kind);
    out.add(rank.end.stated);
    out.add(rank.end.dropped);
    for (const auto& [comm, position] : rank.end.joined) out.add(std::pair(comm, position));
    out.add(rank.end.signal);
    out.add(rank.end.status);
    out.add(rank.events.size());
    // Of the local numbers only this counts: whether the record begins with the rank's first call, so that what is not
    // made in it never was.
    out.add(!rank.events.empty() && rank.events.front().seq == 0);
    for (const Event& event : rank.events) add_event(out, scenario, event);
    for (std::size_t i = 0; i < rank.times.size(); ++i)
      if (!std::isnan(rank.times[i])) out.add(std::pair(i, std::bit_cast<std::uint64_t>(rank.times[i])));
  }
  return out.digest();
}

}  // namespace petri::reduce
