// Hand-built scenarios and toy oracles for the tests of the reducers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/trace/scenario.hpp"
#include "reducers/oracle.hpp"
#include "reducers/pass.hpp"

namespace petri::reduce::testing {

inline Event event(Op op) {
  Event made;
  made.op = op;
  return made;
}

inline Event on(Event made, std::int32_t comm) {
  made.comm = comm;
  return made;
}

inline Event collective(Op op, std::int32_t comm = 0, std::int64_t count = kUnknownCount) {
  Event made = on(event(op), comm);
  made.count = count;
  return made;
}

inline Event rooted(Op op, std::int32_t root, std::int32_t comm = 0) {
  Event made = on(event(op), comm);
  made.root = root;
  return made;
}

inline Event message(Op op, std::int32_t peer, std::int32_t tag = 0, std::uint32_t request = kNoRequest) {
  Event made = event(op);
  made.peer = peer;
  made.tag = tag;
  made.request = request;
  return made;
}

inline Event start_of(std::uint32_t request) {
  Event made = event(Op::start);
  made.request = request;
  return made;
}

inline Event wait_for(std::uint32_t request) {
  Event made = event(Op::wait);
  made.request = request;
  return made;
}

inline Event wait_for_all(std::vector<std::uint32_t> requests) {
  Event made = event(Op::waitall);
  made.extras.set_requests(std::move(requests));
  return made;
}

inline Event making(Op op, std::int32_t new_comm, std::int32_t parent = 0) {
  Event made = on(event(op), parent);
  made.extras.set_new_comm(new_comm);
  return made;
}

inline Event in_step(Event made, std::int32_t step) {
  made.step = step;
  return made;
}

inline void add(Scenario& scenario, std::int32_t rank, Event made) {
  std::vector<Event>& events = scenario.ranks[static_cast<std::size_t>(rank)].events;
  made.seq = events.empty() ? 0 : events.back().seq + 1;
  events.push_back(std::move(made));
}

inline void add_to_all(Scenario& scenario, const Event& made) {
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) add(scenario, rank, made);
}

inline std::int32_t add_comm(Scenario& scenario, const std::string& name, std::vector<std::int32_t> ranks) {
  Communicator comm;
  comm.name = name;
  comm.ranks = std::move(ranks);
  return scenario.add_comm(std::move(comm));
}

inline std::vector<Op> ops_of(const Scenario& scenario, std::int32_t rank) {
  std::vector<Op> ops;
  for (const Event& made : scenario.ranks[static_cast<std::size_t>(rank)].events) ops.push_back(made.op);
  return ops;
}

// Reproduces while `holds` does; the answer to everything else is `passes`.
template <class Predicate>
Oracle when(Predicate holds) {
  return [holds](const Scenario& scenario) {
    return Judgement{holds(scenario) ? Answer::reproduces : Answer::passes, {}};
  };
}

// A stand-in for the failure of most of these tests: ranks disagree in how many collectives they call on a
// communicator, and both sides are there to be seen.
inline bool has_extra_collective(const Scenario& scenario) {
  for (std::size_t comm = 0; comm < scenario.comms.size(); ++comm) {
    std::vector<std::size_t> calls;
    for (const std::int32_t rank : scenario.comms[comm].ranks) {
      std::size_t here = 0;
      for (const Event& made : scenario.ranks[static_cast<std::size_t>(rank)].events) {
        if (is_positional(made.op) && made.comm == static_cast<std::int32_t>(comm)) ++here;
      }
      calls.push_back(here);
    }
    for (const std::size_t here : calls) {
      if (here != calls.front()) return true;
    }
  }
  return false;
}

inline ScenarioPtr share(Scenario scenario) {
  return std::make_shared<const Scenario>(std::move(scenario));
}

// 16 ranks, `steps` steps of two allreduces and a barrier; rank 11 calls one more barrier in step 3.
inline Scenario data_parallel_job(std::int32_t world = 16, std::int32_t steps = 6, std::int32_t culprit = 11) {
  Scenario scenario(world);
  for (std::int32_t rank = 0; rank < world; ++rank) {
    for (std::int32_t step = 0; step < steps; ++step) {
      add(scenario, rank, in_step(collective(Op::allreduce, 0, 4096), step));
      if (rank == culprit && step == 3) add(scenario, rank, in_step(collective(Op::barrier), step));
      add(scenario, rank, in_step(collective(Op::allreduce, 0, 128), step));
      add(scenario, rank, in_step(collective(Op::barrier), step));
    }
  }
  return scenario;
}

// A ring in which everybody sends before receiving.
inline Scenario ring_job(std::int32_t world) {
  Scenario scenario(world);
  for (std::int32_t rank = 0; rank < world; ++rank) {
    add(scenario, rank, message(Op::send, (rank + 1) % world));
    add(scenario, rank, message(Op::recv, (rank + world - 1) % world));
  }
  return scenario;
}

// A cycle of first sends over at least two ranks, each of which has the receive that it should have posted behind it.
inline bool has_send_cycle(const Scenario& scenario) {
  std::vector<std::int32_t> to;
  for (const RankTrace& rank : scenario.ranks) {
    const bool sends = !rank.events.empty() && rank.events[0].op == Op::send;
    to.push_back(sends ? rank.events[0].peer : -1);
  }
  const auto receives_from = [&](std::int32_t rank, std::int32_t source) {
    for (const Event& made : scenario.ranks[static_cast<std::size_t>(rank)].events) {
      if (made.op == Op::recv && made.peer == source) return true;
    }
    return false;
  };
  for (std::int32_t start = 0; start < scenario.world(); ++start) {
    std::int32_t rank = start;
    std::size_t length = 0;
    do {
      const std::int32_t next = to[static_cast<std::size_t>(rank)];
      if (next < 0 || next == rank || !receives_from(next, rank)) break;
      rank = next;
      ++length;
    } while (rank != start && length <= to.size());
    if (rank == start && length >= 2) return true;
  }
  return false;
}

}  // namespace petri::reduce::testing
