#include "reducers/oracle.hpp"

#include <stdexcept>
#include <utility>

namespace petri::reduce {

Oracle k_of_n(Oracle oracle, int k, int n) {
  if (k < 1 || n < k) throw std::invalid_argument("k-of-n needs 1 <= k <= n");
  return Oracle::Ask([oracle = std::move(oracle), k, n](const Scenario& scenario, const std::stop_token& stop) {
    int reproduced = 0;
    int unresolved = 0;
    std::string other;
    for (int asked = 0; asked < n && reproduced + (n - asked) >= k; ++asked) {
      const Judgement judgement = oracle(scenario, stop);
      if (judgement.answer == Answer::stopped) return judgement;
      if (judgement.answer == Answer::reproduces && ++reproduced == k) return Judgement{Answer::reproduces, {}};
      if (judgement.answer == Answer::unresolved) ++unresolved;
      if (other.empty()) other = judgement.other;
    }
    // Where the unanswered runs could have tipped the balance, nothing is known.
    return Judgement{reproduced + unresolved >= k ? Answer::unresolved : Answer::passes, other};
  });
}

Answers ask_again(const Oracle& oracle, const Scenario& scenario, int times, const std::stop_token& stop) {
  Answers answers;
  for (int i = 0; i < times; ++i) {
    const Judgement judgement = oracle(scenario, stop);
    switch (judgement.answer) {
      case Answer::reproduces: ++answers.reproduces; break;
      case Answer::passes: ++answers.passes; break;
      case Answer::unresolved: ++answers.unresolved; break;
      case Answer::stopped: return answers;
    }
    if (answers.other.empty()) answers.other = judgement.other;
  }
  return answers;
}

}  // namespace petri::reduce
