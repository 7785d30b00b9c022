// Init, finalize, abort; and the datatypes' end, which the recorder must hear of.
#include "harness/record/handles.hpp"
#include "harness/record/recorder.hpp"

using namespace petri;
using namespace petri::record;

namespace {

template <class Init>
int initialize(Op op, const void* site, const Init& init) {
  open_record();
  Call call(op, site);
  call.begin();
  const int status = init();
  if (call.active() && status == MPI_SUCCESS) learn_world();
  return call.end(status);
}

}  // namespace

PETRI_MPI(Init)(int* argc, char*** argv) {
  return initialize(Op::init, PETRI_SITE, [=] { return real::Init(argc, argv); });
}

PETRI_MPI(Init_thread)(int* argc, char*** argv, int required, int* provided) {
  return initialize(Op::init_thread, PETRI_SITE, [=] { return real::Init_thread(argc, argv, required, provided); });
}

PETRI_MPI(Finalize)() {
  if (!records_here()) return real::Finalize();
  Call call(Op::finalize, PETRI_SITE);
  call.begin();
  const int status = call.end(real::Finalize());
  close_record();
  return status;
}

PETRI_MPI(Abort)(MPI_Comm comm, int code) {
  Call call(Op::abort, PETRI_SITE, comm);
  call.begin();
  if (state.recording) note_end(Ended::aborted, code);  // also where an error handler ends the process, within a call
  return call.end(real::Abort(comm, code));
}

// Outside the record: a freed handle may come back for another type.
PETRI_MPI(Type_free)(MPI_Datatype* type) {
  if (state.recording) {
    const Locked locked;
    forget_type(*type);
  }
  return real::Type_free(type);
}
