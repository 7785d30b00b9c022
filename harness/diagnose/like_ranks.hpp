// Ranks that play one part in a job make the same calls: a rank is held against those that did what it did until it
// went its own way. It decides where a rank has no history of its own to be held against.
//
// Calls are the same up to what a part leaves open: which communicator of those made by one call, which partner at one
// place in the order of partners. Sizes of messages are open, too.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/diagnose/precedent.hpp"
#include "harness/model/run.hpp"

namespace petri::diagnosis {

// Where one of the suspects left the ranks like it.
struct Parted {
  std::int32_t rank = 0;
  EventRef instead;                  // its first call that none of them made there
  EventRef usual;                    // what stood there in the first of the others
  std::vector<std::int32_t> others;  // ranks that had made the same calls until then, ascending
  std::vector<EventRef> edited;      // the calls that one has and the other has not
  bool by_precedent = false;         // one stands against one: what follows such calls elsewhere decides
};

// The only one of `suspects` that parted from the ranks like it by one edit (a call left out, an extra one, another
// argument, an early end), while each other suspect did, as far as it came, what another rank did, or what nobody
// contradicts. Of two that parted from each other, the one whose call has the shorter precedents. Nothing where the
// record does not tell: several parted, one plays a part of its own, or they have met since.
std::optional<Parted> find_parted(const Scenario& scenario, const model::Run& run, const Precedents& precedents,
                                  const std::vector<std::int32_t>& suspects);

}  // namespace petri::diagnosis
