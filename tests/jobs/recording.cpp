#include "tests/jobs/recording.hpp"

#include <algorithm>

#include "harness/model/run.hpp"

namespace petri::jobs {

Scenario recorded(Scenario program) {
  const model::Run run = model::run(program, {std::nullopt, true});
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    RankTrace& trace = program.ranks[rank];
    for (Event& event : trace.events) event.state = EventState::completed;
    if (run.standing[rank] != model::Standing::blocked) continue;
    trace.events.resize(std::min<std::size_t>(run.index[rank] + 1, trace.events.size()));
    trace.events.back().state = EventState::started;
    trace.end.kind = EndKind::running;
  }
  if (!run.waits.empty()) program.header.observed = Outcome{Verdict::deadlock, {}, false};
  return program;
}

}  // namespace petri::jobs
