// The calls of one rank as Python statements. Internal to harness/export.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/export/pytorch_helpers.hpp"
#include "harness/export/statements.hpp"
#include "harness/trace/scenario.hpp"

namespace petri::pytorch {

// What all ranks of a script share.
struct Program : SharedCase {
  std::set<std::int32_t> groups = {};  // communicators that are used
  std::set<Helper> helpers = {};
};

class RankWriter final : public StatementWriter {
 public:
  RankWriter(Program& program, std::int32_t rank);

  const Statements& write();

 private:
  // One side of a call: what is sent or received.
  struct Amount {
    std::int64_t count = 0;
    std::string_view type;
  };

  std::string finish() override;
  std::string stay() override;
  std::string leave(int status) override;
  std::string abort(int status) override;
  std::string raise(int signal) override;
  std::string pause(Op op, double seconds) override;
  void write_event(const Event& event) override;
  void write_message(const Event& event);
  void write_sendrecv(const Event& event);
  void write_wait(const Event& event);
  void write_test(const Event& event);
  void write_collective(const Event& event);
  void write_creation(const Event& event);
  void write_host(const Event& event);
  void write_device(const Event& event);
  void write_group_end();

  // One function for each kind of collective (pytorch_collective.cpp).
  std::string call_of(const Event& event);
  std::string gather_call(const Event& event);
  std::string scatter_call(const Event& event);
  std::string allgather_call(const Event& event);
  std::string reduce_scatter_call(const Event& event);
  std::string alltoall_call(const Event& event);
  std::vector<std::int64_t> counts_of(const Event& event, bool sent) const;
  std::string reduction(const Event& event);

  // A call that is made now, begun by a request, held by an open group or put on a stream, as the event says. `call`
  // ends without its closing parenthesis; `asynchronous` is what it takes to begin only.
  void put_call(const Event& event, const std::string& call, std::string_view asynchronous);

  std::string group(const Event& event);  // ", group=…" or nothing
  std::int32_t global(const Event& event, std::int32_t rank, const char* what) const;
  std::int32_t global_root(const Event& event);
  std::string tag(std::int32_t tag) const;  // ", tag=…" or nothing
  Amount amount(const StatedAmount& stated);
  // Where a count for each member is recorded, `chosen` is made of them and stands for the amount's own.
  void take_counts(const std::vector<std::int64_t>& counts, std::int64_t chosen, Amount& amount);
  Amount sent(const Event& event);
  Amount received(const Event& event);
  static std::string room(const Amount& amount);
  std::string rooms(std::size_t number, const Amount& amount);
  std::string request(std::uint32_t number) const;
  std::string requests(const Event& event) const;
  std::string stream(const Event& event) const;
  bool is_at_end(const Event& event) const;

  Program& program_;
  Statements statements_;
  int open_groups_ = 0;
  // What an open group holds: messages by communicator, and other calls, each with the stream it is for.
  std::map<std::pair<std::string, std::int32_t>, std::vector<std::string>> held_messages_;
  std::vector<std::pair<std::string, std::string>> held_calls_;
};

}  // namespace petri::pytorch
