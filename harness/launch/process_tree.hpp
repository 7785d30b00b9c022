// The processes below a process, read from /proc, and ending them without ever touching another.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace petri {

// All descendants of `ancestor` at this moment, parents before children. Zombies are left out: they are gone.
std::vector<pid_t> descendants_of(pid_t ancestor);

// Those of them that have children, all of which have ended without being waited for.
struct Parent {
  pid_t process = 0;
  std::string program;  // as the kernel calls it: at most 15 bytes of its file's name
};
std::vector<Parent> parents_of_the_gone(pid_t ancestor);

// Makes the calling process the one that orphans below it are handed to (PR_SET_CHILD_SUBREAPER), so that nothing that
// it started can escape from its tree. Lasts as long as the process.
void adopt_orphans();

// Ends (SIGKILL) all descendants of the calling process that `chosen` picks, until none is left or `limit_s` seconds
// have passed. Returns true when none is left. Reaps nobody: the caller's own children are its to wait for. The caller
// should have adopted orphans.
bool end_descendants(const std::function<bool(pid_t)>& chosen, double limit_s);

// True when the environment that a process was started with holds "name=value".
bool started_with(pid_t process, const std::string& name, const std::string& value);

}  // namespace petri
