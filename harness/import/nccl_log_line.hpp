// A line of an NCCL or RCCL log: what messages are in it, and which process wrote them.
//
// The shape is that of ncclDebugLog (NVIDIA/nccl src/debug.cc, ROCm/rccl likewise), which is the same since 2.4:
//   [time] host:pid:tid [device] NCCL INFO text
//   [time] host:pid:tid [device] file:line (function) NCCL WARN text
// The time stands there since 2.26, for warnings unless NCCL_DEBUG_TIMESTAMP_LEVELS says otherwise, and only its
// default format is read; early RCCL has a number of microseconds behind the device. In front of it all a launcher may
// have put its own prefix ("[1,3]<stdout>:", "3: ", "node01: ", "[rank3]:"), and, where processes share a pipe, what
// another one had not finished with a newline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace petri {

struct LogMessage {
  std::string_view host;  // as NCCL writes it: without its domain
  std::int32_t pid = 0;
  std::int32_t device = 0;  // the thread's current CUDA device, which need not be the communicator's
  double time = 0;          // seconds since the epoch as if the clock showed UTC; NaN where not stated
  bool is_warning = false;
  std::string_view place;  // of a warning: "transport/net_ib.cc:253"
  std::string_view text;   // to the end of the line, or to where the next message begins
};

// The messages of one line, first to last. One whose origin cannot be read is left out.
class LogLine {
 public:
  explicit LogLine(std::string_view line) : line_(line) {}
  std::optional<LogMessage> next();

 private:
  std::string_view line_;
  std::size_t at_ = 0;
};

// The line without escape sequences (ECMA-48: colours and the like), in `room`; the line itself where there are none.
std::string_view without_escapes(std::string_view line, std::string& room);

}  // namespace petri
