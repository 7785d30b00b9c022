// Which calls of a course met which, by call. Internal to the course.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/model/run.hpp"
#include "harness/trace/scenario.hpp"

namespace petri::cli::course {

inline std::uint64_t key_of(EventRef ref) {
  return (static_cast<std::uint64_t>(ref.rank) << 32) | ref.index;
}

enum class Part : std::uint8_t { member, sender, receiver };

// What one call is to one meeting: of a collective, or of a send and its receive.
struct Side {
  EventRef at;  // of a persistent call, its start
  std::uint32_t meeting = 0;
  Part part = Part::member;
};

// Meetings are numbered: those of collectives, of which all members came, then messages.
class Meetings {
 public:
  Meetings(const Scenario& scenario, const model::Run& run);

  std::span<const Side> of(EventRef ref) const;  // a call's sides
  std::uint32_t size() const { return collectives_ + messages_; }
  std::uint32_t collectives() const { return collectives_; }
  // How many calls a meeting has.
  std::uint32_t parties(std::uint32_t meeting) const { return parties_[meeting]; }
  const std::vector<Side>& all() const { return sides_; }  // by call

 private:
  void add_collectives(const model::Run& run);
  void add_messages(const model::Run& run);
  void move_to_starts(const Scenario& scenario);
  void sort();

  std::vector<Side> sides_;
  std::vector<std::uint32_t> parties_;
  std::uint32_t collectives_ = 0, messages_ = 0;
};

}  // namespace petri::cli::course
