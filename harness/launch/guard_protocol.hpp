// What petri and its guardian's program say to each other. Internal to launch.
#pragma once

#include <string>

#include "harness/launch/guardian.hpp"

namespace petri {

// Set for every process of a job: names its run folder, and so marks the job's processes.
inline constexpr const char* kRunVariable = "PETRI_RUN";

// The guardian's arguments, in this order; the command's words follow.
struct GuardianArgument {
  enum Place : int { program, folder, output, working_folder, input, first_word };
};
inline constexpr const char* kOwnInput = "input";  // the command reads petri's standard input
inline constexpr const char* kNoInput = "no-input";

// The command's variables travel in the guardian's environment behind this prefix: a loader that starts the guardian
// must not take the command's LD_PRELOAD for its own, and arguments are for everybody to read.
inline constexpr const char* kCommandVariable = "petri-command:";

inline constexpr int kGuardSocket = 3;  // the guardian's end of a packet socket

// Guardian to petri: first how the folder was made. Petri to guardian: first the word to start the command, then a
// double, the grace in seconds before the kill.
inline constexpr char kGo = 1;
struct GuardMessage {
  enum Kind : int { folder_made, started, start_failed, exited, signaled };
  Kind kind;
  int value;  // errno, exit status or signal
};

}  // namespace petri
