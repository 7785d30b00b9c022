#include "kernels/cpu/team.hpp"

namespace petri::kernels {
namespace {

// Looks at `value` for some microseconds before it sleeps: a wake-up takes longer than a short sum does.
unsigned wait_while(const std::atomic<unsigned>& value, unsigned old) {
  for (int i = 0; i < 20000; ++i)
    if (const unsigned now = value.load(std::memory_order_acquire); now != old) return now;
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

}  // namespace

Team::Team(int size) {
  for (int member = 1; member < size; ++member) workers_.emplace_back([this, member] { serve(member); });
}

Team::~Team() {
  work_ = nullptr;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void Team::run(const std::function<void(int)>& work) {
  work_ = &work;
  environment_ = FloatEnvironment::current();
  busy_.store(static_cast<unsigned>(workers_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  work(0);
  for (unsigned left = busy_.load(std::memory_order_acquire); left != 0;) left = wait_while(busy_, left);
}

void Team::serve(int member) {
  for (unsigned round = 0;;) {
    round = wait_while(round_, round);
    if (work_ == nullptr) return;
    {
      const ScopedFloatEnvironment environment(environment_);
      (*work_)(member);
    }
    if (busy_.fetch_sub(1, std::memory_order_release) == 1) busy_.notify_one();
  }
}

}  // namespace petri::kernels
