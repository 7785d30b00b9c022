// A hash that is the same on every machine and in every build: what shrinking does may not depend on either.
#pragma once

#include <cstdint>

namespace petri::reduce {

using Hash = std::uint64_t;

// One step of a multiply-xorshift mix (the finalizer of SplitMix64), chained over the values.
constexpr Hash mix(Hash hash, Hash value) {
  hash += value + 0x9e3779b97f4a7c15U;
  hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111ebU;
  return hash ^ (hash >> 31U);
}

}  // namespace petri::reduce
