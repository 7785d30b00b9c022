// Which uses of an object its state does not allow: one table for all kinds of objects. Internal to harness/diagnose.
#pragma once

#include <cstdint>
#include <string_view>

namespace petri::diagnosis {

// Sets of these are masks.
using Mask = std::uint32_t;

enum Kind : Mask {
  kPlainRequest = 1U << 0,          // of a nonblocking message, file operation or duplication
  kCollectiveRequest = 1U << 1,     // of a nonblocking collective
  kAccessRequest = 1U << 2,         // of an access to a window
  kPersistentRequest = 1U << 3,     // of a message
  kPersistentCollective = 1U << 4,  //
  kPartitionedSend = 1U << 5,       //
  kPartitionedReceive = 1U << 6,    //
  kPartition = 1U << 7,             // of a started partitioned send
  kMessage = 1U << 8,               // that a matched probe has taken
  kWindow = 1U << 9,                //
  kFile = 1U << 10,                 //
  kSplit = 1U << 11,                // the split collective of a file
  kAccessToFile = 1U << 12,         // its nonblocking operations
  kCommunicator = 1U << 13,         //
  kPredefined = 1U << 14,           // a communicator that MPI has made
  kGroup = 1U << 15,                // of a thread's NCCL calls
  kStream = 1U << 16,               // whether the open group holds calls on it
  kProcess = 1U << 17,              // as a user of MPI
};
inline constexpr Mask kPartitioned = kPartitionedSend | kPartitionedReceive;
inline constexpr Mask kPersistent = kPersistentRequest | kPersistentCollective | kPartitioned;
inline constexpr Mask kRequest = kPlainRequest | kCollectiveRequest | kAccessRequest | kPersistent;

enum State : Mask {
  kUnknown = 0,          // whatever is done in it is taken for right
  kAbsent = 1U << 0,     // never made, in a record that has all calls
  kIdle = 1U << 1,       // made, and nothing is under way
  kActive = 1U << 2,     // begun and not complete
  kGone = 1U << 3,       // freed, closed, received, over
  kWindingUp = 1U << 4,  // an NCCL communicator that accepts nothing but its destruction
};
inline constexpr Mask kAnyState = kAbsent | kIdle | kActive | kGone | kWindingUp;

enum Use : Mask {
  kMake = 1U << 0,        // what comes of it is idle
  kStart = 1U << 1,       // a request, group, split collective …: it is active from here on
  kComplete = 1U << 2,    // it is idle again
  kEnd = 1U << 3,         // completes it where nothing else can, as group_end does
  kEndOther = 1U << 4,    // ends one of another operation
  kFree = 1U << 5,        //
  kWindUp = 1U << 6,      //
  kCancel = 1U << 7,      //
  kMarkReady = 1U << 8,   // pready
  kAskArrived = 1U << 9,  // parrived
  kAccess = 1U << 10,     // uses it, and leaves it as it is
  kSettle = 1U << 11,     // needs a file at rest
};

// The state after a use; the state before it where it changes nothing.
State state_after(Kind kind, State before, Use use);

struct Rule {
  Mask kinds, states, uses;
  std::string_view wrong;  // of the object: "is still active"
  std::string_view right;  // what ought to have been: "its completion first"
};

// The rule that a use in this state breaks; null where it is allowed.
const Rule* broken_rule(Kind kind, State state, Use use);

// Is what the call names not there: gone, not made yet, or not begun? Then nothing can come of the call.
bool names_nothing(const Rule& rule);

// "request", "window" …: what a kind is called.
std::string_view noun_of(Kind kind);

}  // namespace petri::diagnosis
