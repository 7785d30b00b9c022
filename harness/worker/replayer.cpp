#include "harness/worker/replayer.hpp"

#include <unistd.h>

#include "harness/worker/perform.hpp"
#include "harness/worker/plan/plan.hpp"

namespace petri {

void Replayer::run() {
  for (index_ = 0; index_ < trace().events.size(); ++index_) {
    const Event& event = trace().events[index_];
    rank_.log().begin(index_);
    if (is_repeated_by_next(trace().events, index_)) continue;
    delay(event);
    performer_of(event.op)(*this, event);
    scratch_.clear();
  }
  rank_.log().begin(index_);
}

void* Replayer::keep(const Event& event, Bytes bytes) {
  if (form_of(event.op) != OpForm::blocking) return rank_.holdings().keep(event.request, std::move(bytes));
  return scratch_.emplace_back(std::move(bytes)).data();  // stays where it is when the vector grows
}

bool Replayer::endless() const {
  return is_endless(trace(), index_);
}

void Replayer::delay(const Event& event) const {
  for (const auto& [seq, ms] : rank_.options().delays) {
    if (seq == event.seq) usleep(static_cast<useconds_t>(ms * 1000));
  }
}

}  // namespace petri
