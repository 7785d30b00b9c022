// Ctrl-C and its like, turned into a question that a waiting loop asks.
#pragma once

#include <array>
#include <csignal>

namespace petri {

// While one exists, SIGINT, SIGTERM and SIGHUP end nothing by themselves: they are counted and interrupt system calls.
// A signal that is ignored already (nohup) stays ignored. At most one at a time in a process.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  std::array<struct sigaction, 3> before_;
};

// For a command that starts programs, before and after its scope, when it has nothing to put in order: those signals
// end the process at once with the status that the scope's owner ends with, 128 + signal.
void end_at_interrupt();

int interrupt_signal();  // the first signal that came since the scope began, or 0
int interrupt_count();   // how many came: a second one asks for haste

}  // namespace petri
