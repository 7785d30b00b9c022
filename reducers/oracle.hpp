// The question that shrinking asks again and again: does this scenario still fail in the same way?
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

#include "harness/trace/scenario.hpp"

namespace petri::reduce {

enum class Answer : std::uint8_t {
  reproduces,  // fails as the original does
  passes,      // does not fail, or fails differently
  unresolved,  // no answer: timed out, not runnable; never taken for a reproduction
  stopped,     // the question was withdrawn before there was an answer: nothing is known, and nothing is kept
};

struct Judgement {
  Answer answer = Answer::unresolved;
  std::string other;  // the signature of a different failure that was met; empty when none was
  bool operator==(const Judgement&) const = default;
};

// Called from several threads at once. Must give the same answer for the same scenario; `k_of_n` helps where it does
// not. What it throws ends the shrinking and reaches the caller.
//
// A candidate that is judged ahead may lose its use while it is judged: then the stop token is set. An oracle that
// takes long should look at it, end what it has started and answer `stopped`; one that is quick may leave it out.
class Oracle {
 public:
  using Ask = std::function<Judgement(const Scenario&, const std::stop_token&)>;

  template <class F>
  requires(!std::same_as<F, Oracle> &&
           std::is_invocable_r_v<Judgement, const F&, const Scenario&, const std::stop_token&>) Oracle(F ask)
      : ask_(std::move(ask)) {}

  template <class F>
  requires std::is_invocable_r_v<Judgement, const F&, const Scenario&> Oracle(F ask)
      : ask_([ask = std::move(ask)](const Scenario& s, const std::stop_token&) { return ask(s); }) {}

  Judgement operator()(const Scenario& scenario, const std::stop_token& stop = {}) const {
    return ask_(scenario, stop);
  }

 private:
  Ask ask_;
};

// Asks `oracle` up to `n` times and answers `reproduces` as soon as `k` of the answers do, for failures that show
// themselves only in some runs. Stops asking once the outcome is decided. Needs 1 <= k <= n.
Oracle k_of_n(Oracle oracle, int k, int n);

// How an oracle answers when it is asked the same question several times.
struct Answers {
  int reproduces = 0, passes = 0, unresolved = 0;
  std::string other;  // of the first answer that had one
  int asked() const { return reproduces + passes + unresolved; }
  bool differ() const { return reproduces > 0 && reproduces < asked(); }
};
// Fewer than `times` where the token was set meanwhile.
Answers ask_again(const Oracle& oracle, const Scenario& scenario, int times, const std::stop_token& stop = {});

}  // namespace petri::reduce
