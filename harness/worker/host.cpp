// What is no communication: init and finalize, ways to end, and the time between calls.
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>

#include "harness/worker/perform.hpp"

namespace petri {
namespace {

constexpr double kShort_s = 0.01;  // of a `sleep` or `compute` whose length is not recorded
constexpr double kLongest_s = 3600;

// `value` of a sleep or compute is its length in seconds.
double length_s(const Event& event) {
  const std::string& text = event.extras.value();
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  const bool number = !text.empty() && *end == '\0' && seconds >= 0;
  return number ? std::min(seconds, kLongest_s) : kShort_s;
}

void perform_nothing(Replayer& replayer, const Event&) {
  if (replayer.endless()) replayer.idle();
}

void perform_sleep(Replayer& replayer, const Event& event) {
  if (replayer.endless()) return replayer.idle();
  usleep(static_cast<useconds_t>(length_s(event) * 1e6));
}

void perform_compute(Replayer& replayer, const Event& event) {
  if (replayer.endless()) return replayer.idle();
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(length_s(event));
  while (std::chrono::steady_clock::now() < end) {
  }
}

void perform_finalize(Replayer& replayer, const Event&) {
  replayer.finalize();
}

void perform_abort(Replayer& replayer, const Event& event) {
  MPI_Abort(replayer.comm_of(event), replayer.trace().end.status != 0 ? replayer.trace().end.status : 1);
}

void perform_exit(Replayer& replayer, const Event&) {
  if (!replayer.on_main_thread()) return replayer.leave();
  std::exit(replayer.trace().end.status);
}

constexpr std::array kTable{
    PerformerRow{Op::init, perform_nothing},  // done before the first event
    PerformerRow{Op::init_thread, perform_nothing},   PerformerRow{Op::finalize, perform_finalize},
    PerformerRow{Op::abort, perform_abort},           PerformerRow{Op::exit, perform_exit},
    PerformerRow{Op::compute, perform_compute},       PerformerRow{Op::sleep, perform_sleep},
    PerformerRow{Op::wait_external, perform_nothing}, PerformerRow{Op::checkpoint, perform_nothing},
    PerformerRow{Op::rng, perform_nothing},
};

}  // namespace

std::span<const PerformerRow> host_table() {
  return kTable;
}

}  // namespace petri
