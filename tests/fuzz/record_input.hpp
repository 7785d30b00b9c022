// A record as the fuzzer's input: its facts with their length in front, how it ended, and its slots one after the
// other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "harness/trace/record_layout.hpp"
#include "tests/import/record_file.hpp"

namespace petri::fuzz {

inline constexpr std::size_t kInputHead = 4;  // length of the facts, 2 bytes; ended; ranks of the world
inline constexpr std::uint64_t kInputSlots = 64;

// The record of rank 0 that the input stands for. Slots have their right stamps, but for those that say "never
// written".
inline test::RecordFile record_from(std::span<const std::uint8_t> input) {
  const auto head = input.first(std::min(input.size(), kInputHead));
  std::uint8_t bytes[kInputHead] = {};
  std::copy(head.begin(), head.end(), bytes);
  input = input.subspan(head.size());
  test::RecordFile record(0, 1 + bytes[3] % 4, kInputSlots);
  record::Header& header = record.header();
  header.ended = static_cast<record::Ended>(bytes[2] % 8);
  const std::size_t facts = std::min<std::size_t>(bytes[0] | bytes[1] << 8, input.size());
  std::memcpy(record.bytes().data() + header.fact_offset, input.data(), facts);
  header.facts_used = facts;
  input = input.subspan(facts);
  while (!input.empty() && header.ring_head < 2 * kInputSlots) {
    const auto slot = input.first(std::min(input.size(), record::kSlotBytes));
    const std::uint64_t number = header.ring_head++;
    auto* const place = reinterpret_cast<char*>(&record.slot(number));
    std::memcpy(place, slot.data(), slot.size());
    const auto stamp = static_cast<std::uint32_t>(number + 1);
    if (place[0] != 0) std::memcpy(place, &stamp, sizeof stamp);
    input = input.subspan(slot.size());
  }
  header.events_begun = header.events_completed = header.ring_head.load();
  return record;
}

// The input that stands for this record.
inline std::string input_of(test::RecordFile record) {
  const record::Header& header = record.header();
  const std::uint64_t facts = header.facts_used;
  std::string input{static_cast<char>(facts & 0xff), static_cast<char>(facts >> 8),
                    static_cast<char>(header.ended.load()), static_cast<char>(header.world_size - 1)};
  input.append(record.bytes().data() + header.fact_offset, facts);
  for (std::uint64_t number = 0; number < header.ring_head; ++number)
    input.append(reinterpret_cast<const char*>(&record.slot(number)), record::kSlotBytes);
  return input;
}

}  // namespace petri::fuzz
