// The calls of one rank as C statements. Internal to harness/export.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/export/c_helpers.hpp"
#include "harness/export/statements.hpp"
#include "harness/trace/scenario.hpp"
#include "harness/worker/plan/files.hpp"
#include "harness/worker/plan/lanes.hpp"
#include "harness/worker/plan/windows.hpp"

namespace petri::c {

// What all ranks of a program share.
struct Program : SharedCase {
  std::set<std::int32_t> at_start;  // communicators made before the first event, because some rank does not create them
  std::set<Helper> helpers = {};
  std::set<std::string> persistent_collectives = {};  // functions that Open MPI 4 has under other names
  std::map<std::string, std::size_t> string_tags = {};
  std::map<std::string, WindowPlan> windows = {};
  std::map<std::string, FilePlan> files = {};
  std::set<std::string> split_files = {};  // files with split collectives
  bool needs_mpi_4 = false;
  // With several threads, a rank's requests and messages are its threads' together; the most that any rank needs.
  bool threads = false;
  std::size_t requests = 0, messages = 0, marks = 0;
};

// The calls of one thread as the body of a function.
struct Body : Statements {
  std::int32_t thread = 0;
  std::string head = {};                            // declarations
  std::set<std::string> scalars = {};               // declared as needed
  std::size_t large = 0;                            // types of more elements than an int counts
  std::map<std::size_t, std::size_t> awaited = {};  // by lane: calls before this place are known to be done
  bool left = false;                                // nothing more of it is reached
};

// What each member gives to the window.
std::uint64_t bytes_of(const WindowPlan& plan);

// One side of a call: what is sent or received.
struct Amount {
  std::int64_t count = 0;
  std::string count_text;  // an int expression
  std::string type_text;   // an MPI_Datatype expression
};

class RankWriter final : public StatementWriter {
 public:
  RankWriter(Program& program, std::int32_t rank);

  // Writes the bodies of the rank's functions.
  void write();

  // The main thread's first. Ranks with equal code share functions.
  const std::vector<Body>& bodies() const { return bodies_; }
  std::string code() const;
  std::uint64_t bsend_bytes() const { return bsend_bytes_; }

 private:
  std::string finish() override;
  std::string stay() override;
  std::string leave(int status) override;
  std::string abort(int status) override;
  std::string raise(int signal) override;
  std::string pause(Op op, double seconds) override;

  // One function for each kind of operation, in one file for each chapter.
  void write_event(const Event& event) override;
  void write_send(const Event& event);
  void write_recv(const Event& event);
  void write_sendrecv(const Event& event);
  void write_probe(const Event& event);
  void write_wait(const Event& event);
  void write_test(const Event& event);
  void write_request(const Event& event);
  void write_start(const Event& event);
  void write_partitioned_init(const Event& event);
  void write_partition(const Event& event);
  void write_collective(const Event& event);
  void write_creation(const Event& event);
  void write_split(const Event& event);
  void write_intercommunicator(const Event& event);
  void write_topology(const Event& event);
  void learn_topology(const Event& event);
  void write_free(const Event& event);
  void write_window(const Event& event);
  void write_window_creation(const Event& event);
  void write_access(const Event& event);
  void write_file(const Event& event);
  void write_open(const Event& event);
  void write_transfer(const Event& event);
  void write_heads();

  // Threads (c_threads.cpp).
  void go_to(std::size_t lane);
  std::size_t lane_of(std::size_t place) const;
  void number_marks();
  void put_awaits(const std::vector<std::size_t>& places);
  void put_mark(std::size_t place);
  void put_joins();

  // Statements.
  void put_loop(bool until_success, const std::string& condition, const std::string& call);
  void put_array(const char* type, const std::string& name, const std::vector<std::int64_t>& values);
  // A call with a group of the communicator's members: `before` and `after` are its text around the group.
  void put_with_group(const std::string& before, const std::string& comm, const std::vector<std::int64_t>& members,
                      const std::string& after);

  // Arguments.
  std::string comm_of(const Event& event) const;
  std::string peer(std::int32_t peer, const char* what) const;
  static std::string tag(std::int32_t tag);
  std::string root_of(const Event& event);
  Amount amount(const StatedAmount& stated, bool may_be_large);
  Amount sent(const Event& event, bool may_be_large);
  Amount received(const Event& event, bool may_be_large);
  std::string room(const char* side, const Event& event, const std::string& elements, const std::string& type);
  std::string room(const char* side, const Event& event, const Amount& amount);
  std::string window_of(const Event& event) const;
  std::string target_rank(const Event& event) const;
  std::string displacement(const Event& event) const;
  std::string file_of(const Event& event) const;
  std::string request(std::uint32_t number);
  std::string request_of(const Event& event);
  std::string message_of(const Event& event);
  bool dies() const;
  bool is_at_end(const Event& event) const;
  bool polls_until_success(const Event& event) const;

  // Several requests of one call: those in a row as they are, others copied to an array and back.
  template <class Call>
  void with_requests(const Event& event, Call&& call);

  // Collectives.
  struct Blocks {
    std::optional<std::size_t> out, in;
  };
  Blocks blocks_of(const Event& event) const;
  struct Layout;
  Layout layout(const Event& event, const char* name, const std::vector<std::int64_t>& own,
                const std::vector<std::int64_t>& both, std::int64_t each, std::optional<std::size_t> blocks,
                std::int64_t unit);
  std::string times(std::int64_t count, std::optional<std::size_t> blocks, const Event& event);
  std::string reduction(const Event& event);
  std::vector<std::string> plain_arguments(const Event& event, std::string_view family);
  std::vector<std::string> vector_arguments(const Event& event, std::string_view family);

  // Communicators.
  std::vector<std::int64_t> members_named(const Event& event) const;
  std::string target_of(const Event& event);

  Program& program_;
  std::vector<Lane> lanes_;
  std::vector<Body> bodies_;  // one for each lane
  Body* body_ = nullptr;      // the one that is written
  std::vector<std::vector<std::size_t>> prerequisites_;
  std::vector<std::size_t> at_end_;
  std::map<std::size_t, std::size_t> marks_;  // by the place of the event that sets it
  std::map<std::uint32_t, std::size_t> requests_;
  std::map<std::int64_t, std::size_t> messages_;
  std::map<std::int32_t, Blocks> neighbours_;              // by communicator with a topology
  std::map<std::uint32_t, std::uint64_t> bsend_requests_;  // what each start of a persistent one takes
  std::uint64_t bsend_bytes_ = 0;
};

template <class Call>
void RankWriter::with_requests(const Event& event, Call&& call) {
  std::vector<std::uint32_t> numbers = event.extras.requests();
  if (numbers.empty() && event.request != kNoRequest) numbers.push_back(event.request);
  if (numbers.empty()) reject("names no request");
  std::vector<std::string> names;
  bool in_a_row = true;
  for (const std::uint32_t number : numbers) {
    names.push_back(request(number));
    in_a_row = in_a_row && requests_.at(number) == requests_.at(numbers.front()) + names.size() - 1;
  }
  if (in_a_row) return call(numbers.size(), "&" + names.front());
  const std::string outer = indent_;
  put("{");
  indent_ += "  ";
  put("MPI_Request set[" + std::to_string(names.size()) + "];");
  for (std::size_t i = 0; i < names.size(); ++i) put("set[" + std::to_string(i) + "] = " + names[i] + ";");
  call(numbers.size(), "set");
  for (std::size_t i = 0; i < names.size(); ++i) put(names[i] + " = set[" + std::to_string(i) + "];");
  indent_ = outer;
  put("}");
}

}  // namespace petri::c
