#include "harness/launch/interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <cstddef>

namespace petri {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
std::atomic<int> first_signal{0};
std::atomic<int> signals_seen{0};
static_assert(std::atomic<int>::is_always_lock_free, "used in a signal handler");

extern "C" void petri_note_interrupt(int signal) {
  int none = 0;
  first_signal.compare_exchange_strong(none, signal);
  signals_seen.fetch_add(1);
}

extern "C" void petri_end_at_once(int signal) {
  _exit(128 + signal);
}

void act_on(int signal, void (*handler)(int)) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptScope::InterruptScope() {
  first_signal = 0;
  signals_seen = 0;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    act_on(kSignals[i], petri_note_interrupt);
  }
}

InterruptScope::~InterruptScope() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

void end_at_interrupt() {
  for (const int signal : kSignals) act_on(signal, petri_end_at_once);
}

int interrupt_signal() {
  return first_signal;
}

int interrupt_count() {
  return signals_seen;
}

}  // namespace petri
