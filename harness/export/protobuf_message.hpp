// A protobuf message that is written field by field, for formats that are given by field numbers. Internal to
// harness/export. Encoding: protobuf.dev/programming-guides/encoding.
#pragma once

#include <google/protobuf/io/coded_stream.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace petri {

class ProtobufMessage {
 public:
  void clear() { bytes_.clear(); }
  const std::string& bytes() const { return bytes_; }

  void number(std::uint32_t field, std::uint64_t value) {
    tag(field, kVarint);
    varint(value);
  }
  void fixed(std::uint32_t field, std::uint64_t value) {
    tag(field, kFixed64);
    std::uint8_t room[sizeof value];
    Coded::WriteLittleEndian64ToArray(value, room);
    bytes_.append(reinterpret_cast<const char*>(room), sizeof room);
  }
  void text(std::uint32_t field, std::string_view value) {
    tag(field, kBytes);
    varint(value.size());
    bytes_.append(value);
  }
  void message(std::uint32_t field, const ProtobufMessage& value) { text(field, value.bytes_); }

 private:
  using Coded = google::protobuf::io::CodedOutputStream;
  static constexpr std::uint32_t kVarint = 0, kFixed64 = 1, kBytes = 2;
  static constexpr int kTypeBits = 3, kLongestVarint = 10;

  void tag(std::uint32_t field, std::uint32_t type) { varint(field << kTypeBits | type); }
  void varint(std::uint64_t value) {
    std::uint8_t room[kLongestVarint];
    const std::uint8_t* end = Coded::WriteVarint64ToArray(value, room);
    bytes_.append(reinterpret_cast<const char*>(room), static_cast<std::size_t>(end - room));
  }

  std::string bytes_;
};

}  // namespace petri
