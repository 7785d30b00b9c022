// The calls of one rank as statements on CUDA and NCCL. Internal to harness/export.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "harness/export/statements.hpp"
#include "harness/trace/scenario.hpp"

namespace petri::nccl {

// What all ranks of a program share.
struct Program : SharedCase {
  std::set<std::int32_t> at_start;        // communicators made before the first event
  std::set<std::int32_t> comms = {};      // those that are used or made
  std::set<std::string_view> parts = {};  // helper functions that are used
  std::uint64_t bytes = 1;                // of the largest buffer
};

// "comm_2_dp0", or comm_world.
std::string comm_name(const Scenario& scenario, std::int32_t comm);

class RankWriter final : public StatementWriter {
 public:
  RankWriter(Program& program, std::int32_t rank);

  const Statements& write();

 private:
  struct Amount {
    std::int64_t count = 0;
    std::string_view type;
    std::uint64_t bytes = 0;  // of one element
  };

  std::string finish() override;
  std::string stay() override;
  std::string leave(int status) override;
  std::string abort(int status) override;
  std::string raise(int signal) override;
  std::string pause(Op op, double seconds) override;
  void write_event(const Event& event) override;
  void write_collective(const Event& event);
  void write_message(const Event& event);
  void write_creation(const Event& event);
  void write_end_of_comm(const Event& event);
  void write_host(const Event& event);
  void write_device(const Event& event);
  // Puts a call on its stream and waits where it has none.
  void put_call(const Event& event, const std::string& call);
  void require_nccl(const Event& event) const;

  std::string comm_of(const Event& event);
  std::string operation(const Event& event);
  Amount amount(const Event& event, std::uint64_t blocks);
  std::string stream(const Event& event) const;

  Program& program_;
  Statements statements_;
  int open_groups_ = 0;
  bool waits_for_group_ = false;  // calls without a stream are in the open group
};

}  // namespace petri::nccl
