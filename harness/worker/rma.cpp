// Accesses to other ranks' windows (MPI 4.1, section 12.3).
#include <array>

#include "harness/worker/arguments.hpp"
#include "harness/worker/perform.hpp"
#include "harness/worker/plan/memory.hpp"
#include "harness/worker/types.hpp"

namespace petri {
namespace {

// The arguments of one access. Its buffers live until the rank synchronizes with the target, or as long as the request.
class Access {
 public:
  Access(Replayer& replayer, const Event& event)
      : shape_{event.count == kUnknownCount ? 1 : static_cast<int>(event.count), event.dtype},
        window_(replayer.window(event)),
        replayer_(replayer),
        event_(event) {
    count = shape_.count;
    type = mpi_type(shape_.type);
    target = mpi_rank(event.extras.target().value_or(0));
    at = window_.address(target, event.extras.disp().value_or(0));
    op = mpi_op(event.reduce, shape_.type);
    window = window_.handle;
  }

  int count, target;
  MPI_Datatype type;
  MPI_Aint at;
  MPI_Op op;
  MPI_Win window;

  void* origin() {
    return kept(payload_of(event_, replayer_.rank(), shape_.type, static_cast<std::size_t>(shape_.count)));
  }
  void* result() { return kept(Bytes(bytes_of_element(shape_.type) * static_cast<std::size_t>(shape_.count))); }
  MPI_Request* request() { return &replayer_.request(event_.request); }

 private:
  void* kept(Bytes bytes) {
    return form_of(event_.op) == OpForm::nonblocking ? replayer_.keep(event_, std::move(bytes))
                                                     : window_.keep(target, std::move(bytes));
  }

  Shape shape_;
  Window& window_;
  Replayer& replayer_;
  const Event& event_;
};

void put(Access& a) {
  MPI_Put(a.origin(), a.count, a.type, a.target, a.at, a.count, a.type, a.window);
}
void rput(Access& a) {
  MPI_Rput(a.origin(), a.count, a.type, a.target, a.at, a.count, a.type, a.window, a.request());
}
void get(Access& a) {
  MPI_Get(a.result(), a.count, a.type, a.target, a.at, a.count, a.type, a.window);
}
void rget(Access& a) {
  MPI_Rget(a.result(), a.count, a.type, a.target, a.at, a.count, a.type, a.window, a.request());
}
void accumulate(Access& a) {
  MPI_Accumulate(a.origin(), a.count, a.type, a.target, a.at, a.count, a.type, a.op, a.window);
}
void raccumulate(Access& a) {
  MPI_Raccumulate(a.origin(), a.count, a.type, a.target, a.at, a.count, a.type, a.op, a.window, a.request());
}
void get_accumulate(Access& a) {
  MPI_Get_accumulate(a.origin(), a.count, a.type, a.result(), a.count, a.type, a.target, a.at, a.count, a.type, a.op,
                     a.window);
}
void rget_accumulate(Access& a) {
  MPI_Rget_accumulate(a.origin(), a.count, a.type, a.result(), a.count, a.type, a.target, a.at, a.count, a.type, a.op,
                      a.window, a.request());
}
void fetch_and_op(Access& a) {
  MPI_Fetch_and_op(a.origin(), a.result(), a.type, a.target, a.at, a.op, a.window);
}
void compare_and_swap(Access& a) {
  MPI_Compare_and_swap(a.origin(), a.origin(), a.result(), a.type, a.target, a.at, a.window);
}

template <void (*call)(Access&)>
void perform(Replayer& replayer, const Event& event) {
  Access access(replayer, event);
  call(access);
}

constexpr std::array kTable{
    PerformerRow{Op::put, perform<put>},
    PerformerRow{Op::rput, perform<rput>},
    PerformerRow{Op::get, perform<get>},
    PerformerRow{Op::rget, perform<rget>},
    PerformerRow{Op::accumulate, perform<accumulate>},
    PerformerRow{Op::raccumulate, perform<raccumulate>},
    PerformerRow{Op::get_accumulate, perform<get_accumulate>},
    PerformerRow{Op::rget_accumulate, perform<rget_accumulate>},
    PerformerRow{Op::fetch_and_op, perform<fetch_and_op>},
    PerformerRow{Op::compare_and_swap, perform<compare_and_swap>},
};

}  // namespace

std::span<const PerformerRow> rma_table() {
  return kTable;
}

}  // namespace petri
