// What the journals of the fuzzer belong to: those that it is given, and those that it begins with.
#pragma once

#include "reducers/journal.hpp"

namespace petri::fuzz {

inline const reduce::JournalIdentity kJournalIdentity{"xxh3-128:aa", "the model", "petri:1", 7};

}  // namespace petri::fuzz
