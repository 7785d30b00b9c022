#include "reducers/deadline.hpp"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace petri::reduce {
namespace {

constexpr std::chrono::milliseconds kLook{50};

}  // namespace

Deadline::Deadline(double seconds, std::function<bool()> wish) : seconds_(seconds), wish_(std::move(wish)) {
  if (seconds_ <= 0 && !wish_) return;
  watch_ = std::jthread([this](const std::stop_token& over) {
    std::mutex mutex;
    std::condition_variable_any end;
    std::unique_lock lock(mutex);
    while (!over.stop_requested() && reached().empty()) end.wait_for(lock, over, kLook, [] { return false; });
  });
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
