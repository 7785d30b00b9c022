#include "harness/launch/process_tree.hpp"

#include <dirent.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

namespace petri {
namespace {

struct ProcessState {
  pid_t parent = 0;
  bool gone = true;
  std::string name = {};
};

// The second field of /proc/PID/stat is the program's name in parentheses and may hold anything: read from its end.
ProcessState state_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text, '\0');  // unlike an iterator, it does not throw where the process ends meanwhile
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 4 >= text.size()) return {};
  const char state = text[name_end + 2];
  const std::size_t name_begin = text.find('(') + 1;
  return {static_cast<pid_t>(std::atol(text.c_str() + name_end + 4)), state == 'Z' || state == 'X',
          text.substr(name_begin, name_end - name_begin)};
}

struct Child {
  pid_t process = 0;
  ProcessState state;
};

// By parent, those that have ended and that nobody has waited for included.
std::unordered_multimap<pid_t, Child> children_by_parent() {
  std::unordered_multimap<pid_t, Child> children;
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(opendir("/proc"), closedir);
  if (!proc) return children;
  while (const dirent* entry = readdir(proc.get())) {
    const auto process = static_cast<pid_t>(std::atol(entry->d_name));
    if (process <= 0) continue;
    ProcessState state = state_of(process);
    const pid_t parent = state.parent;
    children.emplace(parent, Child{process, std::move(state)});
  }
  return children;
}

// Calls `visit(process, its state, its first child, behind its last one)` for all descendants that have not ended,
// parents before children.
template <class Visit>
void each_descendant(pid_t ancestor, Visit visit) {
  const auto children = children_by_parent();
  std::vector<Child> found{{ancestor, {}}};
  for (std::size_t next = 0; next < found.size(); ++next) {
    const auto [first, last] = children.equal_range(found[next].process);
    if (next > 0) visit(found[next].process, found[next].state, first, last);
    for (auto child = first; child != last; ++child)
      if (!child->second.state.gone) found.push_back(child->second);
  }
}

}  // namespace

std::vector<pid_t> descendants_of(pid_t ancestor) {
  std::vector<pid_t> found;
  each_descendant(ancestor, [&](pid_t process, const ProcessState&, auto, auto) { found.push_back(process); });
  return found;
}

std::vector<Parent> parents_of_the_gone(pid_t ancestor) {
  std::vector<Parent> found;
  each_descendant(ancestor, [&](pid_t process, const ProcessState& state, auto first, auto last) {
    const auto is_gone = [](const auto& child) { return child.second.state.gone; };
    if (first != last && std::all_of(first, last, is_gone)) found.push_back({process, state.name});
  });
  return found;
}

void adopt_orphans() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

bool end_descendants(const std::function<bool(pid_t)>& chosen, double limit_s) {
  using Clock = std::chrono::steady_clock;
  const auto limit = Clock::now() + std::chrono::duration<double>(limit_s);
  // Again and again: a process that was forking while it was being listed is met in the next round.
  while (true) {
    bool left = false;
    for (const pid_t process : descendants_of(getpid())) {
      if (!chosen(process)) continue;
      left = true;
      kill(process, SIGKILL);
    }
    if (!left) return true;
    if (Clock::now() > limit) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

bool started_with(pid_t process, const std::string& name, const std::string& value) {
  std::ifstream file("/proc/" + std::to_string(process) + "/environ", std::ios::binary);
  const std::string wanted = name + "=" + value;
  for (std::string entry; std::getline(file, entry, '\0');) {
    if (entry == wanted) return true;
  }
  return false;
}

}  // namespace petri
