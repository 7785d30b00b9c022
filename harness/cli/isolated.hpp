// Tasks that may hang or crash, each in a process of its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace petri::cli {

struct TaskEnd {
  enum class Kind { done, timed_out, crashed, interrupted };
  Kind kind = Kind::done;
  std::string text;  // done: what the task returned; crashed: by what
  double seconds = 0;
};

// Runs the tasks, up to `jobs` at a time, each in a forked process, and returns their ends in the order of the tasks.
// `ended` is called with a task's number as soon as it has ended and all before it have. A task that takes longer than
// `limit_s(its number)` is killed; what it had started under guard ends with it before this returns. An interrupt
// (interrupt.hpp; the caller holds the scope) ends the tasks that run and skips the others. A task must not throw. Call
// it while the process has one thread.
std::vector<TaskEnd> run_isolated(const std::vector<std::function<std::string()>>& tasks, int jobs,
                                  const std::function<double(std::size_t)>& limit_s,
                                  const std::function<void(std::size_t, const TaskEnd&)>& ended);

}  // namespace petri::cli
