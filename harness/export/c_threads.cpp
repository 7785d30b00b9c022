// The threads of a rank (MPI 4.1, section 11.6): each a function with its calls in their own order. One waits for
// another only where it needs what that made; what else the program's threads told each other is not recorded.
#include <fmt/format.h>

#include <algorithm>

#include "harness/export/c_rank.hpp"
#include "harness/export/c_text.hpp"

namespace petri::c {

std::size_t RankWriter::lane_of(std::size_t place) const {
  const auto holds = [&](const Lane& lane) {
    return std::binary_search(lane.events.begin(), lane.events.end(), place);
  };
  return static_cast<std::size_t>(std::find_if(lanes_.begin(), lanes_.end(), holds) - lanes_.begin());
}

void RankWriter::go_to(std::size_t lane) {
  body_ = &bodies_[lane];
  here_ = body_;
}

// Marks are numbered in the order of the events that set them.
void RankWriter::number_marks() {
  if (lanes_.size() < 2) return;
  prerequisites_ = prerequisites_of(trace_, lanes_);
  at_end_ = prerequisites_of_end(trace_, lanes_);
  for (const auto& needed : prerequisites_)
    for (const std::size_t place : needed) marks_.emplace(place, 0);
  if (dies())
    for (const std::size_t place : at_end_) marks_.emplace(place, 0);
  std::size_t number = 0;
  for (auto& [place, mark] : marks_) mark = number++;
  program_.marks = std::max(program_.marks, marks_.size());
}

void RankWriter::put_awaits(const std::vector<std::size_t>& places) {
  for (const std::size_t place : places) {
    const std::size_t lane = lane_of(place);
    std::size_t& awaited = body_->awaited[lane];  // a thread's earlier calls are done with a later one
    if (&bodies_[lane] == body_ || awaited > place) continue;
    awaited = place + 1;
    program_.helpers.insert(Helper::await);
    put(fmt::format("await({});", marks_.at(place)));
  }
}

void RankWriter::put_mark(std::size_t place) {
  const auto mark = marks_.find(place);
  if (mark == marks_.end()) return;
  program_.helpers.insert(Helper::tell);
  put(fmt::format("tell({});", mark->second));
}

void RankWriter::put_joins() {
  for (std::size_t lane = 1; lane < lanes_.size(); ++lane)
    put(fmt::format("pthread_join(thread[{}], NULL);", lane - 1));
}

}  // namespace petri::c
