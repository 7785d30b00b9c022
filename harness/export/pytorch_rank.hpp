// The calls of one rank as Python statements. Internal to harness/export.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/export/pytorch_helpers.hpp"
#include "harness/trace/scenario.hpp"

namespace petri::pytorch {

// What all ranks of a script share.
struct Program {
  const Scenario& scenario;
  std::string source;  // for errors
  // Calls that are left out, by rank and event; see common_beginning.hpp.
  std::set<std::pair<std::int32_t, std::uint32_t>> left_out;
  std::set<std::int32_t> groups = {};  // communicators that are used
  std::set<Helper> helpers = {};
};

class RankWriter {
 public:
  RankWriter(Program& program, std::int32_t rank);

  void write();

  // The statements with their comments, and without them: ranks with equal code share a function.
  const std::string& text() const { return text_; }
  const std::string& code() const { return code_; }
  double seconds() const { return seconds_; }  // of its sleeps and computations together

 private:
  // One side of a call: what is sent or received.
  struct Amount {
    std::int64_t count = 0;
    std::string_view type;
  };

  void write_event(const Event& event);
  void write_message(const Event& event);
  void write_sendrecv(const Event& event);
  void write_wait(const Event& event);
  void write_test(const Event& event);
  void write_collective(const Event& event);
  void write_creation(const Event& event);
  void write_world(const Event& event);
  void write_host(const Event& event);
  void write_device(const Event& event);
  void write_group_end();
  void write_end();

  // One function for each kind of collective (pytorch_collective.cpp).
  std::string call_of(const Event& event);
  std::string gather_call(const Event& event);
  std::string scatter_call(const Event& event);
  std::string allgather_call(const Event& event);
  std::string reduce_scatter_call(const Event& event);
  std::string alltoall_call(const Event& event);
  std::vector<std::int64_t> split(const Event& event, const std::vector<std::int64_t>& own, std::int64_t each);
  std::vector<std::int64_t> counts_of(const Event& event, bool sent) const;
  std::string reduction(const Event& event);

  // A call that is made now, begun by a request, held by an open group or put on a stream, as the event says. `call`
  // ends without its closing parenthesis; `asynchronous` is what it takes to begin only.
  void put_call(const Event& event, const std::string& call, std::string_view asynchronous);
  void put(const std::string& statement);
  void note(std::string_view remark);
  [[noreturn]] void reject(const std::string& reason) const;

  std::string group(const Event& event);  // ", group=…" or nothing
  std::int32_t global(const Event& event, std::int32_t member, const char* what) const;
  std::int32_t root(const Event& event);
  std::size_t size(const Event& event) const;
  std::string tag(std::int32_t tag) const;  // ", tag=…" or nothing
  Amount amount(std::int64_t count, ElementType type);
  // Where a count for each member is recorded, `chosen` is made of them and stands for the amount's own.
  void take_counts(const std::vector<std::int64_t>& counts, std::int64_t chosen, Amount& amount);
  void require_count(std::int64_t count) const;
  Amount sent(const Event& event);
  Amount received(const Event& event);
  static std::string room(const Amount& amount);
  std::string rooms(std::size_t number, const Amount& amount);
  std::string request(std::uint32_t number) const;
  std::string requests(const Event& event) const;
  std::string stream(const Event& event) const;
  bool is_at_end(const Event& event) const;

  Program& program_;
  const Scenario& scenario_;
  const RankTrace& trace_;
  std::int32_t rank_;
  const Event* event_ = nullptr;
  std::string text_, code_;
  std::set<std::string> notes_;
  bool commented_ = false;
  bool finalized_ = false, left_ = false;
  int open_groups_ = 0;
  // What an open group holds: messages by communicator, and other calls, each with the stream it is for.
  std::map<std::pair<std::string, std::int32_t>, std::vector<std::string>> held_messages_;
  std::vector<std::pair<std::string, std::string>> held_calls_;
  double seconds_ = 0;
};

}  // namespace petri::pytorch
