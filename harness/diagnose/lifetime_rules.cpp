#include "harness/diagnose/lifetime_rules.hpp"

#include <algorithm>
#include <iterator>

namespace petri::diagnosis {
namespace {

constexpr Rule kRules[] = {
    // What is gone, or never was. A wait or test may name such a request: its handle is then a null one (MPI 4.1,
    // section 3.7.3). All other calls may not (section 2.5.1).
    {kRequest, kAbsent, kStart | kFree | kMarkReady, "was never made", "the call that makes it first"},
    {kRequest, kGone, kStart | kFree | kMarkReady, "no longer exists", "a request that exists"},
    {kWindow | kFile, kAbsent, kAccess | kFree, "is not made yet", "its creation first"},
    {kWindow, kGone, kAccess | kFree, "was freed", "the use before the release"},
    {kFile, kGone, kAccess | kFree, "was closed", "the use before the closing"},
    {kCommunicator, kGone, kAccess | kFree | kWindUp, "was freed", "the use before the release"},
    {kProcess, kGone, kAccess | kFree, "is finalized", "the call before finalize"},

    // "The associated request should be inactive" for a start (section 3.9); a nonblocking one cannot be started.
    {kPersistent, kActive, kStart, "is still active", "its completion first"},
    {kRequest & ~kPersistent, kActive, kStart, "is not persistent", "a persistent request"},
    // "Collective operation requests must not be freed while active" (3.9); nonblocking ones never, nor be cancelled
    // (6.12), nor may those of accesses to a window (12.3.5), nor active partitioned ones (4.2.1).
    {kPartitioned | kPersistentCollective, kActive, kFree, "is still active", "its completion first"},
    {kPartitioned, kActive, kCancel, "is a partitioned one", "its completion"},
    {kCollectiveRequest | kPersistentCollective, kActive, kFree | kCancel, "is of a collective", "its completion"},
    {kAccessRequest, kActive, kFree | kCancel, "is of an access to a window", "its completion"},

    // Partitions are marked once in each start, and their arrival is asked for by the receiver (4.2.1 and 4.2.2).
    {kRequest & ~kPartitionedSend, kIdle | kActive, kMarkReady, "is no partitioned send", "a partitioned send"},
    {kPartitionedSend, kIdle, kMarkReady, "is not started", "its start first"},
    {kRequest & ~kPartitionedReceive, kIdle | kActive, kAskArrived, "is no partitioned receive",
     "a partitioned receive"},
    {kPartition, kAbsent, kMarkReady | kAskArrived, "does not exist", "a partition of the request"},
    {kPartition, kActive, kMarkReady, "is marked ready already", "one pready of each partition and start"},

    // The message of a matched probe is received once (3.8.3).
    {kMessage, kAbsent, kComplete, "was taken by no matched probe", "a successful matched probe first"},
    {kMessage, kGone, kComplete, "was received already", "one receive of each message"},

    // A communicator under nonblocking duplication cannot be used before it is there (7.4.2). NCCL: nothing but its
    // destruction may follow ncclCommFinalize.
    {kCommunicator, kActive, kAccess | kFree, "is not made yet", "the completion of its duplication first"},
    {kCommunicator, kWindingUp, kAccess | kWindUp, "is being finalized", "the use before comm_finalize"},
    {kPredefined, kIdle, kFree, "is predefined", "no release of what MPI has made"},

    // One split collective at a time, no other collective access beside it (14.4.5), and nothing under way where a file
    // is closed, given a view, resized or synchronized (14.2.2, 14.2.4, 14.2.5, 14.3 and 14.6.1).
    {kSplit, kActive, kStart | kAccess | kSettle, "has a split collective open", "its end first"},
    {kSplit, kActive, kEndOther, "has a split collective of another kind open", "the end of the one that is open"},
    {kSplit, kIdle, kEnd | kEndOther, "has no split collective open", "its begin first"},
    {kAccessToFile, kActive, kSettle, "has an operation pending", "its completion first"},

    // NCCL: what a group holds is launched by its end, so that "stream operations like cudaStreamSynchronize can be
    // called only after ncclGroupEnd returns" (NCCL user guide, Group Calls).
    {kGroup, kIdle, kEnd, "is open", "a group_start first"},
    {kStream, kActive, kSettle, "has calls in a group that is still open", "group_end first"},
};

}  // namespace

State state_after(Kind kind, State before, Use use) {
  switch (use) {
    case kMake: return kIdle;
    case kStart: return kActive;
    case kComplete: return (kind & (kRequest & ~kPersistent)) != 0 || kind == kMessage ? kGone : kIdle;
    case kEnd:
    case kEndOther: return kIdle;
    case kMarkReady: return kind == kPartition ? kActive : before;
    case kFree: return kGone;
    case kWindUp: return kWindingUp;
    default: return before;
  }
}

const Rule* broken_rule(Kind kind, State state, Use use) {
  const auto* found = std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule& rule) {
    return (rule.kinds & kind) != 0 && (rule.states & state) != 0 && (rule.uses & use) != 0;
  });
  return found == std::end(kRules) ? nullptr : found;
}

bool names_nothing(const Rule& rule) {
  constexpr Mask kNotThere = kAbsent | kGone | kWindingUp;
  const bool not_made_yet = rule.kinds == kCommunicator && rule.states == kActive;
  return (rule.states & ~kNotThere) == 0 || not_made_yet || (rule.uses & kEndOther) != 0;
}

std::string_view noun_of(Kind kind) {
  switch (kind) {
    case kPartition: return "partition";
    case kMessage: return "message";
    case kWindow: return "window";
    case kFile:
    case kSplit:
    case kAccessToFile: return "file";
    case kCommunicator:
    case kPredefined: return "communicator";
    case kGroup: return "no group";
    case kStream: return "stream";
    case kProcess: return "MPI";
    default: return "request";
  }
}

}  // namespace petri::diagnosis
