#include "reducers/deadline.hpp"

#include <condition_variable>
#include <latch>
#include <mutex>
#include <utility>

namespace petri::reduce {
namespace {

constexpr std::chrono::milliseconds kLook{50};

}  // namespace

Deadline::Deadline(double seconds, std::function<bool()> wish) : seconds_(seconds), wish_(std::move(wish)) {
  if (seconds_ <= 0 && !wish_) return;
  // Processes are forked soon after this, and a child inherits for ever what another thread has locked then. A thread
  // that begins takes memory; an allocator that does not guard against forks, as the sanitizers' own, holds a lock.
  std::latch under_way(1);
  watch_ = std::jthread([this, &under_way](const std::stop_token& over) {
    std::mutex mutex;
    std::condition_variable_any end;
    under_way.count_down();
    std::unique_lock lock(mutex);
    while (!over.stop_requested() && reached().empty()) end.wait_for(lock, over, kLook, [] { return false; });
  });
  under_way.wait();
}

std::string_view Deadline::reached() {
  if (const std::string_view known = reason_.load(); !known.empty()) return known;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  const bool wished = wish_ && wish_();
  const char* reason = wished ? "request" : seconds_ > 0 && seconds >= seconds_ ? "time" : "";
  if (*reason == '\0') return {};
  reason_ = reason;
  stop_.request_stop();
  if (wished) at_wish_.request_stop();
  return reason;
}

}  // namespace petri::reduce
