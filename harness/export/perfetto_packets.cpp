#include "harness/export/perfetto_packets.hpp"

#include <ostream>

namespace petri::perfetto {
namespace {

constexpr std::uint64_t kBase_ns = 1'000'000'000;  // the trace begins there: no time is 0

// Numbers of fields and values, by message.
namespace trace {
constexpr std::uint32_t packet = 1;
}
namespace packet {
constexpr std::uint32_t timestamp = 8, trusted_packet_sequence_id = 10, track_event = 11, interned_data = 12,
                        sequence_flags = 13, track_descriptor = 60;
constexpr std::uint64_t incremental_state_cleared = 1, needs_incremental_state = 2;
}  // namespace packet
namespace descriptor {
constexpr std::uint32_t uuid = 1, name = 2, parent_uuid = 5, child_ordering = 11, sibling_order_rank = 12;
constexpr std::uint64_t explicit_order = 3;
}  // namespace descriptor
namespace event {
constexpr std::uint32_t category_iids = 3, debug_annotations = 4, type = 9, name_iid = 10, track_uuid = 11,
                        flow_ids = 47;
constexpr std::uint64_t slice_begin = 1, slice_end = 2, instant = 3;
}  // namespace event
namespace annotation {
constexpr std::uint32_t name_iid = 1, int_value = 4, string_value_iid = 17;
}
namespace interned {
constexpr std::uint32_t iid = 1, text = 2;
}

}  // namespace

std::uint64_t Packets::Interned::number_of(std::string_view text, ProtobufMessage& news) {
  if (const auto found = numbers_.find(text); found != numbers_.end()) return found->second;
  const std::uint64_t number = numbers_.size() + 1;
  numbers_.emplace(text, number);
  ProtobufMessage entry;
  entry.number(interned::iid, number);
  entry.text(interned::text, text);
  news.message(field_, entry);
  return number;
}

void Packets::begin_packet() {
  packet_.clear();
  packet_.number(packet::trusted_packet_sequence_id, 1);
  packet_.number(packet::sequence_flags, first_ ? packet::incremental_state_cleared : packet::needs_incremental_state);
  first_ = false;
}

void Packets::put_packet() {
  ProtobufMessage framed;
  framed.message(trace::packet, packet_);
  out_ << framed.bytes();
}

void Packets::add_track(const TrackPlace& place, std::string_view name) {
  begin_packet();
  ProtobufMessage track;
  track.number(descriptor::uuid, place.track);
  if (place.parent != 0) track.number(descriptor::parent_uuid, place.parent);
  track.text(descriptor::name, name);
  track.number(descriptor::child_ordering, descriptor::explicit_order);
  track.number(descriptor::sibling_order_rank, static_cast<std::uint64_t>(place.order));
  packet_.message(packet::track_descriptor, track);
  put_packet();
}

void Packets::begin_event(std::uint64_t type, std::uint64_t track, std::int64_t time) {
  begin_packet();
  packet_.number(packet::timestamp, kBase_ns + static_cast<std::uint64_t>(time));
  event_.clear();
  news_.clear();
  event_.number(event::type, type);
  event_.number(event::track_uuid, track);
}

void Packets::begin_slice(std::uint64_t track, std::int64_t time, std::string_view name, std::string_view category,
                          std::span<const std::uint64_t> arrows) {
  begin_event(event::slice_begin, track, time);
  event_.number(event::name_iid, names_.number_of(name, news_));
  event_.number(event::category_iids, categories_.number_of(category, news_));
  for (const std::uint64_t arrow : arrows) event_.fixed(event::flow_ids, arrow);
}

void Packets::begin_instant(std::uint64_t track, std::int64_t time, std::string_view name, std::string_view category) {
  begin_event(event::instant, track, time);
  event_.number(event::name_iid, names_.number_of(name, news_));
  event_.number(event::category_iids, categories_.number_of(category, news_));
}

void Packets::argument(std::string_view name, std::string_view text) {
  argument_.clear();
  argument_.number(annotation::name_iid, argument_names_.number_of(name, news_));
  argument_.number(annotation::string_value_iid, texts_.number_of(text, news_));
  event_.message(event::debug_annotations, argument_);
}

void Packets::argument(std::string_view name, std::int64_t number) {
  argument_.clear();
  argument_.number(annotation::name_iid, argument_names_.number_of(name, news_));
  argument_.number(annotation::int_value, static_cast<std::uint64_t>(number));
  event_.message(event::debug_annotations, argument_);
}

void Packets::put_event() {
  if (!news_.bytes().empty()) packet_.message(packet::interned_data, news_);
  packet_.message(packet::track_event, event_);
  put_packet();
}

void Packets::end_slice(std::uint64_t track, std::int64_t time) {
  begin_event(event::slice_end, track, time);
  put_event();
}

}  // namespace petri::perfetto
