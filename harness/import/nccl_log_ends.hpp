// What a log proves of the last call of a rank: that nothing keeps it from being over.
#pragma once

#include "harness/trace/scenario.hpp"

namespace petri {

// A log never shows the end of a call, so that a rank whose log stops may be in its last one or behind it. Where all
// that the call needs has come, and some of those who came went on to other calls, that rank waits for nobody in it: it
// becomes `completed`. For a collective all members' calls are needed, for messages those of their peers. Other calls
// are left as they are.
void conclude_last_calls(Scenario& scenario);

}  // namespace petri
