// An object of a rank with its state, and the judge of what is done with it. Internal to harness/diagnose.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/diagnose/lifetimes.hpp"

namespace petri::diagnosis {

struct Object {
  Kind kind = kPlainRequest;
  State state = kUnknown;
  std::optional<std::uint32_t> since;  // the event that put it in this state
  bool told = false;                   // used wrongly before
};

class Uses {
 public:
  // `whole`: the record has all of the rank's calls since the first one.
  Uses(std::int32_t rank, bool whole) : rank_(rank), whole_(whole) {}

  // What is in no call's record yet: it does not exist, or is at rest, unless such calls were lost.
  State absent() const { return whole_ ? kAbsent : kUnknown; }
  State at_rest() const { return whole_ ? kIdle : kUnknown; }

  // One use by the event with this index: keeps what is wrong with it, and changes the state.
  void use(Object& object, Use how, std::uint32_t index, const std::string& name = "");

  std::vector<WrongUse> take_wrong() { return std::move(wrong_); }

 private:
  std::int32_t rank_;
  bool whole_;
  std::vector<WrongUse> wrong_;
};

}  // namespace petri::diagnosis
