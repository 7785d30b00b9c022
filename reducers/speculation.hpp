// Judging ahead: while one candidate waits for its turn, those that follow if it is rejected are judged already.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "reducers/judge.hpp"
#include "reducers/measure.hpp"
#include "reducers/pass.hpp"

namespace petri::reduce {

// What the search stands on.
struct Current {
  ScenarioPtr scenario;
  std::string fingerprint;
  Size size;
};
Current current_of(ScenarioPtr scenario);

struct Trial {
  Current candidate;    // no scenario: it was empty, or no smaller than the current one, and nobody was asked
  Judgement judgement;  // `stopped` where the limits of the run were reached while it was judged
};

// Threads that work off tasks in their order. The destructor finishes what has begun and forgets the rest.
class Workers {
 public:
  explicit Workers(int threads);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();
  void add(std::function<void()> task);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::function<void()>> tasks_;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

// Yields the trials of a search in exactly the order in which one thread would make them.
class Speculation {
 public:
  // `stop` withdraws every question that is being asked or will be.
  Speculation(Judge& judge, int jobs, std::stop_token stop);
  ~Speculation();

  // The trial of what `search` proposes now. The caller then moves the search by rejected() or accepted() and tells it
  // here by the method of the same name.
  Trial next(const Search& search, const Current& current);
  void rejected();
  // After an acceptance, or with another search: what was judged ahead is of no more use, and what is being judged is
  // stopped.
  void restart();

 private:
  void fill(const Search& search, const Current& current);
  void begin_round();

  Judge& judge_;
  std::stop_token stop_;
  std::stop_source round_;  // of all that is judged from here to the next restart
  std::optional<std::stop_callback<std::function<void()>>> stop_with_all_;
  std::size_t window_;  // trials under way at once; 1: none ahead, no threads
  std::deque<std::future<Trial>> under_way_;
  std::unique_ptr<Search> ahead_;     // the search as it stands after all that is under way was rejected
  std::unique_ptr<Workers> workers_;  // last: it ends before what its tasks use
};

}  // namespace petri::reduce
