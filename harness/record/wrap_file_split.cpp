// Split collectives on files, MPI 4.1 section 14.4.5: what begins is matched on its own, and so is its end.
#include "harness/record/file_arguments.hpp"

using namespace petri;
using namespace petri::record;

namespace {

// The second half, which may wait for others. The status is the program's.
template <class End>
int end_split(Op op, const void* site, MPI_File file, const End& finish) {
  Call call(op, site);
  CommObject* object = describe_object(call, files, file);
  return run(call, object, finish);
}

}  // namespace

PETRI_MPI(File_read_all_begin)(MPI_File file, void* buf, int count, MPI_Datatype type) {
  Call call(Op::file_read_all_begin, PETRI_SITE);
  CommObject* object = describe_read(call, file, {buf, count, type});
  return run(call, object, [=] { return real::File_read_all_begin(file, buf, count, type); });
}

PETRI_MPI(File_read_all_end)(MPI_File file, void* buf, MPI_Status* status) {
  return end_split(Op::file_read_all_end, PETRI_SITE, file, [=] { return real::File_read_all_end(file, buf, status); });
}

PETRI_MPI(File_read_at_all_begin)(MPI_File file, MPI_Offset offset, void* buf, int count, MPI_Datatype type) {
  Call call(Op::file_read_at_all_begin, PETRI_SITE);
  CommObject* object = describe_read(call, file, {buf, count, type});
  describe_offset(call, file, offset);
  return run(call, object, [=] { return real::File_read_at_all_begin(file, offset, buf, count, type); });
}

PETRI_MPI(File_read_at_all_end)(MPI_File file, void* buf, MPI_Status* status) {
  return end_split(Op::file_read_at_all_end, PETRI_SITE, file,
                   [=] { return real::File_read_at_all_end(file, buf, status); });
}

PETRI_MPI(File_read_ordered_begin)(MPI_File file, void* buf, int count, MPI_Datatype type) {
  Call call(Op::file_read_ordered_begin, PETRI_SITE);
  CommObject* object = describe_read(call, file, {buf, count, type});
  return run(call, object, [=] { return real::File_read_ordered_begin(file, buf, count, type); });
}

PETRI_MPI(File_read_ordered_end)(MPI_File file, void* buf, MPI_Status* status) {
  return end_split(Op::file_read_ordered_end, PETRI_SITE, file,
                   [=] { return real::File_read_ordered_end(file, buf, status); });
}

PETRI_MPI(File_write_all_begin)(MPI_File file, const void* buf, int count, MPI_Datatype type) {
  Call call(Op::file_write_all_begin, PETRI_SITE);
  CommObject* object = describe_write(call, file, {buf, count, type});
  return run(call, object, [=] { return real::File_write_all_begin(file, buf, count, type); });
}

PETRI_MPI(File_write_all_end)(MPI_File file, const void* buf, MPI_Status* status) {
  return end_split(Op::file_write_all_end, PETRI_SITE, file,
                   [=] { return real::File_write_all_end(file, buf, status); });
}

PETRI_MPI(File_write_at_all_begin)(MPI_File file, MPI_Offset offset, const void* buf, int count, MPI_Datatype type) {
  Call call(Op::file_write_at_all_begin, PETRI_SITE);
  CommObject* object = describe_write(call, file, {buf, count, type});
  describe_offset(call, file, offset);
  return run(call, object, [=] { return real::File_write_at_all_begin(file, offset, buf, count, type); });
}

PETRI_MPI(File_write_at_all_end)(MPI_File file, const void* buf, MPI_Status* status) {
  return end_split(Op::file_write_at_all_end, PETRI_SITE, file,
                   [=] { return real::File_write_at_all_end(file, buf, status); });
}

PETRI_MPI(File_write_ordered_begin)(MPI_File file, const void* buf, int count, MPI_Datatype type) {
  Call call(Op::file_write_ordered_begin, PETRI_SITE);
  CommObject* object = describe_write(call, file, {buf, count, type});
  return run(call, object, [=] { return real::File_write_ordered_begin(file, buf, count, type); });
}

PETRI_MPI(File_write_ordered_end)(MPI_File file, const void* buf, MPI_Status* status) {
  return end_split(Op::file_write_ordered_end, PETRI_SITE, file,
                   [=] { return real::File_write_ordered_end(file, buf, status); });
}
