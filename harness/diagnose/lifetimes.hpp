// What a rank's calls make, and the states in which they put it: requests, messages, windows, files, communicators,
// NCCL's groups. Internal to harness/diagnose.
//
// A rank's events are taken in the order of its record, each with its effect at once. Where that order does not tell
// (a wait of one thread beside the calls of another, a ring buffer that lost the call that made the object), the state
// is unknown, and what is done in it is taken for right.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/diagnose/lifetime_rules.hpp"
#include "harness/model/run.hpp"

namespace petri::diagnosis {

// A call on an object that is in no state for it.
struct WrongUse {
  EventRef call;
  std::optional<EventRef> earlier;  // what put the object in that state
  Kind kind = kProcess;
  std::string object;  // "window w"
  const Rule* rule = nullptr;
};

// What a rank began and left so when it ended.
struct LeftOpen {
  EventRef begun;
  Kind kind = kMessage;               // a message, a split collective or a group
  std::vector<std::uint32_t> inside;  // of a group: its calls, which were never launched
  bool ended = true;                  // false: the rank stands inside the group, and is blocked there
};

struct Lifetimes {
  std::vector<WrongUse> wrong;  // of each object the first: what follows may only follow from it
  std::vector<LeftOpen> open;
  std::map<std::string, EventRef> kept;  // windows, files and communicators that are not freed, and what made them
};

// As far as the rank gets in the run.
Lifetimes lifetimes_of(const Scenario& scenario, const model::Run& run, std::int32_t rank);

}  // namespace petri::diagnosis
