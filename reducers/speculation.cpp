#include "reducers/speculation.hpp"

#include <utility>

namespace petri::reduce {
namespace {

// Trials for each thread: enough that no thread waits for the one that decides.
constexpr std::size_t kTrialsPerThread = 2;

Trial try_one(const Search& search, const Current& current, Judge& judge, const std::stop_token& stop) {
  std::optional<Scenario> made = search.apply();
  if (!made) return {};
  const Size size = size_of(*made);
  if (!(size < current.size)) return {};
  Trial trial{{std::make_shared<const Scenario>(std::move(*made)), {}, size}, {}};
  trial.candidate.fingerprint = fingerprint(*trial.candidate.scenario);
  trial.judgement = judge.judge(*trial.candidate.scenario, trial.candidate.fingerprint, stop);
  return trial;
}

}  // namespace

Current current_of(ScenarioPtr scenario) {
  std::string print = fingerprint(*scenario);
  const Size size = size_of(*scenario);
  return {std::move(scenario), std::move(print), size};
}

Workers::Workers(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    tasks_.clear();
  }
  ready_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::add(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  ready_.notify_one();
}

void Workers::work() {
  for (;;) {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return closing_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
  }
}

Speculation::Speculation(Judge& judge, int jobs, std::stop_token stop)
    : judge_(judge), stop_(std::move(stop)), window_(jobs > 1 ? static_cast<std::size_t>(jobs) * kTrialsPerThread : 1) {
  begin_round();
  if (jobs > 1) workers_ = std::make_unique<Workers>(jobs);
}

Speculation::~Speculation() {
  restart();
}

Trial Speculation::next(const Search& search, const Current& current) {
  if (workers_ == nullptr) return try_one(search, current, judge_, round_.get_token());
  fill(search, current);
  return under_way_.front().get();
}

void Speculation::rejected() {
  if (!under_way_.empty()) under_way_.pop_front();
}

void Speculation::restart() {
  if (!under_way_.empty()) {
    round_.request_stop();
    begin_round();
  }
  under_way_.clear();
  ahead_.reset();
}

void Speculation::begin_round() {
  stop_with_all_.reset();
  round_ = std::stop_source();
  stop_with_all_.emplace(stop_, [round = round_]() mutable { round.request_stop(); });
}

void Speculation::fill(const Search& search, const Current& current) {
  if (ahead_ == nullptr) ahead_ = search.clone();
  while (under_way_.size() < window_ && !ahead_->done()) {
    const std::shared_ptr<const Search> at = ahead_->clone();
    auto task = std::make_shared<std::packaged_task<Trial()>>([this, at, current, stop = round_.get_token()] {
      return stop.stop_requested() ? Trial{{}, {Answer::stopped, {}}} : try_one(*at, current, judge_, stop);
    });
    under_way_.push_back(task->get_future());
    workers_->add([task] { (*task)(); });
    ahead_->rejected();
  }
}

}  // namespace petri::reduce
