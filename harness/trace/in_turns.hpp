// Work on a row of pieces by several threads, with the outcome that one thread has. Internal to harness/trace.
//
// A worker has `bool take()`, which takes the next piece of the row and is false at its end; `work()`, which goes on
// beside the work of others; and `deliver()`. Pieces are taken one at a time and delivered one at a time, both in the
// order of the row. An exception counts as the outcome of its piece: the first one in the order of the row is thrown,
// and nothing behind it is delivered.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace petri {

class Turns {
 public:
  // One piece, from taking to delivery. False when there is no other.
  template <class Worker>
  bool step(Worker& worker) {
    std::exception_ptr problem;
    std::uint64_t turn = 0;
    {
      const std::lock_guard taking(taking_);
      if (at_end_) return false;
      turn = taken_++;
      problem = caught([&] { at_end_ = !worker.take(); });
      if (problem != nullptr) at_end_ = true;
      if (at_end_ && problem == nullptr) return false;
    }
    if (problem == nullptr) problem = caught([&] { worker.work(); });
    if (!await(turn)) return false;
    if (problem == nullptr) problem = caught([&] { worker.deliver(); });
    pass_on(problem);
    return problem == nullptr;
  }

  // When all threads are done.
  void rethrow() const {
    if (problem_ != nullptr) std::rethrow_exception(problem_);
  }

 private:
  template <class Action>
  static std::exception_ptr caught(const Action& action) {
    try {
      action();
      return nullptr;
    } catch (...) {
      return std::current_exception();
    }
  }

  // Until all pieces before this one have been delivered; false where one of them failed.
  bool await(std::uint64_t turn) {
    std::unique_lock lock(delivering_);
    passed_.wait(lock, [&] { return delivered_ == turn || problem_ != nullptr; });
    return problem_ == nullptr;
  }

  void pass_on(const std::exception_ptr& problem) {
    {
      const std::lock_guard lock(delivering_);
      ++delivered_;
      problem_ = problem;
    }
    passed_.notify_all();
  }

  std::mutex taking_;
  std::uint64_t taken_ = 0;
  bool at_end_ = false;

  std::mutex delivering_;
  std::condition_variable passed_;
  std::uint64_t delivered_ = 0;
  std::exception_ptr problem_;
};

// `make()` gives each thread its worker. The caller's thread begins alone: where the row ends within a few pieces, no
// other one is started.
template <class Make>
void work_in_turns(unsigned threads, const Make& make) {
  constexpr int kAlone = 8;
  Turns turns;
  auto mine = make();
  {
    std::vector<std::jthread> others;
    for (int taken = 0; turns.step(mine);) {
      if (++taken != kAlone) continue;
      try {
        while (others.size() + 1 < threads)
          others.emplace_back([&turns, worker = make()]() mutable {
            while (turns.step(worker)) continue;
          });
      } catch (const std::system_error&) {  // no more threads are to be had: those that there are do it
      }
    }
  }
  turns.rethrow();
}

}  // namespace petri
