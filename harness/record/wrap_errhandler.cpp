// The program's own error handlers, MPI 4.1 section 9.3. Those written in Fortran are made by another way and not seen.
#include "harness/record/errors.hpp"
#include "harness/record/real_mpi.hpp"

using namespace petri::record;

namespace {

template <class Function>
Function* with_record(Function* handler) {
  return reinterpret_cast<Function*>(watched(reinterpret_cast<Handler*>(handler)));
}

}  // namespace

PETRI_MPI(Comm_create_errhandler)(MPI_Comm_errhandler_function* function, MPI_Errhandler* handler) {
  return real::Comm_create_errhandler(with_record(function), handler);
}

PETRI_MPI(File_create_errhandler)(MPI_File_errhandler_function* function, MPI_Errhandler* handler) {
  return real::File_create_errhandler(with_record(function), handler);
}

PETRI_MPI(Win_create_errhandler)(MPI_Win_errhandler_function* function, MPI_Errhandler* handler) {
  return real::Win_create_errhandler(with_record(function), handler);
}
