// What a warning of NCCL means for a diagnosis: the texts after "NCCL WARN" in NVIDIA/nccl and ROCm/rccl src/.
//
// NCCL warns of everything with one word. Its causes of failures have few forms: the macros of checks.h ("Cuda failure
// …", "Call to … failed: …"), completions and asynchronous events of the network (transport/net_ib.cc, and the OFI
// plugin's), and arguments that are refused (misc/argcheck.cc).
#pragma once

#include <string_view>

namespace petri {

enum class WarningKind {
  error,        // of the process that warns
  consequence,  // another process went away, a watchdog gave up, or a communicator was aborted: no root cause
  advice,       // it went on another way, or recommends something
};

// `place` is where in the sources it comes from, or empty.
WarningKind kind_of_warning(std::string_view text, std::string_view place);

}  // namespace petri
