// What one file says of one process, and how several files say it of the same one.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/import/nccl_log_history.hpp"
#include "harness/import/nccl_log_part.hpp"

namespace petri {

struct LogPiece {
  LogProcess process;           // its lives are places in `lives`
  std::vector<CommLife> lives;  // their parents, too
  ProcessHistory history;       // of its creations; of its calls where has_history
  bool has_history = false;
};

// Takes each process of a part, with its lives, out of it.
std::vector<LogPiece> pieces_of(LogPart part);

enum class LogRelation {
  same,   // one process, of which both tell
  other,  // two processes of one name, as in containers on one host or in two runs
};
// Nobody is two ranks of one communicator with one device, and nobody begins twice.
LogRelation relation(const LogPiece& a, const LogPiece& b);

// Does `a` stand before `b`: does it tell of an earlier time of the process, or of the same time in whole lines?
bool stands_before(const LogPiece& a, const LogPiece& b);

// Appends what a piece has that the other one, which stands before it, does not have. Returns how many calls both have.
std::uint64_t append(LogPiece piece, LogPiece& to);

}  // namespace petri
