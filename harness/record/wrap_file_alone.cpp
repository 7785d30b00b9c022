// Files, MPI 4.1 chapter 14: what a process does alone. It blocks for nobody and makes no event, but a library may
// build it from other calls of MPI, which are not the program's.
#include "harness/record/recorder.hpp"

using namespace petri::record;

namespace {

template <class FileCall>
int alone(const FileCall& call) {
  return records_here() ? within_call(call) : call();
}

}  // namespace

PETRI_MPI(File_read)(MPI_File file, void* buf, int count, MPI_Datatype type, MPI_Status* status) {
  return alone([=] { return real::File_read(file, buf, count, type, status); });
}

PETRI_MPI(File_iread)(MPI_File file, void* buf, int count, MPI_Datatype type, MPI_Request* request) {
  return alone([=] { return real::File_iread(file, buf, count, type, request); });
}

PETRI_MPI(File_read_at)(MPI_File file, MPI_Offset offset, void* buf, int count, MPI_Datatype type, MPI_Status* status) {
  return alone([=] { return real::File_read_at(file, offset, buf, count, type, status); });
}

PETRI_MPI(File_iread_at)(MPI_File file, MPI_Offset offset, void* buf, int count, MPI_Datatype type,
                         MPI_Request* request) {
  return alone([=] { return real::File_iread_at(file, offset, buf, count, type, request); });
}

PETRI_MPI(File_read_shared)(MPI_File file, void* buf, int count, MPI_Datatype type, MPI_Status* status) {
  return alone([=] { return real::File_read_shared(file, buf, count, type, status); });
}

PETRI_MPI(File_iread_shared)(MPI_File file, void* buf, int count, MPI_Datatype type, MPI_Request* request) {
  return alone([=] { return real::File_iread_shared(file, buf, count, type, request); });
}

PETRI_MPI(File_write)(MPI_File file, const void* buf, int count, MPI_Datatype type, MPI_Status* status) {
  return alone([=] { return real::File_write(file, buf, count, type, status); });
}

PETRI_MPI(File_iwrite)(MPI_File file, const void* buf, int count, MPI_Datatype type, MPI_Request* request) {
  return alone([=] { return real::File_iwrite(file, buf, count, type, request); });
}

PETRI_MPI(File_write_at)(MPI_File file, MPI_Offset offset, const void* buf, int count, MPI_Datatype type,
                         MPI_Status* status) {
  return alone([=] { return real::File_write_at(file, offset, buf, count, type, status); });
}

PETRI_MPI(File_iwrite_at)(MPI_File file, MPI_Offset offset, const void* buf, int count, MPI_Datatype type,
                          MPI_Request* request) {
  return alone([=] { return real::File_iwrite_at(file, offset, buf, count, type, request); });
}

PETRI_MPI(File_write_shared)(MPI_File file, const void* buf, int count, MPI_Datatype type, MPI_Status* status) {
  return alone([=] { return real::File_write_shared(file, buf, count, type, status); });
}

PETRI_MPI(File_iwrite_shared)(MPI_File file, const void* buf, int count, MPI_Datatype type, MPI_Request* request) {
  return alone([=] { return real::File_iwrite_shared(file, buf, count, type, request); });
}

PETRI_MPI(File_seek)(MPI_File file, MPI_Offset offset, int whence) {
  return alone([=] { return real::File_seek(file, offset, whence); });
}

PETRI_MPI(File_get_position_shared)(MPI_File file, MPI_Offset* offset) {
  return alone([=] { return real::File_get_position_shared(file, offset); });
}

PETRI_MPI(File_delete)(const char* path, MPI_Info info) {
  return alone([=] { return real::File_delete(path, info); });
}
