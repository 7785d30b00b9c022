#include "harness/import/process_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>

#include "harness/trace/op.hpp"

namespace petri {
namespace {

using record::FactKind;
using record::RecordView;

[[noreturn]] void reject(const RecordView& view, const std::string& reason) {
  throw InputError(view.file().string(), 0, 0, "damaged record: " + reason);
}

// The fixed part of a fact; what follows it stays in `bytes`.
template <class Fact>
Fact take_fact(const RecordView& view, std::span<const std::byte>& bytes) {
  static_assert(std::is_trivially_copyable_v<Fact>);
  if (bytes.size() < sizeof(Fact)) reject(view, "a fact is too short");
  Fact fact;
  std::memcpy(&fact, bytes.data(), sizeof fact);
  bytes = bytes.subspan(sizeof fact);
  return fact;
}

std::string text_of(std::span<const std::byte> bytes) {
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  return {text, ::strnlen(text, bytes.size())};
}

// The next `n` numbers behind a fact.
std::vector<std::int32_t> take_list(const RecordView& view, std::span<const std::byte>& bytes, std::int32_t n) {
  if (n < 0 || static_cast<std::size_t>(n) > bytes.size() / sizeof(std::int32_t))
    reject(view, "members or neighbours do not fit into their fact");
  std::vector<std::int32_t> list(static_cast<std::size_t>(n));
  if (n > 0) std::memcpy(list.data(), bytes.data(), list.size() * sizeof(std::int32_t));
  bytes = bytes.subspan(list.size() * sizeof(std::int32_t));
  return list;
}

void read_topology(const RecordView& view, std::span<const std::byte> bytes, ProcessFacts& facts) {
  const auto fact = take_fact<record::TopologyFact>(view, bytes);
  TopologyFactCopy topology;
  topology.sources = take_list(view, bytes, fact.sources);
  topology.destinations = take_list(view, bytes, fact.destinations);
  topology.dims = take_list(view, bytes, fact.dims);
  topology.periods = take_list(view, bytes, fact.dims);
  facts.topologies.insert_or_assign(fact.comm, std::move(topology));
}

void read_comm(const RecordView& view, std::span<const std::byte> bytes, ProcessFacts& facts) {
  const auto fact = take_fact<record::CommFact>(view, bytes);
  CommFactCopy comm{fact.parent, fact.ordinal, fact.tag, fact.size, fact.kind, fact.op, {}, {}, {}};
  comm.members = take_list(view, bytes, fact.listed);
  comm.remote = take_list(view, bytes, fact.remote_listed);
  comm.name = text_of(bytes);
  facts.comms.insert_or_assign(fact.id, std::move(comm));
}

void read_fact(const RecordView& view, FactKind kind, std::span<const std::byte> bytes, ProcessFacts& facts) {
  switch (kind) {
    case FactKind::comm: return read_comm(view, bytes, facts);
    case FactKind::topology: return read_topology(view, bytes, facts);
    case FactKind::window: {
      const auto fact = take_fact<record::WindowFact>(view, bytes);
      facts.windows.push_back({fact.comm, fact.ordinal, fact.disp_unit});
      return;
    }
    case FactKind::module: {
      const auto fact = take_fact<record::ModuleFact>(view, bytes);
      facts.modules.push_back({fact.begin, fact.end, fact.bias, text_of(bytes)});
      return;
    }
    case FactKind::error: {
      const auto fact = take_fact<record::ErrorFact>(view, bytes);
      facts.error_names.insert_or_assign(fact.error_class, text_of(bytes));
      return;
    }
    case FactKind::text:
      take_fact<record::TextFact>(view, bytes);
      facts.texts.push_back(text_of(bytes));
      return;
    case FactKind::none: break;
  }
  reject(view, fmt::format("a fact of unknown kind {}", static_cast<std::uint32_t>(kind)));
}

template <class Item>
void append(std::vector<Item>& to, const record::PartSlot& part) {
  const std::size_t n = std::min<std::size_t>(part.used, record::kPayloadBytes) / sizeof(Item);
  const std::size_t before = to.size();
  to.resize(before + n);
  if (n > 0) std::memcpy(to.data() + before, part.payload, n * sizeof(Item));
}

void append_part(const RecordView& view, const record::PartSlot& part, RecordedEvent& event) {
  switch (static_cast<record::Part>(part.kind)) {
    case record::Part::none: return;
    case record::Part::sides: return append(event.sides, part);
    case record::Part::requests: return append(event.requests, part);
    case record::Part::counts: return append(event.counts, part);
    case record::Part::sendcounts: return append(event.sendcounts, part);
    case record::Part::recvcounts: return append(event.recvcounts, part);
    case record::Part::ranks: return append(event.ranks, part);
    case record::Part::in: return append(event.in, part);
    case record::Part::out: return append(event.out, part);
    case record::Part::dims: return append(event.dims, part);
    case record::Part::periods: return append(event.periods, part);
    case record::Part::indices: return append(event.indices, part);
    case record::Part::text: return append(event.text, part);
    case record::Part::buffers: return append(event.buffers, part);
  }
  reject(view, fmt::format("a continuation of unknown kind {}", part.kind));
}

bool is_operation(std::uint8_t op) {
  return op < kOpCount;
}

}  // namespace

ProcessFacts read_facts(const RecordView& view) {
  ProcessFacts facts;
  for (std::span<const std::byte> left = view.facts(); !left.empty();) {
    if (left.size() < sizeof(record::FactHead)) reject(view, "the facts end in the middle of one");
    record::FactHead head;
    std::memcpy(&head, left.data(), sizeof head);
    const std::size_t padded = (std::size_t{head.bytes} + 7) / 8 * 8;
    if (head.bytes < sizeof head || padded > left.size()) reject(view, fmt::format("a fact of {} bytes", head.bytes));
    read_fact(view, head.kind, left.first(head.bytes), facts);
    left = left.subspan(padded);
  }
  return facts;
}

void RecordedEvent::clear_lists() {
  requests.clear();
  ranks.clear();
  counts.clear();
  sendcounts.clear();
  recvcounts.clear();
  sides.clear();
  dims.clear();
  periods.clear();
  indices.clear();
  text.clear();
  buffers.clear();
  in.clear();
  out.clear();
}

bool read_event(const RecordView& view, std::uint64_t& number, RecordedEvent& event) {
  if (!view.copy_slot(number, event.bytes)) return false;
  ++number;
  const record::Slot& slot = event.slot();
  if (slot.op == record::kPart || event.is_mark()) return true;  // a part's event's own slot is overwritten
  if (!is_operation(slot.op)) reject(view, fmt::format("event {} names operation {}", slot.seq, slot.op));
  event.clear_lists();
  const std::uint64_t end = number + slot.parts;
  for (; number < end; ++number) {
    alignas(record::PartSlot) std::array<std::byte, record::kSlotBytes> bytes;
    if (!view.copy_slot(number, bytes)) return false;
    const auto& part = *reinterpret_cast<const record::PartSlot*>(bytes.data());
    if (part.op != record::kPart) reject(view, fmt::format("event {} lacks its continuation", slot.seq));
    append_part(view, part, event);
  }
  return true;
}

}  // namespace petri
