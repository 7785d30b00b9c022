// Results that a real job had, beside the configurations that say what they should be.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace petri::compare {

// What was measured of one configuration.
struct Measurement {
  std::size_t prediction = 0;                   // the place of the configuration that predicts it, which is before
  std::vector<std::vector<std::byte>> results;  // the distinct ones, each a whole vector
  // By run, and by rank where each has the whole result: which of `results` it was. At least one run with at least one.
  std::vector<std::vector<std::size_t>> runs;
};

// Of rank 0, or of the one that has the result, over all runs.
std::size_t distinct_results(const Measurement& measurement);

struct Measurements {
  std::string library = {};                        // that made them, e.g. "Open MPI v4.1.4"
  std::map<std::size_t, Measurement> of = {};      // by the place of the configuration, which is `measured`
  std::map<std::size_t, std::string> not_of = {};  // by the place of a predicted configuration: why it was not measured
  // False: something that could have been measured was not, as a job was stopped or failed; the first reason in words.
  bool complete = true;
  std::string why_incomplete = {};
};

}  // namespace petri::compare
