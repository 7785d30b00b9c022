// What a witness says of a failure: who began it, with which call, and how that is known. Witnesses are the files that
// look at one kind of evidence each; witnesses.hpp ranks them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/diagnose/diagnose.hpp"

namespace petri::diagnosis {

struct Testimony {
  std::vector<std::int32_t> culprits;  // ascending
  std::vector<EventRef> events;        // what it points at, the first one first
  std::optional<EventRef> call;        // the one to look at; nothing: the finding's own stays
  std::string expected, actual;        // empty: the finding's own stay
  std::string text;                    // a sentence; empty: the finding's own stays
  std::vector<std::string> evidence;
};

// One that explains a failure by a wrong call, the first of `events`.
Testimony explained(std::vector<std::int32_t> culprits, std::vector<EventRef> events, std::string text);

// Makes it the finding's: what that said itself becomes evidence.
void believe(Testimony told, Finding& finding);

// "Ranks 1-3": ranks at the beginning of a sentence.
std::string sentence_start(const std::vector<std::int32_t>& ranks);

}  // namespace petri::diagnosis
