#include "harness/compare/work.hpp"

#include <utility>

namespace petri::compare {
namespace {

constexpr std::chrono::milliseconds kInterval{20};

}  // namespace

void Work::add(std::uint64_t numbers) {
  done_.fetch_add(numbers, std::memory_order_relaxed);
  if (stopped_) throw Stopped{};
  if (watcher_ == nullptr) return;
  const std::unique_lock<std::mutex> asking(asking_, std::try_to_lock);
  if (!asking || Clock::now() < next_) return;
  next_ = Clock::now() + kInterval;
  if (watcher_->goes_on(progress())) return;
  stopped_ = true;
  throw Stopped{};
}

void WorkOfThread::tell() {
  all_.add(std::exchange(since_, 0));
}

}  // namespace petri::compare
