// The small functions that a generated program may need. Internal to harness/export.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace petri::c {

// In the order in which they are written: later ones use earlier ones.
enum class Helper : std::uint8_t {
  room,
  grown,
  out,
  in,
  large,
  size_of,
  subgroup,
  made_of,
  between,
  there,
  user_operation,
  pause_s,
  compute_s,
  stay,
  tell,
  await,
};

// The functions and what they use, each once.
std::string helper_functions(const std::set<Helper>& wanted);

}  // namespace petri::c
