// Packets of a Perfetto trace. Internal to harness/export.
//
// Field numbers: Perfetto, protos/perfetto/trace/trace_packet.proto, track_event/track_descriptor.proto,
// track_event/track_event.proto, track_event/debug_annotation.proto and interned_data/interned_data.proto.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "harness/export/protobuf_message.hpp"

namespace petri::perfetto {

struct TrackPlace {
  std::uint64_t track = 0;   // its number, from 1
  std::uint64_t parent = 0;  // 0: none
  std::int32_t order = 0;    // among its siblings
};

// Writes packets of one sequence, so that a text is written once and named by a number from then on.
class Packets {
 public:
  explicit Packets(std::ostream& out) : out_(out) {}

  void add_track(const TrackPlace& place, std::string_view name);

  // An event is begun, given arguments and put; times are nanoseconds.
  void begin_slice(std::uint64_t track, std::int64_t time, std::string_view name, std::string_view category,
                   std::span<const std::uint64_t> arrows);
  void begin_instant(std::uint64_t track, std::int64_t time, std::string_view name, std::string_view category);
  void argument(std::string_view name, std::string_view text);
  void argument(std::string_view name, std::int64_t number);
  void put_event();
  void end_slice(std::uint64_t track, std::int64_t time);

 private:
  // Texts of one kind that have a number.
  class Interned {
   public:
    explicit Interned(std::uint32_t field) : field_(field) {}
    std::uint64_t number_of(std::string_view text, ProtobufMessage& news);

   private:
    struct Hash : std::hash<std::string_view> {
      using is_transparent = void;
    };
    std::uint32_t field_;
    std::unordered_map<std::string, std::uint64_t, Hash, std::equal_to<>> numbers_;
  };

  void begin_event(std::uint64_t type, std::uint64_t track, std::int64_t time);
  void begin_packet();
  void put_packet();

  std::ostream& out_;
  bool first_ = true;
  ProtobufMessage packet_, event_, news_, argument_;
  Interned categories_{1}, names_{2}, argument_names_{3}, texts_{29};
};

}  // namespace petri::perfetto
