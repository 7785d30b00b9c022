// What must hold of every input; where it does not, the fuzzer keeps the input.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace petri::fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

}  // namespace petri::fuzz
