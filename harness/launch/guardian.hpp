// A job under guard: a process of its own starts it and outlives nothing of it.
//
// The guardian (the program petri-guardian) is a child of petri, in its own session, that adopts every orphan below it
// and holds one end of a socket. When petri goes away for whatever reason, SIGKILL included, the socket closes: the
// guardian ends the whole tree and removes the run folder. When the guardian itself is killed, its tree falls to petri,
// which does the same.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace petri {

struct GuardedCommand {
  std::vector<std::string> arguments;                            // program first, looked up in PATH; never a shell
  std::vector<std::pair<std::string, std::string>> environment;  // on top of petri's own
  bool inherit_stdin = false;                                    // false: /dev/null
  std::filesystem::path output;                                  // stdout and stderr go there; empty: petri's own
  std::filesystem::path working_folder = {};                     // empty: petri's own
  // Puts files into the run folder: called before the command starts, when somebody stands by who removes the folder
  // even if petri is killed at that moment. May be empty; what it throws reaches the caller of Guardian.
  std::function<void()> prepare = {};
};

// How the command ended, as waitpid tells it.
struct CommandEnd {
  int status = 0;  // exit status, where `signal` is 0
  int signal = 0;  // the signal that ended it
};

class Guardian {
 public:
  // Makes `folder` where it is not there yet (name_run_folder) and starts the command. The folder is removed at the
  // end, by whoever is left. Throws EnvironmentError when the command cannot be started (the folder is removed then
  // too).
  Guardian(const GuardedCommand& command, std::filesystem::path folder);
  // Ends whatever still runs and removes the folder; returns when both are done.
  ~Guardian();
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  pid_t pid() const { return pid_; }  // the guardian's own

  // How the command ended, once it and all its descendants are gone; nothing while they run. Waits up to `wait_ms`.
  // A guardian that was killed counts as a command ended by SIGKILL.
  std::optional<CommandEnd> ended(int wait_ms);

  // Readable when `ended` has something to say: for a caller's own poll().
  int descriptor() const { return socket_; }

  // Asks the command to end (SIGTERM to it alone: a launcher ends its ranks and cleans its own files); after `grace_s`
  // seconds every process left is killed. 0 kills at once. Returns immediately; `ended` tells when it is done.
  void stop(double grace_s);

 private:
  void clean_up_after_guardian();

  std::filesystem::path folder_;
  int socket_ = -1;
  pid_t pid_ = -1;
  std::optional<CommandEnd> end_;
};

}  // namespace petri
