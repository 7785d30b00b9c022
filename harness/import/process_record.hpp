// What one record file says, taken out of the mapping and checked: nothing in it can lead outside of anything.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/trace/record_view.hpp"

namespace petri {

struct CommFactCopy {
  std::int32_t parent, ordinal, tag, size;
  record::CommKind kind;
  std::uint8_t op;
  std::vector<std::int32_t> members;  // world ranks; empty: those of the parent
  std::vector<std::int32_t> remote;   // an intercommunicator's other group
  std::string name;                   // string tag of its creation
};

struct TopologyFactCopy {
  std::vector<std::int32_t> sources, destinations, dims, periods;
};

struct WindowFactCopy {
  std::int32_t comm, ordinal;
  std::int64_t disp_unit;
};

struct ModuleFactCopy {
  std::uint64_t begin, end, bias;
  std::string path;
};

struct ProcessFacts {
  std::map<std::int32_t, CommFactCopy> comms;           // by local number, which rises with time
  std::map<std::int32_t, TopologyFactCopy> topologies;  // by the communicator's local number
  std::vector<WindowFactCopy> windows;
  std::vector<ModuleFactCopy> modules;
  std::map<std::int32_t, std::string> error_names;
  std::vector<std::string> texts;  // "key=value"
};

// Throws InputError for a fact that does not fit.
ProcessFacts read_facts(const record::RecordView& view);

// A copy of an event with its continuation lists.
struct RecordedEvent {
  alignas(record::Slot) std::array<std::byte, record::kSlotBytes> bytes;
  std::vector<std::uint32_t> requests;
  std::vector<std::int32_t> ranks, dims, periods, indices;
  std::vector<char> text;
  std::vector<std::int64_t> counts, sendcounts, recvcounts;
  bool is_mark() const { return slot().op == record::kMark; }
  const record::MarkSlot& mark() const { return *reinterpret_cast<const record::MarkSlot*>(bytes.data()); }
  const record::Slot& slot() const { return *reinterpret_cast<const record::Slot*>(bytes.data()); }
  std::vector<record::Sides> sides;       // none or one
  std::vector<record::Buffers> buffers;   // none or one
  std::vector<record::Boundary> in, out;  // none or one

  void clear_lists();
};

// Calls `visit(event)` for each event and mark that is kept whole, oldest first, and `restart()` where the writer has
// overwritten what was visited so far. Throws InputError for a slot that no recorder writes.
template <class Visit, class Restart>
void for_each_event(const record::RecordView& view, const Visit& visit, const Restart& restart);

// Reads the event at `number` and moves on to the next one. False when the slot is not there any more.
bool read_event(const record::RecordView& view, std::uint64_t& number, RecordedEvent& event);

template <class Visit, class Restart>
void for_each_event(const record::RecordView& view, const Visit& visit, const Restart& restart) {
  RecordedEvent event;
  const std::uint64_t last = view.last_slot();
  for (std::uint64_t number = view.first_slot(); number < last;) {
    if (!read_event(view, number, event)) {
      restart();
      number = std::max(number + 1, view.first_slot());
    } else if (event.slot().op != record::kPart) {
      visit(event);
    }
  }
}

}  // namespace petri
