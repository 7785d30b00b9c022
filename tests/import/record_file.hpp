// Record files made by hand, whole or broken on purpose.
#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "harness/trace/record_layout.hpp"

namespace petri::test {

class RecordFile {
 public:
  RecordFile(int rank, int size, std::uint64_t slots = 64) : bytes_(kRing + slots * record::kSlotBytes) {
    auto& head = header();
    head.layout = record::kLayoutVersion;
    head.op_table = record::op_table_fingerprint();
    head.file_bytes = bytes_.size();
    head.fact_offset = record::kHeaderBytes;
    head.fact_bytes = kFacts;
    head.ring_offset = kRing;
    head.ring_slots = slots;
    head.pid = 1000 + rank;
    std::strcpy(head.host, "host");
    head.clock_hz = 1e9;
    head.step = head.microbatch = kUnset;
    head.world_rank = rank;
    head.world_size = size;
    head.ended = record::Ended::finalized;
    std::memcpy(head.magic, record::kMagic, sizeof head.magic);
  }

  record::Header& header() { return *reinterpret_cast<record::Header*>(bytes_.data()); }
  record::Slot& slot(std::uint64_t number) {
    return reinterpret_cast<record::Slot*>(bytes_.data() + kRing)[number % header().ring_slots];
  }
  std::vector<char>& bytes() { return bytes_; }

  // Appends a completed event with default arguments; the caller fills in what it needs.
  record::Slot& event(Op op, int comm = record::kWorldComm) {
    const std::uint64_t number = header().ring_head++;
    record::Slot& made = slot(number);
    made.stamp = static_cast<std::uint32_t>(number + 1);
    made.op = static_cast<std::uint8_t>(op);
    made.state = record::packed_state(EventState::completed, 0);
    made.seq = static_cast<std::uint32_t>(header().events_begun++);
    ++header().events_completed;
    made.comm = comm;
    made.peer = made.tag = made.matched = made.result = kUnset;
    made.count = kUnknownCount;
    made.request = kNoRequest;
    return made;
  }

  // Appends a mark: from here on the program is in that step and microbatch.
  void mark(std::int32_t step, std::int32_t microbatch) {
    const std::uint64_t number = header().ring_head++;
    auto& made = reinterpret_cast<record::MarkSlot&>(slot(number));
    made.stamp = static_cast<std::uint32_t>(number + 1);
    made.op = record::kMark;
    made.step_before = header().step;
    made.microbatch_before = header().microbatch;
    header().step = made.step = step;
    header().microbatch = made.microbatch = microbatch;
  }

  // Appends a continuation to the event made last.
  void part(record::Slot& of, record::Part kind, const void* data, std::size_t bytes) {
    const std::uint64_t number = header().ring_head++;
    auto& made = reinterpret_cast<record::PartSlot&>(slot(number));
    made.stamp = static_cast<std::uint32_t>(number + 1);
    made.op = record::kPart;
    made.kind = static_cast<std::uint8_t>(kind);
    made.used = static_cast<std::uint16_t>(bytes);
    std::memcpy(made.payload, data, bytes);
    ++of.parts;
  }

  void comm(int id, int parent, int ordinal, const std::vector<std::int32_t>& members, int tag = 0) {
    record::CommFact fact{};
    fact.id = id;
    fact.parent = parent;
    fact.ordinal = ordinal;
    fact.tag = tag;
    fact.size = fact.listed = static_cast<std::int32_t>(members.size());
    fact.kind = record::CommKind::created;
    add_fact(record::FactKind::comm, fact, members.data(), members.size() * sizeof members[0]);
  }

  template <class Fact>
  void add_fact(record::FactKind kind, Fact fact, const void* rest, std::size_t rest_bytes) {
    const std::size_t used = header().facts_used;
    fact.head.kind = kind;
    fact.head.bytes = static_cast<std::uint32_t>(sizeof fact + rest_bytes);
    std::memcpy(bytes_.data() + record::kHeaderBytes + used, &fact, sizeof fact);
    if (rest_bytes > 0) std::memcpy(bytes_.data() + record::kHeaderBytes + used + sizeof fact, rest, rest_bytes);
    header().facts_used = used + (fact.head.bytes + 7) / 8 * 8;
  }

  void write(const std::filesystem::path& file) const {
    std::ofstream out(file, std::ios::binary);
    out.write(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
  }

 private:
  static constexpr std::size_t kFacts = 1 << 16;
  static constexpr std::size_t kRing = record::kHeaderBytes + kFacts;
  std::vector<char> bytes_;
};

}  // namespace petri::test
