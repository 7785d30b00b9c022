// What all threads of a comparison share. Internal to compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "harness/compare/side_by_side.hpp"
#include "kernels/order/catalogue.hpp"
#include "kernels/order/evaluate.hpp"

namespace petri::compare {

// The configurations' orders, which of them are held against each other, and how much is held at a time.
class Plan {
 public:
  // One run of an order. A thread evaluates copies of its evaluators: one for each view.
  struct Run {
    explicit Run(order::Reduction made);
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    order::Reduction reduction;
    std::vector<order::Evaluator> evaluators;
  };
  struct Way {
    std::deque<Run> runs = {};  // none for a kernel, and for what was measured
    const Measurement* measured = nullptr;
    std::size_t tile = 0, exact = 0;  // of what the ranks contribute, and of what the exact result is made of
    std::size_t baseline = 0;
    std::vector<ElementType> digest_types = {};
  };

  // Throws as compare_side_by_side does.
  explicit Plan(const Reductions& reductions);

  const Reductions& all;
  std::deque<Way> ways;                                     // by configuration
  std::vector<std::pair<std::int32_t, ElementType>> tiles;  // ranks and type of each
  std::size_t tile_count = 0;                               // elements
  int threads = 1;                                          // no more than were asked for
  double work = 0;                                          // of all elements, as work.hpp counts it

 private:
  void add(std::size_t number);
  const Measurement& measurement_of(std::size_t number) const;
  void add_runs(const Configuration& configuration, Way& way);
  void require_room(std::uint64_t bytes) const;
  std::size_t tile_of(std::int32_t ranks, ElementType type);
  void share_memory();
  void estimate_work();

  std::uint64_t bytes_ = 0;  // of all orders
};

}  // namespace petri::compare
