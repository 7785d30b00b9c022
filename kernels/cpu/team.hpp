// A few threads that stay, so that handing them work costs less than a short sum.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <thread>
#include <vector>

#include "kernels/cpu/float_environment.hpp"

namespace petri::kernels {

// Member 0 is the thread that calls run(). Not to be shared between threads.
class Team {
 public:
  explicit Team(int size = 1);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls work(member) once on each member, in the caller's floating-point environment, and waits for all of them.
  // `work` may not throw.
  void run(const std::function<void(int member)>& work);

 private:
  void serve(int member);

  std::atomic<unsigned> round_{0}, busy_{0};  // a new round is work, or the end where there is none
  const std::function<void(int)>* work_ = nullptr;
  FloatEnvironment environment_;
  std::vector<std::thread> workers_;
};

// The member's part of `elements`: contiguous, and the parts differ in length by less than a block of kernels.
template <class T>
std::span<const T> part_of(std::span<const T> elements, int member, int members) {
  constexpr std::size_t grain = 4096;
  const std::size_t blocks = (elements.size() + grain - 1) / grain;
  const auto begin_of = [&](int m) {
    return std::min(elements.size(),
                    grain * (blocks * static_cast<std::size_t>(m) / static_cast<std::size_t>(members)));
  };
  return elements.subspan(begin_of(member), begin_of(member + 1) - begin_of(member));
}

}  // namespace petri::kernels
