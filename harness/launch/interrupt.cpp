#include "harness/launch/interrupt.hpp"

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

}  // namespace

InterruptScope::InterruptScope() {
  first_signal = 0;
  signals_seen = 0;
  struct sigaction action {};
  action.sa_handler = petri_note_interrupt;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptScope::~InterruptScope() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

int interrupt_signal() {
  return first_signal;
}

int interrupt_count() {
  return signals_seen;
}

}  // namespace petri
