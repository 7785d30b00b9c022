#include "harness/cli/command.hpp"

namespace petri::cli {

int exit_status_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::completes: return kOk;
    case Verdict::deadlock: return kDeadlock;
    case Verdict::mismatch: return kMismatch;
    case Verdict::race: return kRace;
    case Verdict::divergence: return kDivergence;
    case Verdict::rank_error: return kRankError;
    case Verdict::skew: return kSkew;
    case Verdict::misuse: return kMisuse;
    case Verdict::ambiguous: return kAmbiguous;
  }
  return kAmbiguous;
}

}  // namespace petri::cli
