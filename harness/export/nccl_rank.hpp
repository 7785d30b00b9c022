// The calls of one rank as statements on CUDA and NCCL. Internal to harness/export.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/trace/scenario.hpp"

namespace petri::nccl {

// What all ranks of a program share.
struct Program {
  const Scenario& scenario;
  std::string source;  // for errors
  // Calls that are left out, by rank and event; see common_beginning.hpp.
  std::set<std::pair<std::int32_t, std::uint32_t>> left_out;
  std::set<std::int32_t> at_start;        // communicators made before the first event
  std::set<std::int32_t> comms = {};      // those that are used or made
  std::set<std::string_view> parts = {};  // helper functions that are used
  std::uint64_t bytes = 1;                // of the largest buffer
};

// "comm_2_dp0", or comm_world.
std::string comm_name(const Scenario& scenario, std::int32_t comm);

class RankWriter {
 public:
  RankWriter(Program& program, std::int32_t rank);

  void write();

  // The statements with their comments, and without them: ranks with equal code share a function.
  const std::string& text() const { return text_; }
  const std::string& code() const { return code_; }
  double seconds() const { return seconds_; }  // of its sleeps and computations together

 private:
  struct Amount {
    std::int64_t count = 0;
    std::string_view type;
    std::uint64_t bytes = 0;  // of one element
  };

  void write_event(const Event& event);
  void write_collective(const Event& event);
  void write_message(const Event& event);
  void write_creation(const Event& event);
  void write_end_of_comm(const Event& event);
  void write_world(const Event& event);
  void write_host(const Event& event);
  void write_device(const Event& event);
  void write_end();
  // Puts a call on its stream and waits where it has none.
  void put_call(const Event& event, const std::string& call);
  void put(const std::string& statement);
  void note(std::string_view remark);
  [[noreturn]] void reject(const std::string& reason) const;
  void require_nccl(const Event& event) const;

  std::size_t size(const Event& event) const;
  std::string comm_of(const Event& event);
  std::int32_t member(const Event& event, std::int32_t rank, const char* what) const;
  std::int32_t root(const Event& event);
  std::string operation(const Event& event);
  Amount amount(const Event& event, std::uint64_t blocks);
  std::string stream(const Event& event) const;

  Program& program_;
  const Scenario& scenario_;
  const RankTrace& trace_;
  std::int32_t rank_;
  const Event* event_ = nullptr;
  std::string text_, code_;
  std::set<std::string> notes_;
  bool commented_ = false, finalized_ = false, left_ = false;
  int open_groups_ = 0;
  bool waits_for_group_ = false;  // calls without a stream are in the open group
  double seconds_ = 0;
};

}  // namespace petri::nccl
