#include "harness/cli/compare_progress.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <utility>

#include "harness/cli/terminal.hpp"
#include "harness/trace/counted.hpp"

namespace petri::cli {
namespace {

constexpr double kWorthTelling = 1e10;  // of work: some seconds for all cores of a workstation, longer for one

constexpr std::chrono::milliseconds kLook{100};

}  // namespace

void CompareProgress::begin(const compare::Progress& progress) {
  interrupts_.emplace();
  begun_ = Clock::now();
  if (progress.all < kWorthTelling) return;
  say(stderr, "petri compare: {} in {}: about {:.1e} numbers to make and combine\n",
      counted(reductions_.count, "element"), counted(reductions_.configurations.size(), "configuration"), progress.all);
}

bool CompareProgress::goes_on(const compare::Progress& progress) {
  if (interrupt_count() > 0) return false;
  if (!line_.due()) return true;
  const double seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
  const double left = progress.done > 0 ? seconds * (progress.all - progress.done) / progress.done : 0;
  const double percent = 100 * progress.done / progress.all;
  line_.show(fmt::format("compare: {:.{}g} %, {} of {}; about {} left", percent, percent < 10 ? 2 : 3,
                         progress.elements, counted(reductions_.count, "element"), duration_text(left)));
  return true;
}

int CompareProgress::finish() {
  line_.finish();
  const int signal = interrupt_signal();
  interrupts_.reset();
  return signal;
}

MeasuringProgress::MeasuringProgress(std::size_t jobs, double limit_s) : jobs_(jobs), limit_s_(limit_s) {
  // Signals are to interrupt the thread that waits for a job.
  sigset_t all{}, before{};
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  teller_ = std::jthread([this](const std::stop_token& stop) { tell(stop); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

MeasuringProgress::~MeasuringProgress() {
  teller_.request_stop();
}

void MeasuringProgress::begin_job() {
  const std::lock_guard lock(mutex_);
  ++job_;
  begun_ = Clock::now();
}

std::string MeasuringProgress::text() const {
  const std::lock_guard lock(mutex_);
  const double seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
  return fmt::format("job {} of {}, {:.0f} s of at most {} s each", job_, jobs_, seconds, limit_s_);
}

void MeasuringProgress::tell(const std::stop_token& stop) {
  StatusLine line(StatusLine::Plain::ever_rarer);
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      ended_.wait_for(lock, stop, kLook, [] { return false; });
    }
    if (line.due() && !stop.stop_requested()) line.show("measure: " + text());
  }
  line.finish();
}

}  // namespace petri::cli
