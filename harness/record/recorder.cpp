#include "harness/record/recorder.hpp"

#include <cstdlib>
#include <cstring>

#include "harness/record/boundary.hpp"
#include "harness/record/handles.hpp"
#include "harness/record/pointer_map.hpp"
#include "harness/record/requests.hpp"

namespace petri::record {

State state;
constinit thread_local int depth = -1;
constinit thread_local const Unrecorded* unrecorded = nullptr;

namespace {

// A continuation list may take this share of the ring at most, so that one call cannot push out all history.
std::uint32_t most_parts() {
  const std::uint64_t share = (state.mask + 1) / 4;
  return share < 60000 ? static_cast<std::uint32_t>(share) : 60000u;
}

// A message that a matched probe took out of the queue and nobody has received yet.
struct Taken {
  std::int32_t number;
  std::int32_t comm;
};
PointerMap<Taken> messages;

}  // namespace

PartSlot* Call::add_part(Part kind) {
  const std::uint64_t number = number_ + 1 + parts_++;
  auto& part = reinterpret_cast<PartSlot&>(slot_at(number));
  part.stamp.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  part.op = kPart;
  part.kind = static_cast<std::uint8_t>(kind);
  part.used = 0;
  part.stamp.store(static_cast<std::uint32_t>(number + 1), std::memory_order_release);
  return &part;
}

void Call::sides(const Sides& sides) {
  if (!active()) return;
  PartSlot* part = add_part(Part::sides);
  std::memcpy(part->payload, &sides, sizeof sides);
  part->used = sizeof sides;
}

template <class To, class Convert>
static bool write_list(std::int64_t n, std::uint32_t room, const Convert& value, const auto& next_part) {
  constexpr std::int64_t each = kPayloadBytes / sizeof(To);
  if (n > static_cast<std::int64_t>(room) * each) return false;
  for (std::int64_t i = 0; i < n; i += each) {
    PartSlot* part = next_part();
    const std::int64_t here = n - i < each ? n - i : each;
    for (std::int64_t k = 0; k < here; ++k) {
      const To item = value(i + k);
      std::memcpy(part->payload + k * static_cast<std::int64_t>(sizeof(To)), &item, sizeof item);
    }
    part->used = static_cast<std::uint16_t>(here * static_cast<std::int64_t>(sizeof(To)));
  }
  return true;
}

void Call::list(Part kind, const std::uint32_t* values, std::int64_t n) {
  if (!active()) return;
  const std::uint32_t room = most_parts() > parts_ ? most_parts() - parts_ : 0;
  const bool fits = write_list<std::uint32_t>(
      n, room, [&](std::int64_t i) { return values[i]; }, [&] { return add_part(kind); });
  if (!fits) slot_->flags |= kListCut;
}

void Call::list(Part kind, const int* values, std::int64_t n) {
  list(kind, reinterpret_cast<const std::uint32_t*>(values), n);
}

void Call::scaled_list(Part kind, const int* values, std::int64_t n, std::int64_t scale) {
  if (!active()) return;
  const std::uint32_t room = most_parts() > parts_ ? most_parts() - parts_ : 0;
  const bool fits = write_list<std::int64_t>(
      n, room, [&](std::int64_t i) { return values[i] * scale; }, [&] { return add_part(kind); });
  if (!fits) slot_->flags |= kListCut;
}

void Call::text(const char* text) {
  if (!active()) return;
  const std::size_t length = std::strlen(text);
  for (std::size_t at = 0; at < length && parts_ < most_parts(); at += kPayloadBytes) {
    PartSlot* part = add_part(Part::text);
    const std::size_t here = length - at < kPayloadBytes ? length - at : kPayloadBytes;
    std::memcpy(part->payload, text + at, here);
    part->used = static_cast<std::uint16_t>(here);
  }
}

void Call::typed_list(Part kind, const int* values, const MPI_Datatype* types, std::int64_t n) {
  if (!active()) return;
  const std::uint32_t room = most_parts() > parts_ ? most_parts() - parts_ : 0;
  const auto flat_count = [&](std::int64_t i) { return values[i] * std::int64_t{flatten(types[i]).per_element}; };
  if (!write_list<std::int64_t>(n, room, flat_count, [&] { return add_part(kind); })) slot_->flags |= kListCut;
}

void Call::observe_in(const void* buffer, std::int64_t count, MPI_Datatype type) {
  reads(buffer, count, type);
  if (state.digests && !starts_later_) digest_in(buffer, count, type);
}

void Call::observe_out(const void* buffer, std::int64_t count, MPI_Datatype type) {
  writes(buffer, count, type);
  if (state.digests && !starts_later_) digest_out(buffer, count, type);
}

namespace {

struct Span {
  std::uint64_t begin, end;
  bool solid;  // every byte of it is touched
};

// From the first byte of the first element to the last byte of the last one (MPI 4.1, section 5.1.7).
Span span_of(const void* buffer, std::int64_t count, MPI_Datatype type) {
  MPI_Aint low = 0, extent = 0, true_low = 0, true_extent = 0;
  int bytes = 0;
  real::Type_get_extent(type, &low, &extent);
  real::Type_get_true_extent(type, &true_low, &true_extent);
  real::Type_size(type, &bytes);
  const auto first = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(buffer)) + true_low;
  const std::int64_t last = first + (count - 1) * extent;
  return {static_cast<std::uint64_t>(first < last ? first : last),
          static_cast<std::uint64_t>((first < last ? last : first) + true_extent),
          true_extent == bytes && (count == 1 || extent == bytes)};
}

// Joins a piece to those before it. What lies between pieces is not touched: then nothing of them is kept.
void widen(std::uint64_t& address, std::uint64_t& bytes, bool& apart, Span span) {
  if (bytes != 0) apart = apart || span.begin > address + bytes || span.end < address;
  apart = apart || !span.solid;
  const std::uint64_t begin = bytes == 0 || span.begin < address ? span.begin : address;
  const std::uint64_t end = bytes == 0 || span.end > address + bytes ? span.end : address + bytes;
  address = begin;
  bytes = apart ? 0 : end - begin;
}

}  // namespace

void Call::note_buffer(bool written, const void* buffer, std::int64_t count, MPI_Datatype type) {
  if (!active() || count <= 0 || buffer == MPI_IN_PLACE || type == handles.no_type) return;
  const bool fresh = buffers_ == 0;
  if (fresh) buffers_ = number_ + 1 + parts_;
  PartSlot* part = fresh ? add_part(Part::buffers) : reinterpret_cast<PartSlot*>(&slot_at(buffers_));
  Buffers all{};
  if (!fresh) std::memcpy(&all, part->payload, sizeof all);
  const Span span = span_of(buffer, count, type);
  if (written)
    widen(all.recv_address, all.recv_bytes, writes_apart_, span);
  else
    widen(all.send_address, all.send_bytes, reads_apart_, span);
  std::memcpy(part->payload, &all, sizeof all);
  part->used = sizeof all;
}

void Call::digest_in(const void* buffer, std::int64_t count, MPI_Datatype type) {
  if (!active()) return;
  const FlatType flat = flatten(type);
  if (!flat.contiguous || count < 0) return;
  PartSlot* part = add_part(Part::in);
  write_boundary(*part, {buffer, count, flat, 0});
}

void Call::digest_out(const void* buffer, std::int64_t count, MPI_Datatype type) {
  if (!active()) return;
  const FlatType flat = flatten(type);
  if (!flat.contiguous || count < 0) return;
  out_ = {buffer, count, flat, number_ + 1 + parts_};
  add_part(Part::out);
}

void take_out(const OutBuffer& out) {
  if (Slot* slot = slot_if_kept(out.part)) write_boundary(reinterpret_cast<PartSlot&>(*slot), out);
}

std::int64_t received_count(const OutBuffer& out, const MPI_Status& status) {
  int bytes = 0;
  if (out.type.bytes <= 0 || real::Get_count(&status, handles.byte, &bytes) != MPI_SUCCESS || bytes < 0) return 0;
  const std::int64_t count = bytes / out.type.bytes;
  return count < out.count ? count : out.count;
}

void note_match(Slot& slot, const MPI_Status& status) {
  slot.matched = rank_value(status.MPI_SOURCE);
  slot.result = status.MPI_TAG;
}

void Call::received(const MPI_Status& status) {
  if (!active()) return;
  const Locked locked;
  if (out_.data != nullptr) out_.count = received_count(out_, status);
  Slot* slot = slot_if_kept(number_);
  if (slot != nullptr && wild_) note_match(*slot, status);
}

void Call::took_message(MPI_Message message) {
  if (!active()) return;
  const Locked locked;
  const Taken taken{state.next_message++, slot_->comm};
  messages.insert(key_of(message), taken);
  if (Slot* slot = slot_if_kept(number_)) slot->count = taken.number;
}

void Call::receives_message(MPI_Message message) {
  if (!active()) return;
  receives_ = true;
  const Taken* taken = messages.find(key_of(message));
  slot_->comm = taken != nullptr ? taken->comm : kNoLocalComm;
  slot_->peer = taken != nullptr ? taken->number : kUnset;
  messages.erase(key_of(message));
}

RequestEntry* Call::pending(const MPI_Request* request) {
  if (!active()) return nullptr;
  const Locked locked;
  RequestEntry entry{};
  entry.event = number_;
  entry.number = number_of_request_;
  entry.wild = wild_;
  entry.receives = receives_;
  if (out_.data != nullptr) {
    entry.later = static_cast<Later*>(std::calloc(1, sizeof(Later)));
    if (entry.later != nullptr) entry.later->out = out_;
    out_.data = nullptr;  // not at the end of this call
  }
  return add_request(*request, fortran_requests_ != nullptr ? fortran_requests_ : request, entry);
}

int Call::end_failed_poll(int status) {
  if (!active()) return status;
  flag(false);
  slot_->result = 1;
  slot_->state.store(packed_state(EventState::completed, thread_), std::memory_order_relaxed);
  commit();
  state.header->events_completed.store(++state.completed, std::memory_order_release);
  return status;
}

}  // namespace petri::record
