#include <functional>
#include <queue>
#include <tuple>

#include "tests/jobs/builder.hpp"

namespace petri::jobs {
namespace {

constexpr std::int32_t kAsk = 7, kTask = 8;  // tags
constexpr std::int32_t kTasksEach = 2;       // of a step, on average
constexpr std::uint64_t kLongest = 1000;     // duration of a task
constexpr std::int64_t kResult = 64, kParameters = 4096;

class Farm {
 public:
  explicit Farm(const JobSize& size) : build_("master-worker", "farm.cpp", size), size_(size) {}

  Job make() {
    for (std::int32_t step = 0; step < size_.steps; ++step) {
      build_.in_step(step);
      build_.add_to_all(31, rooted(Op::bcast, 0, kParameters, ElementType::float64));
      hand_out(step);
      build_.meet(96);  // how well the step went
    }
    return build_.finish(110);
  }

 private:
  // Workers ask with their last result and get a task, or the word that there is none.
  void hand_out(std::int32_t step) {
    const std::int32_t workers = build_.world() - 1;
    using Asking = std::pair<std::uint64_t, std::int32_t>;  // when, who
    std::priority_queue<Asking, std::vector<Asking>, std::greater<>> asking;
    for (std::int32_t worker = 1; worker <= workers; ++worker) asking.emplace(duration(step, -1, worker), worker);
    for (std::int32_t task = 0; !asking.empty(); ++task) {
      const auto [time, worker] = asking.top();
      asking.pop();
      answer(worker);
      if (task < workers * kTasksEach) asking.emplace(time + duration(step, task, worker), worker);
    }
  }

  std::uint64_t duration(std::int32_t step, std::int32_t task, std::int32_t worker) const {
    return 1 + hashed(size_.seed, static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(task),
                      static_cast<std::uint64_t>(worker), kLongest);
  }

  void answer(std::int32_t worker) {
    build_.add(worker, 58, message(Op::send, 0, kAsk, kResult, ElementType::float64));
    build_.add(worker, 61, message(Op::recv, 0, kTask, 1, ElementType::int32));
    build_.add(0, 74, matched(worker, message(Op::probe, kAny, kAsk)));
    build_.add(0, 79, message(Op::recv, worker, kAsk, kResult, ElementType::float64));
    build_.add(0, 85, message(Op::send, worker, kTask, 1, ElementType::int32));
  }

  JobBuilder build_;
  JobSize size_;
};

}  // namespace

Job master_worker(const JobSize& size) {
  return Farm(size).make();
}

}  // namespace petri::jobs
