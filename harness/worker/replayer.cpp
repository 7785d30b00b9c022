#include "harness/worker/replayer.hpp"

#include <unistd.h>

#include "harness/worker/perform.hpp"
#include "harness/worker/plan/plan.hpp"

namespace petri {

void Replayer::run() {
  for (index_ = 0; index_ < places().size() && !left_; ++index_) {
    const Event& event = event_at(index_);
    begin();
    const bool repeated = index_ + 1 < places().size() && is_repeated_by(event, event_at(index_ + 1));
    if (!repeated) {
      delay(event);
      performer_of(event.op)(*this, event);
      scratch_.clear();
    }
    rank_.progress().done(places()[index_]);
  }
  rank_.log_end_of(lane_);
}

void Replayer::begin() {
  const std::size_t place = places()[index_];
  const std::vector<std::size_t>& needed = rank_.prerequisites()[place];
  if (!rank_.progress().are_done(needed)) {
    rank_.log().begin(place, true);
    rank_.progress().wait_for(needed);
  }
  rank_.log().begin(place);
}

void Replayer::idle() {
  if (!on_main_thread()) return leave();
  rank_.log_end_of(lane_);
  rank_.idle();
}

void* Replayer::keep(const Event& event, Bytes bytes) {
  if (form_of(event.op) != OpForm::blocking) return rank_.holdings().keep(event.request, std::move(bytes));
  return scratch_.emplace_back(std::move(bytes)).data();  // stays where it is when the vector grows
}

bool Replayer::endless() const {
  return is_endless(trace(), event_at(index_), index_ + 1 == places().size());
}

void Replayer::delay(const Event& event) const {
  for (const Delay& delay : rank_.options().delays) {
    if (delay.rank == rank() && delay.seq == event.seq) usleep(static_cast<useconds_t>(delay.ms * 1000));
  }
}

}  // namespace petri
