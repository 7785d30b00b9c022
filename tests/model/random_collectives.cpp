// Random actions of whole groups: collectives, creation of communicators, windows, files.
#include <numeric>
#include <string_view>

#include "tests/model/random_builder.hpp"

namespace petri::test {
namespace {

// Arguments of one collective, the same on all members where they must be.
struct Shape {
  std::int32_t root;
  std::int64_t count;
  std::vector<std::int64_t> counts;
};

Shape random_shape(Builder& builder, std::int32_t comm) {
  const auto size = static_cast<int>(builder.members(comm).size());
  Shape shape{builder.below(size), 1 + builder.below(2), {}};
  for (int i = 0; i < size; ++i) shape.counts.push_back(1 + builder.below(2));
  return shape;
}

Event shaped(Op op, std::int32_t comm, const Shape& shape, std::int32_t member) {
  Event event = Builder::call(op, comm);
  const std::string_view family = info(op).family;
  if (family == "barrier") return event;
  const std::int64_t own = shape.counts[static_cast<std::size_t>(member)];
  event.dtype = ElementType::int32;
  if (is_rooted(op)) event.root = shape.root;
  if (reduces(op)) event.reduce = ReduceOp::sum;
  const bool at_root = member == shape.root;
  if (family == "gatherv" || family == "scatterv" || family == "allgatherv") {
    event.count = own;
    if (family == "allgatherv" || (family == "gatherv" && at_root)) event.extras.set_recvcounts(shape.counts);
    if (family == "scatterv" && at_root) event.extras.set_sendcounts(shape.counts);
  } else if (family == "alltoallv" || family == "alltoallw") {
    if (family == "alltoallw") event.dtype = ElementType::unknown;  // it has one for each partner
    event.extras.set_sendcounts(std::vector(shape.counts.size(), own));
    event.extras.set_recvcounts(shape.counts);
  } else if (family == "reduce_scatter") {
    event.extras.set_counts(shape.counts);
  } else {
    event.count = shape.count;
  }
  return event;
}

void begin_everywhere(Builder& builder, const Event& event) {
  for (const std::int32_t rank : builder.members(event.comm)) builder.begin(rank, event);
}

Event of_window(Op op, const std::string& win) {
  Event event = Builder::call(op);
  event.extras.set_win(win);
  return event;
}

Event transfer(Builder& builder, const std::string& win, std::int32_t target) {
  static constexpr Op kOps[] = {Op::put, Op::get, Op::accumulate};
  Event event = of_window(builder.one_of(kOps), win);
  event.extras.set_target(target);
  event.extras.set_disp(builder.new_place());
  event.count = 1;
  event.dtype = ElementType::int32;
  if (event.op == Op::accumulate) event.reduce = ReduceOp::sum;
  return event;
}

}  // namespace

void add_collective(Builder& builder, std::int32_t comm) {
  // clang-format off
  static constexpr Op kOps[] = {
      Op::barrier, Op::barrier, Op::bcast, Op::reduce, Op::allreduce, Op::gather, Op::scatter, Op::allgather,
      Op::alltoall, Op::scan, Op::exscan, Op::gatherv, Op::scatterv, Op::allgatherv, Op::alltoallv, Op::alltoallw,
      Op::reduce_scatter, Op::reduce_scatter_block,
      Op::ibarrier, Op::ibcast, Op::ireduce, Op::iallreduce, Op::igather, Op::iscatter, Op::iallgather, Op::ialltoall,
      Op::iscan, Op::iexscan, Op::igatherv, Op::iscatterv, Op::iallgatherv, Op::ialltoallv, Op::ialltoallw,
      Op::ireduce_scatter, Op::ireduce_scatter_block};
  // clang-format on
  const Op op = builder.one_of(kOps);
  const Shape shape = random_shape(builder, comm);
  const auto ranks = builder.members(comm);
  for (std::size_t member = 0; member < ranks.size(); ++member)
    builder.begin(ranks[member], shaped(op, comm, shape, static_cast<std::int32_t>(member)));
}

void add_persistent_collective(Builder& builder) {
  const std::int32_t comm = builder.any_comm();
  static constexpr Op kOps[] = {Op::barrier_init, Op::bcast_init,     Op::allreduce_init, Op::scan_init,
                                Op::reduce_init,  Op::gather_init,    Op::allgather_init, Op::alltoall_init,
                                Op::exscan_init,  Op::allgatherv_init};
  const Op op = builder.one_of(kOps), second = builder.one_of(kOps);
  const Shape shape = random_shape(builder, comm);
  const auto ranks = builder.members(comm);
  const bool two = builder.one_in(2);
  for (std::size_t member = 0; member < ranks.size(); ++member) {
    const auto number = static_cast<std::int32_t>(member);
    const std::uint32_t one = builder.initialize(ranks[member], shaped(op, comm, shape, number));
    if (!two) {
      builder.start(ranks[member], one, builder.one_in(2));
      if (builder.one_in(2)) continue;
      builder.complete(ranks[member]);
      continue;
    }
    // Started in any order, since it is the inits that are matched.
    const std::uint32_t other = builder.initialize(ranks[member], shaped(second, comm, shape, number));
    const bool swapped = builder.one_in(2);
    builder.start(ranks[member], swapped ? other : one);
    builder.start(ranks[member], swapped ? one : other);
  }
}

std::int32_t add_creation(Builder& builder) {
  const std::int32_t parent = builder.any_comm();
  const auto ranks = builder.members(parent);
  static constexpr Op kOps[] = {Op::comm_dup, Op::comm_idup, Op::comm_split, Op::comm_create, Op::comm_create_group};
  const Op op = builder.one_of(kOps);
  const auto size = static_cast<std::int32_t>(ranks.size());
  const std::int32_t members = op == Op::comm_dup || op == Op::comm_idup ? size : 1 + builder.below(size);
  const std::int32_t comm = builder.declare("made", {ranks.begin(), ranks.begin() + members});
  const bool splits = op == Op::comm_split && members < size;
  const std::int32_t other = splits ? builder.declare("rest", {ranks.begin() + members, ranks.end()}) : kNoComm;
  std::vector<std::int32_t> named(static_cast<std::size_t>(members));
  std::iota(named.begin(), named.end(), 0);
  for (std::int32_t member = 0; member < size; ++member) {
    Event event = Builder::call(op, parent);
    event.extras.set_new_comm(member < members ? comm : other);
    if (op == Op::comm_split) event.extras.set_color(member < members ? 0 : 1);
    if (op == Op::comm_create || op == Op::comm_create_group) event.extras.set_ranks(named);
    if (op == Op::comm_create_group && member >= members) continue;
    builder.begin(ranks[static_cast<std::size_t>(member)], event);
    if (op == Op::comm_idup) builder.complete(ranks[static_cast<std::size_t>(member)]);
  }
  if (members > 1 && builder.one_in(2)) add_collective(builder, comm);
  if (!builder.one_in(3)) return comm;
  begin_everywhere(builder, Builder::call(Op::comm_free, comm));
  builder.freed(comm);
  return comm;
}

void add_intercommunicator(Builder& builder) {
  const std::int32_t left_size = 1 + builder.below(builder.world() - 1);
  const auto ranks = builder.members(0);
  const std::vector<std::int32_t> left{ranks.begin(), ranks.begin() + left_size},
      right{ranks.begin() + left_size, ranks.end()};
  const std::int32_t sides[] = {builder.declare("left", left), builder.declare("right", right)};
  const std::int32_t comm = builder.declare("between", left, right);
  const auto side_of = [&](std::int32_t rank) { return rank < left_size ? 0 : 1; };
  for (std::int32_t rank = 0; rank < builder.world(); ++rank) {
    Event create = Builder::call(Op::intercomm_create, sides[side_of(rank)]);
    create.root = 0;
    create.peer = side_of(rank) == 0 ? left_size : 0;
    create.tag = 7;
    create.extras.set_new_comm(comm);
    create.extras.set_remote("world");
    builder.emit(rank, create);
  }
  for (int calls = 1 + builder.below(2); calls > 0; --calls) {
    static constexpr Op kOps[] = {Op::send, Op::isend, Op::barrier, Op::bcast, Op::allreduce, Op::reduce, Op::ibarrier};
    const Op op = builder.one_of(kOps);
    const int giving = builder.below(2);
    const auto& from = giving == 0 ? left : right;
    const auto& to = giving == 0 ? right : left;
    const std::int32_t sender = builder.below(static_cast<int>(from.size())),
                       receiver = builder.below(static_cast<int>(to.size()));
    Event event = Builder::call(op, comm);
    if (op != Op::barrier && op != Op::ibarrier) event.count = 1, event.dtype = ElementType::int32;
    if (reduces(op)) event.reduce = ReduceOp::sum;
    if (kind_of(op) == OpKind::send) {
      event.peer = receiver;
      builder.begin(from[static_cast<std::size_t>(sender)], event);
      event.op = builder.one_in(2) ? Op::recv : Op::irecv;
      event.peer = sender;
      builder.begin(to[static_cast<std::size_t>(receiver)], event);
      continue;
    }
    for (std::int32_t rank = 0; rank < builder.world(); ++rank) {
      if (is_rooted(op))
        event.root = side_of(rank) != giving                          ? sender
                     : rank == from[static_cast<std::size_t>(sender)] ? kRootHere
                                                                      : kNull;
      builder.begin(rank, event);
    }
  }
  if (!builder.one_in(2)) return;
  const std::int32_t merged = builder.declare("merged", ranks);
  for (std::int32_t rank = 0; rank < builder.world(); ++rank) {
    Event merge = Builder::call(Op::intercomm_merge, comm);
    merge.extras.set_new_comm(merged);
    merge.extras.set_key(side_of(rank));
    builder.emit(rank, merge);
  }
}

void add_neighbours(Builder& builder) {
  const std::int32_t comm = builder.declare("graph", builder.members(0));
  std::vector<std::vector<std::int32_t>> sources(static_cast<std::size_t>(builder.world())), destinations = sources;
  for (std::int32_t from = 0; from < builder.world(); ++from)
    for (std::int32_t to = 0; to < builder.world(); ++to)
      if (from != to && builder.one_in(2)) {
        sources[static_cast<std::size_t>(to)].push_back(from);
        destinations[static_cast<std::size_t>(from)].push_back(to);
      }
  for (std::int32_t rank = 0; rank < builder.world(); ++rank) {
    Event create = Builder::call(Op::dist_graph_create_adjacent);
    create.extras.set_new_comm(comm);
    create.extras.set_sources(sources[static_cast<std::size_t>(rank)]);
    create.extras.set_destinations(destinations[static_cast<std::size_t>(rank)]);
    builder.emit(rank, create);
  }
  for (int calls = 1 + builder.below(2); calls > 0; --calls) {
    static constexpr Op kOps[] = {Op::neighbor_allgather, Op::neighbor_alltoall, Op::ineighbor_allgather,
                                  Op::ineighbor_alltoall};
    Event event = Builder::call(builder.one_of(kOps), comm);
    event.count = 1;
    event.dtype = ElementType::int32;
    begin_everywhere(builder, event);
    if (builder.one_in(3)) add_message(builder, 0, false);
  }
}

void add_fences(Builder& builder) {
  const std::string win = "win";
  begin_everywhere(builder, of_window(Op::win_create, win));
  Event fence = of_window(Op::win_fence, win);
  if (builder.one_in(2)) fence.extras.set_assertions("noprecede");
  begin_everywhere(builder, fence);
  for (int epochs = 1 + builder.below(2); epochs > 0; --epochs) {
    if (builder.one_in(2)) {
      const std::int32_t rank = builder.below(builder.world());
      builder.emit(rank, transfer(builder, win, builder.below(builder.world())));
    }
    if (builder.one_in(4)) add_message(builder, 0, false);
    begin_everywhere(builder, of_window(Op::win_fence, win));
  }
  if (builder.one_in(2)) begin_everywhere(builder, of_window(Op::win_free, win));
}

void add_exposures(Builder& builder) {
  const std::string win = "win";
  begin_everywhere(builder, of_window(Op::win_create, win));
  for (int epochs = 1 + builder.below(2); epochs > 0; --epochs) {
    const bool both_ways = builder.one_in(3);
    const std::int32_t target = builder.below(builder.world());
    const std::int32_t origin = (target + 1 + builder.below(builder.world() - 1)) % builder.world();
    const auto epoch = [&](Op op, std::int32_t rank, std::int32_t named) {
      Event event = of_window(op, win);
      if (named >= 0) event.extras.set_ranks({named});
      builder.emit(rank, event);
    };
    epoch(Op::win_post, target, origin);
    if (both_ways) epoch(Op::win_post, origin, target), epoch(Op::win_start, target, origin);
    epoch(Op::win_start, origin, target);
    builder.emit(origin, transfer(builder, win, target));
    if (both_ways) epoch(Op::win_complete, target, -1);
    epoch(Op::win_complete, origin, -1);
    if (both_ways) epoch(Op::win_wait, origin, -1);
    epoch(Op::win_wait, target, -1);
    if (builder.one_in(4)) add_message(builder, 0, false);
  }
}

void add_locks(Builder& builder) {
  const std::string win = "win";
  begin_everywhere(builder, of_window(Op::win_allocate, win));
  const bool barrier = builder.one_in(4), nested = builder.one_in(4);
  if (barrier || nested) builder.not_legal();
  for (std::int32_t rank = 0; rank < builder.world(); ++rank) {
    if (builder.one_in(4)) continue;
    const bool all = builder.one_in(4);
    const std::int32_t target = builder.below(builder.world());
    Event lock = of_window(all ? Op::win_lock_all : Op::win_lock, win),
          unlock = of_window(all ? Op::win_unlock_all : Op::win_unlock, win);
    if (!all) {
      lock.extras.set_lock(builder.one_in(3) ? "shared" : "exclusive");
      for (Event* one : {&lock, &unlock}) one->extras.set_target(target);
    }
    builder.emit(rank, lock);
    if (builder.one_in(2)) builder.emit(rank, transfer(builder, win, target));
    if (nested && !all && builder.one_in(2)) {
      Event inner = lock, out = unlock;
      for (Event* one : {&inner, &out}) one->extras.set_target((target + 1) % builder.world());
      builder.emit(rank, inner);
      builder.emit(rank, out);
    }
    if (builder.one_in(3)) {
      Event flush = of_window(all ? Op::win_flush_all : Op::win_flush, win);
      if (!all) flush.extras.set_target(target);
      builder.emit(rank, flush);
    }
    if (barrier) builder.emit(rank, Builder::call(Op::barrier));
    builder.emit(rank, unlock);
  }
}

void add_files(Builder& builder) {
  const auto of_file = [](Op op) {
    Event event = Builder::call(op);
    event.extras.set_file("out");
    return event;
  };
  Event open = of_file(Op::file_open);
  open.extras.set_path("out.dat");
  open.extras.set_mode("create,rdwr");
  begin_everywhere(builder, open);
  for (int calls = 1 + builder.below(3); calls > 0; --calls) {
    static constexpr Op kOps[] = {Op::file_set_view,   Op::file_sync,         Op::file_write_all,    Op::file_read_all,
                                  Op::file_iwrite_all, Op::file_write_at_all, Op::file_write_ordered};
    const Op op = builder.one_of(kOps);
    const bool needs_rest = op == Op::file_set_view || op == Op::file_sync;  // MPI 4.1, sections 14.3 and 14.6.1
    for (std::int32_t rank = 0; needs_rest && rank < builder.world(); ++rank) builder.complete(rank);
    begin_everywhere(builder, of_file(op));
    if (builder.one_in(4))
      begin_everywhere(builder, of_file(Op::file_write_all_begin)),
          begin_everywhere(builder, of_file(Op::file_write_all_end));
    if (builder.one_in(4)) add_message(builder, 0, false);
  }
  for (std::int32_t rank = 0; rank < builder.world(); ++rank) builder.complete(rank);
  begin_everywhere(builder, of_file(Op::file_close));
}

}  // namespace petri::test
