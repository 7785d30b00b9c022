// Inside the guardian process. Internal to launch.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/launch/guardian.hpp"

namespace petri {

// Set for every process of a job: names its run folder, and so marks the job's processes.
inline constexpr const char* kRunVariable = "PETRI_RUN";

// Guardian to petri, over a packet socket: first how the folder was made. Petri to guardian: first the word to start
// the command, then a double, the grace in seconds before the kill.
inline constexpr char kGo = 1;
struct GuardMessage {
  enum Kind : int { folder_made, started, start_failed, exited, signaled };
  Kind kind;
  int value;  // errno, exit status or signal
};

// Argument and environment vectors as execve wants them, built before the fork.
class PreparedCommand {
 public:
  PreparedCommand(const GuardedCommand& command, const std::filesystem::path& folder);
  PreparedCommand(const PreparedCommand&) = delete;
  PreparedCommand& operator=(const PreparedCommand&) = delete;

  // Turns the calling process into the command; returns errno when that fails.
  int become() const;

 private:
  std::vector<std::string> arguments_, environment_;
  std::vector<char*> argv_, envp_;
  std::string output_, working_folder_;
  bool inherit_stdin_;
};

// The guardian's life; exits with 0 when the tree is ended and the folder removed.
[[noreturn]] void run_guard_loop(const PreparedCommand& command, const std::filesystem::path& folder, int socket);

}  // namespace petri
