#include "harness/worker/collective_call.hpp"

#include <cstring>

#include "harness/worker/arguments.hpp"
#include "harness/worker/plan/memory.hpp"
#include "harness/worker/types.hpp"

namespace petri {
namespace {

const std::vector<std::int64_t>& first_known(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  return a.empty() ? b : a;
}

}  // namespace

CollectiveCall::CollectiveCall(Replayer& replayer, const Event& event) : replayer_(replayer), event_(event) {
  const EventExtras& extras = event.extras;
  const Shape shape = replayer.shape_of(event);
  out_ = {extras.sendcount() != kUnknownCount ? static_cast<int>(extras.sendcount()) : shape.count,
          or_else(extras.sendtype(), shape.type)};
  in_ = {extras.recvcount() != kUnknownCount ? static_cast<int>(extras.recvcount()) : shape.count,
         or_else(extras.recvtype(), shape.type)};
  comm = replayer.comm_of(event);
  root = event.root == kUnset ? 0 : mpi_rank(event.root);
  send_count = out_.count;
  recv_count = in_.count;
  send_type = mpi_type(out_.type);
  recv_type = mpi_type(in_.type);
  op = mpi_op(event.reduce, shape.type);
  PMPI_Comm_size(comm, &members);
  learn_blocks();
}

void CollectiveCall::learn_blocks() {
  if ((info(event_.op).traits & kNeighbor) != 0) {
    learn_neighbours();
    return;
  }
  destinations = sources = members;
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  if (inter == 0) return;
  PMPI_Comm_remote_size(comm, &destinations);
  sources = destinations;
}

void CollectiveCall::learn_neighbours() {
  int kind = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) {
    // Two for each dimension, also at an edge (MPI 4.1, section 8.6).
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    sources = destinations = 2 * dimensions;
  } else if (kind == MPI_DIST_GRAPH) {
    int weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &sources, &destinations, &weighted);
  }
}

void* CollectiveCall::sent(std::size_t elements) {
  return replayer_.keep(event_, payload_of(event_, replayer_.rank(), out_.type, elements));
}

void* CollectiveCall::room(std::size_t elements) {
  return replayer_.keep(event_, Bytes(elements * bytes_of_element(in_.type)));
}

template <class T>
T* CollectiveCall::kept(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return static_cast<T*>(replayer_.keep(event_, std::move(bytes)));
}

// `listed` where it has an entry for each block, else `each` everywhere; `unit` is what displacements count in.
template <class Displacement>
CollectiveCall::Layout<Displacement> CollectiveCall::layout(const std::vector<std::int64_t>& listed, int each,
                                                            int blocks, std::size_t unit) {
  const bool known = listed.size() == static_cast<std::size_t>(blocks);
  std::vector<int> counts;
  std::vector<Displacement> displacements;
  std::size_t total = 0;
  for (std::size_t block = 0; block < static_cast<std::size_t>(blocks); ++block) {
    counts.push_back(known ? static_cast<int>(listed[block]) : each);
    displacements.push_back(static_cast<Displacement>(total * unit));
    total += static_cast<std::size_t>(counts.back());
  }
  return {kept(counts), kept(displacements), total};
}

CollectiveCall::Layout<int> CollectiveCall::sent_to_each() {
  return layout<int>(first_known(event_.extras.sendcounts(), event_.extras.counts()), send_count, destinations, 1);
}

CollectiveCall::Layout<int> CollectiveCall::received_from_each() {
  return layout<int>(first_known(event_.extras.recvcounts(), event_.extras.counts()), recv_count, sources, 1);
}

CollectiveCall::Layout<int> CollectiveCall::scattered_to_each() {
  return layout<int>(first_known(event_.extras.recvcounts(), event_.extras.counts()), recv_count, members, 1);
}

template <class Displacement>
CollectiveCall::Layout<Displacement> CollectiveCall::bytes_to_each() {
  return layout<Displacement>(first_known(event_.extras.sendcounts(), event_.extras.counts()), send_count, destinations,
                              bytes_of_element(out_.type));
}

template <class Displacement>
CollectiveCall::Layout<Displacement> CollectiveCall::bytes_from_each() {
  return layout<Displacement>(first_known(event_.extras.recvcounts(), event_.extras.counts()), recv_count, sources,
                              bytes_of_element(in_.type));
}

MPI_Datatype* CollectiveCall::types(MPI_Datatype type, int blocks) {
  return kept(std::vector<MPI_Datatype>(static_cast<std::size_t>(blocks), type));
}

int CollectiveCall::own(std::int64_t recorded, const Layout<int>& list) const {
  const std::int64_t known = recorded != kUnknownCount ? recorded : event_.count;
  if (known != kUnknownCount) return static_cast<int>(known);
  int me = 0, inter = 0;
  PMPI_Comm_rank(comm, &me);
  PMPI_Comm_test_inter(comm, &inter);
  return inter == 0 && me < members ? list.counts[me] : send_count;
}

template CollectiveCall::Layout<int> CollectiveCall::bytes_to_each<int>();
template CollectiveCall::Layout<int> CollectiveCall::bytes_from_each<int>();
template CollectiveCall::Layout<MPI_Aint> CollectiveCall::bytes_to_each<MPI_Aint>();
template CollectiveCall::Layout<MPI_Aint> CollectiveCall::bytes_from_each<MPI_Aint>();

}  // namespace petri
