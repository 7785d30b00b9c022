// The requests of one rank, and the partitions of those that have some. Internal to harness/diagnose.
#pragma once

#include <functional>
#include <map>
#include <unordered_map>

#include "harness/diagnose/object_uses.hpp"

namespace petri::diagnosis {

class RequestLives {
 public:
  // Told of each request that is complete, may be, or is freed: its number, the call that made it, and its state now.
  using Settled = std::function<void(std::uint32_t request, const Event& made, State state)>;

  // `threads`: several threads make the calls. One that waits and one that goes on have no order in the record.
  RequestLives(const std::vector<Event>& events, Uses& uses, bool threads, Settled settled)
      : events_(events), uses_(uses), threads_(threads), settled_(std::move(settled)) {}

  void perform(std::uint32_t index);

 private:
  struct Request : Object {
    std::optional<std::uint32_t> made;  // nothing where the record does not have the call that made it
  };

  Request& request(std::uint32_t number);
  void make(std::uint32_t index);
  void start(std::uint32_t number, std::uint32_t index);
  void free_or_cancel(std::uint32_t index);
  void complete(std::uint32_t index);
  void use_partitions(std::uint32_t index);
  void use_partition(std::int32_t partition, const Request& of, Use how, std::uint32_t index);

  const std::vector<Event>& events_;
  Uses& uses_;
  bool threads_;
  Settled settled_;
  std::unordered_map<std::uint32_t, Request> requests_;
  std::unordered_map<std::uint32_t, std::map<std::int32_t, Object>> partitions_;  // used since the last start
};

}  // namespace petri::diagnosis
