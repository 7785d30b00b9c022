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

Judgement Judge::judge(const Scenario& scenario, const std::string& fingerprint) {
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
  if (is_new) ask(scenario, fingerprint, promise);
  return answer.get();
}

void Judge::ask(const Scenario& scenario, const std::string& fingerprint, std::promise<Judgement>& promise) {
  ++asked_;
  try {
    const Judgement judgement = oracle_(scenario);
    if (journal_ != nullptr) {
      const std::lock_guard lock(mutex_);
      journal_->append(fingerprint, judgement);
    }
    promise.set_value(judgement);
  } catch (...) {
    promise.set_exception(std::current_exception());
  }
}

}  // namespace petri::reduce
