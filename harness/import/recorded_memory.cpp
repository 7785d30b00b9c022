#include "harness/import/recorded_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/import/recorded_arguments.hpp"

namespace petri {
namespace {

using record::Slot;

struct NamedBit {
  std::int32_t bit;
  const char* name;
};

constexpr NamedBit kAssertions[] = {
    {record::kNoCheck, "nocheck"},     {record::kNoStore, "nostore"},     {record::kNoPut, "noput"},
    {record::kNoPrecede, "noprecede"}, {record::kNoSucceed, "nosucceed"},
};

constexpr NamedBit kModes[] = {
    {record::kModeReadOnly, "rdonly"},        {record::kModeWriteOnly, "wronly"},
    {record::kModeReadWrite, "rdwr"},         {record::kModeCreate, "create"},
    {record::kModeExclusive, "excl"},         {record::kModeDeleteOnClose, "delete_on_close"},
    {record::kModeUniqueOpen, "unique_open"}, {record::kModeSequential, "sequential"},
    {record::kModeAppend, "append"},
};

template <std::size_t n>
std::string names_of(std::int32_t bits, const NamedBit (&names)[n]) {
  std::string text;
  if (bits < 0) return text;  // kUnset: the call has none
  for (const auto& [bit, name] : names)
    if ((bits & bit) != 0) text += (text.empty() ? "" : ",") + std::string(name);
  return text;
}

bool has_target(Op op) {
  return op == Op::win_lock || op == Op::win_unlock || op == Op::win_flush || op == Op::win_flush_local;
}

// Those that all members make together.
bool is_window_collective(Op op) {
  return op == Op::win_create || op == Op::win_create_dynamic || op == Op::win_allocate ||
         op == Op::win_allocate_shared || op == Op::win_free || op == Op::win_fence;
}

void take_disp(Event& event, const Slot& slot) {
  if (const std::int64_t disp = record::disp_of(slot); disp >= 0) event.extras.set_disp(disp);
}

// What goes out and what comes back, where that differs from the target's side.
void take_other_sides(Event& event, const record::Sides& sides) {
  EventExtras& extras = event.extras;
  const ElementType out = type_of(sides.sendtype), back = type_of(sides.recvtype);
  if (sides.sendcount != event.count || out != event.dtype) {
    extras.set_sendcount(valid_count(sides.sendcount));
    extras.set_sendtype(out);
  }
  if (sides.recvcount != event.count || back != event.dtype) {
    extras.set_recvcount(valid_count(sides.recvcount));
    extras.set_recvtype(back);
  }
}

}  // namespace

std::string window_name(const Communicator& comm, std::int32_t ordinal) {
  return fmt::format("{}/w{}", comm.name, ordinal);
}

std::string file_name(const Communicator& comm, std::int32_t ordinal) {
  return fmt::format("{}/f{}", comm.name, ordinal);
}

void take_window(Event& event, const RecordedEvent& recorded, const Communicator& comm, std::int32_t peers,
                 bool events_lost) {
  const Slot& slot = recorded.slot();
  EventExtras& extras = event.extras;
  const std::int64_t ordinal = event.op == Op::win_test ? slot.count : slot.result;
  if (ordinal >= 0) extras.set_win(window_name(comm, static_cast<std::int32_t>(ordinal)));
  if (has_target(event.op)) {
    const std::int32_t target = valid_target(slot.matched, peers);
    if (target != kUnset) extras.set_target(target);
  }
  if (is_window_collective(event.op) && events_lost) event.extras.set_coll_seq(slot.matched);
  extras.set_assertions(names_of(slot.tag, kAssertions));
  if (event.op == Op::win_lock) extras.set_lock((slot.tag & record::kLockExclusive) != 0 ? "exclusive" : "shared");
  std::vector<std::int32_t> group;
  std::copy_if(recorded.ranks.begin(), recorded.ranks.end(), std::back_inserter(group),
               [peers](std::int32_t rank) { return valid_rank(rank, peers) >= 0; });
  extras.set_ranks(group);
}

void take_rma(Event& event, const RecordedEvent& recorded, const Communicator& comm, std::int32_t peers) {
  const Slot& slot = recorded.slot();
  EventExtras& extras = event.extras;
  if (slot.result >= 0) extras.set_win(window_name(comm, slot.result));
  const std::int32_t target = valid_target(slot.matched, peers);
  if (target != kUnset) extras.set_target(target);
  event.count = valid_count(slot.count);
  take_disp(event, slot);
  if (!recorded.sides.empty()) take_other_sides(event, recorded.sides.front());
}

void take_file(Event& event, const RecordedEvent& recorded, const Communicator& comm, bool events_lost) {
  const Slot& slot = recorded.slot();
  EventExtras& extras = event.extras;
  if (slot.result >= 0) extras.set_file(file_name(comm, slot.result));
  if (events_lost) event.extras.set_coll_seq(slot.matched);
  if (event.op == Op::file_open) {
    extras.set_path({recorded.text.begin(), recorded.text.end()});
    extras.set_mode(names_of(slot.tag, kModes));
    return;
  }
  if (slot.tag != kUnset) take_disp(event, slot);
  if (event.op != Op::file_seek_shared) {
    event.count = valid_count(slot.count);
  } else {
    constexpr const char* kFrom[] = {"set", "cur", "end"};
    if (slot.count >= 0 && slot.count < 3) extras.set_value(kFrom[slot.count]);
  }
}

}  // namespace petri
