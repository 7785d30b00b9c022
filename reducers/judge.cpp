#include "reducers/judge.hpp"

#include <exception>

namespace petri::reduce {

void Judge::remember(const Verdicts& known) {
  const std::lock_guard lock(mutex_);
  for (const auto& [fingerprint, judgement] : known) {
    std::promise<Judgement> promise;
    promise.set_value(judgement);
    known_.insert_or_assign(fingerprint, promise.get_future().share());
  }
}

Judgement Judge::judge(const Scenario& scenario, const std::string& fingerprint, const std::stop_token& stop) {
  for (;;) {
    std::promise<Judgement> promise;
    std::shared_future<Judgement> answer;
    bool is_new = false;
    {
      const std::lock_guard lock(mutex_);
      const auto [place, inserted] = known_.try_emplace(fingerprint);
      if (inserted) place->second = promise.get_future().share();
      answer = place->second;
      is_new = inserted;
    }
    if (is_new) ask(scenario, fingerprint, stop, promise);
    Judgement judgement = answer.get();
    // Another thread's call was of no more use to that thread, but is to this one.
    if (judgement.answer == Answer::stopped && !is_new && !stop.stop_requested()) continue;
    return judgement;
  }
}

void Judge::ask(const Scenario& scenario, const std::string& fingerprint, const std::stop_token& stop,
                std::promise<Judgement>& promise) {
  try {
    Judgement judgement{Answer::stopped, {}};
    if (!stop.stop_requested()) {
      ++asked_;
      judgement = oracle_(scenario, stop);
    }
    {
      const std::lock_guard lock(mutex_);
      if (judgement.answer == Answer::stopped) {
        known_.erase(fingerprint);
      } else if (journal_ != nullptr) {
        journal_->append(fingerprint, judgement);
      }
    }
    promise.set_value(std::move(judgement));
  } catch (...) {
    promise.set_exception(std::current_exception());
  }
}

}  // namespace petri::reduce
