#include "tests/model/random_builder.hpp"

#include <algorithm>

namespace petri::test {

Builder::Builder(std::uint64_t seed, std::int32_t least_ranks) : rng_(seed) {
  const int dice = below(10);
  result_.scenario = Scenario(std::max(least_ranks, dice < 5 ? 2 : dice < 9 ? 3 : 4));
  if (world() == 2 || one_in(2)) return;
  std::vector<std::int32_t> some = members(0);
  std::shuffle(some.begin(), some.end(), rng_);
  some.resize(2);
  declare("some", some);
}

std::vector<std::int32_t> Builder::members(std::int32_t comm) const {
  return result_.scenario.comms[static_cast<std::size_t>(comm)].ranks;
}

std::int32_t Builder::declare(std::string name, std::vector<std::int32_t> ranks, std::vector<std::int32_t> remote) {
  while (scenario().find_comm(name) != kNoComm) name += "'";
  Communicator comm;
  comm.name = std::move(name);
  comm.ranks = std::move(ranks);
  comm.remote = std::move(remote);
  return scenario().add_comm(std::move(comm));
}

std::int32_t Builder::any_comm() {
  std::vector<std::int32_t> fit;
  for (std::size_t comm = 0; comm < scenario().comms.size(); ++comm)
    if (!scenario().comms[comm].is_inter() && scenario().comms[comm].ranks.size() > 1 &&
        !freed_.contains(static_cast<std::int32_t>(comm)))
      fit.push_back(static_cast<std::int32_t>(comm));
  return fit[static_cast<std::size_t>(below(static_cast<int>(fit.size())))];
}

Event Builder::call(Op op, std::int32_t comm) {
  Event event;
  event.op = op;
  event.comm = comm;
  return event;
}

void Builder::emit(std::int32_t rank, Event event) {
  if (thread_ > 0) event.extras.set_thread(thread_);
  scenario().ranks[static_cast<std::size_t>(rank)].events.push_back(std::move(event));
}

void Builder::will_complete(std::int32_t rank, std::uint32_t request) {
  open_[{rank, thread_}].push_back(request);
}

std::uint32_t Builder::begin(std::int32_t rank, Event event) {
  if (form_of(event.op) == OpForm::persistent) {
    const std::uint32_t request = initialize(rank, std::move(event));
    start(rank, request);
    return request;
  }
  if (form_of(event.op) == OpForm::blocking) {
    emit(rank, std::move(event));
    return kNoRequest;
  }
  event.request = new_request();
  will_complete(rank, event.request);
  const std::uint32_t request = event.request;
  emit(rank, std::move(event));
  return request;
}

std::uint32_t Builder::initialize(std::int32_t rank, Event event) {
  event.request = new_request();
  const std::uint32_t request = event.request;
  emit(rank, std::move(event));
  return request;
}

void Builder::start(std::int32_t rank, std::uint32_t request, bool wait_now) {
  Event event = call(Op::start);
  event.request = request;
  emit(rank, std::move(event));
  if (wait_now) return wait_for(rank, Op::wait, {request});
  will_complete(rank, request);
}

void Builder::wait_for(std::int32_t rank, Op op, const std::vector<std::uint32_t>& requests) {
  Event event = call(op);
  if (op == Op::wait || op == Op::test)
    event.request = requests.front();
  else
    event.extras.set_requests(requests);
  if (kind_of(op) == OpKind::test) event.flag = 1;
  emit(rank, std::move(event));
}

void Builder::complete(std::int32_t rank) {
  auto& open = open_[{rank, thread_}];
  if (open.empty()) return;
  std::vector<std::uint32_t> requests = std::exchange(open, {});
  if (one_in(2)) std::reverse(requests.begin(), requests.end());
  switch (below(7)) {
    case 0: return wait_for(rank, Op::waitall, requests);
    case 1: return wait_for(rank, Op::testall, requests);
    case 2:
      for (std::size_t i = 0; i < requests.size(); ++i) wait_for(rank, Op::waitany, requests);
      return;
    case 3:
      if (requests.size() > 1) wait_for(rank, Op::waitsome, requests);
      return wait_for(rank, Op::waitall, requests);
    case 4: {
      Event failed = call(Op::test);
      failed.request = requests.front();
      failed.flag = 0;
      emit(rank, failed);
      [[fallthrough]];
    }
    default: {
      const Op op = one_in(4) ? Op::test : Op::wait;
      for (const std::uint32_t request : requests) wait_for(rank, op, {request});
    }
  }
}

void Builder::complete_all() {
  for (std::int32_t rank = 0; rank < world(); ++rank)
    for (std::int32_t thread = 0; thread < 2; ++thread) {
      on_thread(thread);
      complete(rank);
    }
  on_thread(0);
}

}  // namespace petri::test
