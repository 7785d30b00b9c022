// Collectives, blocking and nonblocking (MPI 4.1, chapter 6).
#include <array>
#include <numeric>

#include "harness/worker/arguments.hpp"
#include "harness/worker/perform.hpp"
#include "harness/worker/types.hpp"

namespace petri {
namespace {

// Counts and displacements of a v-variant, one for each member.
struct Layout {
  std::vector<int> counts, displacements;
  std::size_t total = 0;

  // `listed` where it has an entry for each member, else `each` everywhere; `unit` is what displacements count in.
  Layout(const std::vector<std::int64_t>& listed, int each, int members, int unit = 1) {
    const bool known = listed.size() == static_cast<std::size_t>(members);
    for (int member = 0; member < members; ++member) {
      counts.push_back(known ? static_cast<int>(listed[static_cast<std::size_t>(member)]) : each);
      displacements.push_back(static_cast<int>(total) * unit);
      total += static_cast<std::size_t>(counts.back());
    }
  }
};

const std::vector<std::int64_t>& first_known(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  return a.empty() ? b : a;
}

// One call, whatever its form: arguments, buffers with the right lifetime, and where the request goes.
class Call {
 public:
  Call(Replayer& replayer, const Event& event) : replayer_(replayer), event_(event) {
    const EventExtras& extras = event.extras.get();
    const Shape shape = replayer.shape_of(event);
    const ElementType known = shape.type;
    out_ = {extras.sendcount != kUnknownCount ? static_cast<int>(extras.sendcount) : shape.count,
            extras.sendtype != ElementType::unknown ? extras.sendtype : known};
    in_ = {extras.recvcount != kUnknownCount ? static_cast<int>(extras.recvcount) : shape.count,
           extras.recvtype != ElementType::unknown ? extras.recvtype : known};
    comm = replayer.comm_of(event);
    PMPI_Comm_size(comm, &members);
    root = event.root == kUnset ? 0 : mpi_rank(event.root);
    send_count = out_.count;
    recv_count = in_.count;
    send_type = mpi_type(out_.type);
    recv_type = mpi_type(in_.type);
    op = mpi_op(event.reduce, known);
    request = form_of(event.op) == OpForm::nonblocking ? &replayer.request(event.request) : nullptr;
  }

  MPI_Comm comm;
  int members = 0;
  int root, send_count, recv_count;
  MPI_Datatype send_type, recv_type;
  MPI_Op op;
  MPI_Request* request;  // null: the blocking form

  void* sent(std::size_t elements) { return kept(payload_of(event_, replayer_.rank(), out_.type, elements)); }
  void* room(std::size_t elements) { return kept(Bytes(elements * bytes_of(in_.type))); }
  void* sent() { return sent(static_cast<std::size_t>(send_count)); }
  void* room() { return room(static_cast<std::size_t>(recv_count)); }
  std::size_t of_all(int count) const { return static_cast<std::size_t>(count) * static_cast<std::size_t>(members); }
  static std::size_t bytes_of(ElementType type) { return size_of(type) == 0 ? sizeof(std::int32_t) : size_of(type); }

  // The lists live as long as the buffers: a nonblocking call reads them until it is complete (MPI 4.1, section 6.12).
  struct Lists {
    int* counts;
    int* displacements;
    std::size_t total;
  };
  Lists lists(const Layout& layout) { return {ints(layout.counts), ints(layout.displacements), layout.total}; }
  Lists sent_to_each(int unit = 1) {
    return lists(Layout(first_known(event_.extras->sendcounts, event_.extras->counts), send_count, members, unit));
  }
  Lists received_from_each(int unit = 1) {
    return lists(Layout(first_known(event_.extras->recvcounts, event_.extras->counts), recv_count, members, unit));
  }
  MPI_Datatype* types(MPI_Datatype type) {
    Bytes bytes(static_cast<std::size_t>(members) * sizeof(MPI_Datatype));
    auto* kept_types = static_cast<MPI_Datatype*>(kept(std::move(bytes)));
    for (int member = 0; member < members; ++member) kept_types[member] = type;
    return kept_types;
  }
  int unit_sent() const { return static_cast<int>(bytes_of(out_.type)); }
  int unit_received() const { return static_cast<int>(bytes_of(in_.type)); }
  // What this rank itself sends or receives of a list, where its own count is not recorded.
  int own(const Lists& list) const {
    int me = 0;
    PMPI_Comm_rank(comm, &me);
    return event_.count != kUnknownCount ? static_cast<int>(event_.count) : list.counts[me];
  }

 private:
  void* kept(Bytes bytes) { return replayer_.keep(event_, std::move(bytes)); }
  int* ints(const std::vector<int>& values) {
    Bytes bytes(values.size() * sizeof(int));
    auto* copy = static_cast<int*>(kept(std::move(bytes)));
    std::copy(values.begin(), values.end(), copy);
    return copy;
  }

  Replayer& replayer_;
  const Event& event_;
  Shape out_, in_;
};

void barrier(Call& c) {
  c.request ? MPI_Ibarrier(c.comm, c.request) : MPI_Barrier(c.comm);
}

void bcast(Call& c) {
  void* data = c.sent();
  c.request ? MPI_Ibcast(data, c.send_count, c.send_type, c.root, c.comm, c.request)
            : MPI_Bcast(data, c.send_count, c.send_type, c.root, c.comm);
}

void reduce(Call& c) {
  void *in = c.sent(), *out = c.room();
  c.request ? MPI_Ireduce(in, out, c.send_count, c.send_type, c.op, c.root, c.comm, c.request)
            : MPI_Reduce(in, out, c.send_count, c.send_type, c.op, c.root, c.comm);
}

void allreduce(Call& c) {
  void *in = c.sent(), *out = c.room();
  c.request ? MPI_Iallreduce(in, out, c.send_count, c.send_type, c.op, c.comm, c.request)
            : MPI_Allreduce(in, out, c.send_count, c.send_type, c.op, c.comm);
}

void gather(Call& c) {
  void *in = c.sent(), *out = c.room(c.of_all(c.recv_count));
  c.request ? MPI_Igather(in, c.send_count, c.send_type, out, c.recv_count, c.recv_type, c.root, c.comm, c.request)
            : MPI_Gather(in, c.send_count, c.send_type, out, c.recv_count, c.recv_type, c.root, c.comm);
}

void gatherv(Call& c) {
  const Call::Lists from = c.received_from_each();
  void *in = c.sent(), *out = c.room(from.total);
  c.request
      ? MPI_Igatherv(in, c.send_count, c.send_type, out, from.counts, from.displacements, c.recv_type, c.root, c.comm,
                     c.request)
      : MPI_Gatherv(in, c.send_count, c.send_type, out, from.counts, from.displacements, c.recv_type, c.root, c.comm);
}

void scatter(Call& c) {
  void *in = c.sent(c.of_all(c.send_count)), *out = c.room();
  c.request ? MPI_Iscatter(in, c.send_count, c.send_type, out, c.recv_count, c.recv_type, c.root, c.comm, c.request)
            : MPI_Scatter(in, c.send_count, c.send_type, out, c.recv_count, c.recv_type, c.root, c.comm);
}

void scatterv(Call& c) {
  const Call::Lists to = c.sent_to_each();
  void *in = c.sent(to.total), *out = c.room();
  c.request
      ? MPI_Iscatterv(in, to.counts, to.displacements, c.send_type, out, c.recv_count, c.recv_type, c.root, c.comm,
                      c.request)
      : MPI_Scatterv(in, to.counts, to.displacements, c.send_type, out, c.recv_count, c.recv_type, c.root, c.comm);
}

void allgather(Call& c) {
  void *in = c.sent(), *out = c.room(c.of_all(c.recv_count));
  c.request ? MPI_Iallgather(in, c.send_count, c.send_type, out, c.recv_count, c.recv_type, c.comm, c.request)
            : MPI_Allgather(in, c.send_count, c.send_type, out, c.recv_count, c.recv_type, c.comm);
}

void allgatherv(Call& c) {
  const Call::Lists from = c.received_from_each();
  const int own = c.own(from);
  void *in = c.sent(static_cast<std::size_t>(own)), *out = c.room(from.total);
  c.request
      ? MPI_Iallgatherv(in, own, c.send_type, out, from.counts, from.displacements, c.recv_type, c.comm, c.request)
      : MPI_Allgatherv(in, own, c.send_type, out, from.counts, from.displacements, c.recv_type, c.comm);
}

void alltoall(Call& c) {
  void *in = c.sent(c.of_all(c.send_count)), *out = c.room(c.of_all(c.recv_count));
  c.request ? MPI_Ialltoall(in, c.send_count, c.send_type, out, c.recv_count, c.recv_type, c.comm, c.request)
            : MPI_Alltoall(in, c.send_count, c.send_type, out, c.recv_count, c.recv_type, c.comm);
}

void alltoallv(Call& c) {
  const Call::Lists to = c.sent_to_each(), from = c.received_from_each();
  void *in = c.sent(to.total), *out = c.room(from.total);
  c.request ? MPI_Ialltoallv(in, to.counts, to.displacements, c.send_type, out, from.counts, from.displacements,
                             c.recv_type, c.comm, c.request)
            : MPI_Alltoallv(in, to.counts, to.displacements, c.send_type, out, from.counts, from.displacements,
                            c.recv_type, c.comm);
}

void alltoallw(Call& c) {
  const Call::Lists to = c.sent_to_each(c.unit_sent()), from = c.received_from_each(c.unit_received());
  MPI_Datatype *send_types = c.types(c.send_type), *recv_types = c.types(c.recv_type);
  void *in = c.sent(to.total), *out = c.room(from.total);
  c.request ? MPI_Ialltoallw(in, to.counts, to.displacements, send_types, out, from.counts, from.displacements,
                             recv_types, c.comm, c.request)
            : MPI_Alltoallw(in, to.counts, to.displacements, send_types, out, from.counts, from.displacements,
                            recv_types, c.comm);
}

void reduce_scatter(Call& c) {
  const Call::Lists each = c.received_from_each();
  void *in = c.sent(each.total), *out = c.room(each.total);
  c.request ? MPI_Ireduce_scatter(in, out, each.counts, c.send_type, c.op, c.comm, c.request)
            : MPI_Reduce_scatter(in, out, each.counts, c.send_type, c.op, c.comm);
}

void reduce_scatter_block(Call& c) {
  void *in = c.sent(c.of_all(c.recv_count)), *out = c.room();
  c.request ? MPI_Ireduce_scatter_block(in, out, c.recv_count, c.send_type, c.op, c.comm, c.request)
            : MPI_Reduce_scatter_block(in, out, c.recv_count, c.send_type, c.op, c.comm);
}

void scan(Call& c) {
  void *in = c.sent(), *out = c.room();
  c.request ? MPI_Iscan(in, out, c.send_count, c.send_type, c.op, c.comm, c.request)
            : MPI_Scan(in, out, c.send_count, c.send_type, c.op, c.comm);
}

void exscan(Call& c) {
  void *in = c.sent(), *out = c.room();
  c.request ? MPI_Iexscan(in, out, c.send_count, c.send_type, c.op, c.comm, c.request)
            : MPI_Exscan(in, out, c.send_count, c.send_type, c.op, c.comm);
}

template <void (*call)(Call&)>
void perform(Replayer& replayer, const Event& event) {
  Call described(replayer, event);
  call(described);
}

constexpr std::array kTable{
#define PETRI_BOTH_FORMS(name) PerformerRow{Op::name, perform<name>}, PerformerRow{Op::i##name, perform<name>}
    PETRI_BOTH_FORMS(barrier),   PETRI_BOTH_FORMS(bcast),
    PETRI_BOTH_FORMS(reduce),    PETRI_BOTH_FORMS(allreduce),
    PETRI_BOTH_FORMS(gather),    PETRI_BOTH_FORMS(gatherv),
    PETRI_BOTH_FORMS(scatter),   PETRI_BOTH_FORMS(scatterv),
    PETRI_BOTH_FORMS(allgather), PETRI_BOTH_FORMS(allgatherv),
    PETRI_BOTH_FORMS(alltoall),  PETRI_BOTH_FORMS(alltoallv),
    PETRI_BOTH_FORMS(alltoallw), PETRI_BOTH_FORMS(reduce_scatter),
    PETRI_BOTH_FORMS(scan),      PETRI_BOTH_FORMS(reduce_scatter_block),
    PETRI_BOTH_FORMS(exscan),
#undef PETRI_BOTH_FORMS
};

}  // namespace

std::span<const PerformerRow> collective_table() {
  return kTable;
}

}  // namespace petri
