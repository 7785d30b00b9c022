#include "harness/launch/process_tree.hpp"

#include <dirent.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>

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

template <class Visit>
void each_process(Visit visit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(opendir("/proc"), closedir);
  if (!proc) return;
  while (const dirent* entry = readdir(proc.get())) {
    const auto process = static_cast<pid_t>(std::atol(entry->d_name));
    if (process > 0) visit(process, state_of(process));
  }
}

std::unordered_multimap<pid_t, pid_t> children_by_parent() {
  std::unordered_multimap<pid_t, pid_t> children;
  each_process([&](pid_t process, const ProcessState& state) {
    if (!state.gone) children.emplace(state.parent, process);
  });
  return children;
}

}  // namespace

std::vector<pid_t> descendants_of(pid_t ancestor) {
  const auto children = children_by_parent();
  std::vector<pid_t> found{ancestor};
  for (std::size_t next = 0; next < found.size(); ++next) {
    const auto [first, last] = children.equal_range(found[next]);
    for (auto child = first; child != last; ++child) found.push_back(child->second);
  }
  found.erase(found.begin());
  return found;
}

std::vector<pid_t> parents_of_the_gone(pid_t ancestor) {
  std::unordered_map<pid_t, bool> only_gone;  // of those that have children
  each_process([&](pid_t, const ProcessState& state) {
    const auto parent = only_gone.try_emplace(state.parent, true).first;
    parent->second = parent->second && state.gone;
  });
  std::vector<pid_t> found;
  for (const pid_t process : descendants_of(ancestor))
    if (const auto place = only_gone.find(process); place != only_gone.end() && place->second) found.push_back(process);
  return found;
}

std::string name_of_program(pid_t process) {
  return state_of(process).name;
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
