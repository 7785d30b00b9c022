// The calls of one location of an OTF2 archive, from its event records.
//
// A call is the outermost region that is an operation, from Enter to Leave; what it was called with stands in the
// records between them, as Score-P writes them: MpiSend before a send begins, MpiRecv when a receive has its message,
// MpiCollectiveEnd when a collective is over (Score-P, src/adapters/mpi). So a call that never returned has no
// arguments but those of a send. A request is what MpiIsend, MpiIrecvRequest and NonBlockingCollectiveRequest name. TAU
// names none (src/Profile/TauTraceOTF2.cpp): it writes MpiSend in whatever call begins a send and MpiRecv in whatever
// call completes a receive, taken here as the completion of the earliest MPI_Irecv that is open.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/import/otf2_definitions.hpp"
#include "harness/trace/event_fields.hpp"

namespace petri {

// What is missing or was guessed, over all locations.
struct Otf2Gaps {
  std::map<std::string, std::uint64_t> left_out;  // calls without the records that say what they were given
  std::uint64_t unnamed = 0;                      // calls that nothing says the communicator of
  std::uint64_t guessed_waits = 0;                // in flight, taken to wait for all open requests
  std::uint64_t uncompleted = 0;                  // requests that no record completes, of ranks that went on
  std::uint64_t off = 0;                          // times that measurement was off and on again
  bool any_receive = false;
};

class Otf2Calls;

// The requests of a rank that are open, of all its locations.
struct Otf2Requests {
  struct Open {
    Otf2Calls* calls = nullptr;
    std::size_t event = 0;
    std::uint32_t number = 0;
  };
  using Map = std::map<std::pair<std::uint64_t, const Otf2Calls*>, Open>;
  Map open;  // by the archive's number and its location
  std::uint32_t next = 0;
};

class Otf2Calls {
 public:
  Otf2Calls(const Otf2Definitions& definitions, Scenario& scenario, Otf2Requests& requests, Otf2Gaps& gaps,
            Otf2Definitions::Location place);
  Otf2Calls(const Otf2Calls&) = delete;
  Otf2Calls& operator=(const Otf2Calls&) = delete;

  void take(const Otf2Record& record);
  // No record follows: a call that is open did not return.
  void finish();
  // Of archives that Petri wrote: calls behind the last one, which was never left.
  void add_not_reached(const std::string& text);

  // In program order; a receive that nothing completes is on kNoComm. The names of call sites are symbols of the
  // scenario. Taken by whoever merges locations.
  std::vector<Event> events;
  std::vector<std::uint64_t> times;  // by event: ticks at its begin
  bool finalized = false, in_flight = false;
  std::optional<std::int64_t> exit_status;

 private:
  struct Call {
    std::optional<Op> op;
    Event event;
    std::optional<EventState> stated;  // by an attribute
    std::uint64_t time = 0;
    bool recorded = false;    // a record says what it was given
    bool makes_event = true;  // false: its records have made events of their own
    bool sent = false, received = false;
    std::vector<std::uint32_t> completed, tested;  // request numbers
  };

  void enter(const Otf2Record& record);
  void leave();
  void begin(std::optional<Op> op, std::uint64_t time);
  void end_bare();  // after a record that no region stands around
  void complete(Call& call);
  void leave_in_flight(Call& call);

  // Of a record of a message: whom it is with, and what a call is given for it.
  std::int32_t peer_of(const Otf2Record& record, std::int32_t comm) const;
  void set_message(Event& event, const Otf2Record& record, std::int32_t comm) const;
  void send(const Otf2Record& record);
  void receive(const Otf2Record& record);
  void receive_later(const Otf2Record& record, std::int32_t comm);
  void post_unnamed(std::uint64_t time);
  void post(const Otf2Record& record, Op op);
  void completed(const Otf2Record& record);
  void cancelled(const Otf2Record& record);
  void collective(const Otf2Record& record, Event& event, bool nonblocking);
  void window(const Otf2Record& record);
  void take_argument(const std::string& name, const FieldValue& value, Event& event, std::optional<EventState>& stated);
  void take_standard(const Otf2Record& record);

  void finish_wait(Call& call);
  void push(Event event, std::uint64_t time, EventState state);
  void leave_out(const Call& call);
  void leave_out_record(const char* op);
  std::int32_t comm_of(std::uint32_t reference);
  Otf2Requests::Map::iterator find(std::uint64_t request);  // the end: it is not open
  std::vector<std::uint32_t> open_requests() const;

  const Otf2Definitions& definitions_;
  Scenario& scenario_;
  Otf2Requests& requests_;
  Otf2Gaps& gaps_;
  Otf2Definitions::Location place_;
  std::optional<Call> call_;
  int depth_ = 0;  // regions open since the call began, its own with them
  bool off_ = false;
  std::vector<Otf2Record> attributes_;  // of the record that comes next
  std::unordered_map<std::uint32_t, std::int32_t> comms_;
};

}  // namespace petri
