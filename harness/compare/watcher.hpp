// Who looks on while reductions are compared, hears how far they are, and may stop them.
#pragma once

#include <cstdint>

namespace petri::compare {

// How much is done. Work is counted in numbers that are combined; to make or read one, or to add it up exactly, counts
// as several.
struct Progress {
  double done = 0, all = 0;    // work
  std::uint64_t elements = 0;  // of the vector: compared in all configurations
};

class Watcher {
 public:
  virtual ~Watcher() = default;
  // Once, when all orders are made and before the first number is.
  virtual void begin(const Progress& progress) = 0;
  // Every few milliseconds of work, from any of the threads, one at a time. False: stop, at once.
  virtual bool goes_on(const Progress& progress) = 0;
};

}  // namespace petri::compare
