// The Flight Recorder dumps of a training job that went wrong in a known way: tensor, pipeline, data and expert
// parallel, with the calls, numbers, states and lost beginnings that PyTorch's recorders leave behind.
//
// What a rank enqueues follows ProcessGroupNCCL.cpp: hosts run ahead of their device up to the next value that they
// wait for; a coalesced launch records its members, which never leave the state `scheduled`, and then its closing call,
// which does; sequence numbers count launches, op_id counts operations.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tests/import/flight_dump_writer.hpp"

namespace petri::test {

// clang-format off
enum class FlightFault : std::uint8_t {
  none,
  missing_last,    // a rank never calls the last collective
  wrong_type, wrong_size, wrong_dtype,  // one collective of a rank is another one than its partners'
  order_inverted,  // a rank has two collectives of two groups in the other order
  missing_rank,    // a rank died: it leaves no dump
  two_culprits,    // two ranks of different replicas stop (one, where there is but one replica)
  extra_call,      // a rank makes one collective more
  stale,           // a rank died after its dump was taken, which is from before that of the others
  all_arrived,     // nobody is at fault: all are in the last collective, and it does not complete
};
// clang-format on
std::string_view name_of(FlightFault fault);
std::span<const FlightFault> flight_faults();

struct FlightJobOptions {
  std::int32_t ranks = 16;
  std::int32_t entries = 2000;  // of the rank with the most of them, about
  std::int32_t frames = 20;     // of each call's stack; 0: recorded without
  FlightFault fault = FlightFault::none;
  std::uint64_t seed = 1;
  std::int32_t ring = 2000;   // entries that a recorder keeps
  bool uneven_rings = false;  // some ranks keep fewer, down to half
  bool timing = true;         // false: no call is ever seen `started`
};

class FlightJob {
 public:
  explicit FlightJob(const FlightJobOptions& options);

  std::int32_t world() const { return options_.ranks; }
  const std::vector<std::int32_t>& culprits() const { return culprits_; }  // ascending
  bool has_dump(std::int32_t rank) const;
  FlightRecord dump(std::int32_t rank) const;

 private:
  enum Kind : std::uint8_t { kWorld, kData, kTensor, kPipe, kExpert, kKinds };
  enum What : std::uint8_t { collective, send, receive, batch };
  enum Title : std::uint8_t { all_reduce, all_gather, reduce_scatter, all_to_all };

  struct Op {
    What what = collective;
    Kind kind = kWorld;
    Title title = all_reduce;
    bool half = false;        // BFloat16, else Float
    bool host_waits = false;  // for its result
    std::int8_t to = 0;       // send, batch: the partner is so many group ranks further; 0: none
    std::int8_t from = 0;     // receive, batch: the partner likewise
    std::int32_t place = 0;   // in the program
    std::int64_t rows = 1;
  };
  struct Group {
    std::int32_t number;  // its name
    std::vector<std::int32_t> ranks;
  };
  struct Progress {
    std::size_t enqueued, completed;  // operations: the first of the rest that are enqueued is started
  };
  struct Counters;

  void make_groups();
  std::vector<Op> step_of(std::int32_t stage) const;
  void plant();
  std::size_t some_collective(std::int32_t rank, std::size_t least_ranks);
  std::vector<Op>& last_step(std::int32_t rank);  // of its own from now on
  std::int32_t any(std::int64_t below);
  void run();
  void launch(std::int32_t rank, std::vector<std::int32_t>& ready);
  void arrive(std::int32_t rank, const Op& op, std::vector<std::int32_t>& ready);
  void meet(std::int32_t rank, Kind kind, std::int32_t distance, bool sends, std::vector<std::int32_t>& ready);
  void advance(std::int32_t rank, std::vector<std::int32_t>& ready);
  std::size_t enqueued(std::int32_t rank) const;

  std::size_t length(std::int32_t rank) const;
  const Op& op(std::int32_t rank, std::size_t index) const;
  const Group& group(std::int32_t rank, Kind kind) const { return groups_[kind][group_index(rank, kind)]; }
  std::size_t group_index(std::int32_t rank, Kind kind) const;
  std::int32_t group_rank(std::int32_t rank, Kind kind) const;
  std::int32_t partner(std::int32_t rank, Kind kind, std::int32_t distance) const;
  void record(std::int32_t rank, std::size_t index, FlightRecord& to, Counters& counters) const;
  std::vector<std::uint32_t> stack(const Op& op, FlightRecord& to, Counters& counters) const;
  void add_call(FlightCall call, const Op& op, FlightRecord& to, Counters& counters) const;

  FlightJobOptions options_;
  std::int32_t tensor_ = 1, pipe_ = 1, data_ = 1, expert_ = 1;
  std::array<std::vector<Group>, kKinds> groups_;
  std::vector<std::vector<Op>> steps_;  // by pipeline stage
  std::size_t step_count_ = 1;
  std::vector<std::vector<Op>> own_last_steps_;  // by rank; empty: as the others of its stage
  std::vector<std::size_t> stops_;               // by rank: operations that it ever enqueues
  std::vector<std::int32_t> culprits_;
  std::uint64_t random_ = 1;

  struct Meeting {
    std::int32_t arrived = 0;
    const Op* as = nullptr;
    bool broken = false;
  };
  std::array<std::vector<Meeting>, kKinds> collectives_;  // by group: the one in progress
  std::vector<std::int8_t> messages_;   // in progress, by sender, kind and direction: bit 0 sent, 1 received
  std::vector<std::int32_t> pending_;   // by rank: meetings of its first operation not yet complete
  std::vector<std::size_t> completed_;  // by rank
  std::vector<Progress> progress_;      // by rank: what its dump shows
};

}  // namespace petri::test
