// Asking the oracle: each question once, ahead of time where there are threads for it, and written down.
#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <mutex>
#include <stop_token>
#include <string>
#include <unordered_map>

#include "reducers/journal.hpp"
#include "reducers/oracle.hpp"

namespace petri::reduce {

// Answers from memory what was asked before, whoever asks. Safe to call from several threads.
class Judge {
 public:
  // `journal` may be null; both must outlive the judge.
  Judge(const Oracle& oracle, Journal* journal) : oracle_(oracle), journal_(journal) {}

  void remember(const Verdicts& known);

  // `fingerprint` is that of `scenario`. Two threads that ask the same at once share one call of the oracle. Rethrows
  // what the oracle threw. `stopped` only where the token was set, or the oracle was interrupted by itself; such an
  // answer is neither remembered nor written down.
  Judgement judge(const Scenario& scenario, const std::string& fingerprint, const std::stop_token& stop);

  std::uint64_t asked() const { return asked_.load(); }  // calls of the oracle so far

 private:
  void ask(const Scenario& scenario, const std::string& fingerprint, const std::stop_token& stop,
           std::promise<Judgement>& promise);

  const Oracle& oracle_;
  Journal* journal_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_future<Judgement>> known_;
  std::atomic<std::uint64_t> asked_{0};
};

}  // namespace petri::reduce
