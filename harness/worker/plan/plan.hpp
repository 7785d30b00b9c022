// What a live replay performs of a scenario: the contract between petri, which starts it and reads what it did, and the
// worker, which does it. Free of MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri {

// Why something cannot be replayed, and the event that asks for it, where it is one.
struct Refusal {
  std::string reason;
  std::optional<EventRef> at;
};

// Communicators that no event creates: the members make them at the start, in this order, by comm_create_group over the
// world with the tags kSetupTag, kSetupTag + 1, …
std::vector<std::int32_t> communicators_made_at_start(const Scenario& scenario);
inline constexpr std::int32_t kSetupTag =
    32000;  // below the smallest tag bound that MPI allows (MPI 4.1, section 9.1.2)

// True for a failed poll that the next event of its thread repeats: both together are one loop, which the later one
// performs.
bool is_repeated_by(const Event& event, const Event& next);

// True when a thread of the rank never leaves this event, the `last` of its own or not, by itself: a poll, or a sleep,
// in which its record ends.
bool is_endless(const RankTrace& rank, const Event& event, bool last);

// A file beside the records in which a rank says that it does nothing more of its own.
enum class Rest : char {
  none = '-',
  idle = 'i',       // it has done all its events, its record ends before finalize, and it stays
  finalizes = 'f',  // it is about to enter finalize
};
void mark_rest(const std::filesystem::path& recording, std::int32_t rank, Rest rest);
Rest rest_of(const std::filesystem::path& recording, std::int32_t rank);

// A file beside the records in which the worker says why it performs nothing, and with which exit status it ends; an
// empty reason without it.
struct WorkerRefusal {
  int status = 0;
  std::string reason;
};
void note_refusal(const std::filesystem::path& recording, const WorkerRefusal& refusal);
WorkerRefusal refusal_in(const std::filesystem::path& recording);

}  // namespace petri
