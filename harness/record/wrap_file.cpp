// Files, MPI 4.1 chapter 14: what all processes do together. (wrap_file_alone.cpp has the rest.)
#include "harness/record/file_arguments.hpp"

using namespace petri;
using namespace petri::record;

namespace {

// MPI's access mode in the record's own bits.
std::int32_t mode_bits(int mode) {
  const auto bit = [mode](int theirs, std::int32_t ours) { return (mode & theirs) != 0 ? ours : 0; };
  return bit(MPI_MODE_RDONLY, kModeReadOnly) | bit(MPI_MODE_WRONLY, kModeWriteOnly) |
         bit(MPI_MODE_RDWR, kModeReadWrite) | bit(MPI_MODE_CREATE, kModeCreate) | bit(MPI_MODE_EXCL, kModeExclusive) |
         bit(MPI_MODE_DELETE_ON_CLOSE, kModeDeleteOnClose) | bit(MPI_MODE_UNIQUE_OPEN, kModeUniqueOpen) |
         bit(MPI_MODE_SEQUENTIAL, kModeSequential) | bit(MPI_MODE_APPEND, kModeAppend);
}

void describe_size(Call& call, MPI_Offset size) {
  if (!call.active()) return;
  call.slot().count = size;
  call.slot().dtype = static_cast<std::uint8_t>(ElementType::byte);
}

}  // namespace

PETRI_MPI(File_open)(MPI_Comm comm, const char* path, int mode, MPI_Info info, MPI_File* file) {
  Call call(Op::file_open, PETRI_SITE, comm);
  if (call.active()) call.slot().tag = mode_bits(mode);
  call.text(path);
  return make_object(call, files, file, &CommEntry::files,
                     [=] { return real::File_open(comm, path, mode, info, file); });
}

PETRI_MPI(File_close)(MPI_File* file) {
  Call call(Op::file_close, PETRI_SITE);
  CommObject* object = describe_object(call, files, *file);
  return run(call, object, [=] {
    if (object != nullptr) {
      const Locked locked;
      files.forget(*file);
    }
    return real::File_close(file);
  });
}

PETRI_MPI(File_set_view)
(MPI_File file, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char* representation, MPI_Info info) {
  Call call(Op::file_set_view, PETRI_SITE);
  CommObject* object = describe_object(call, files, file);
  if (call.active()) set_disp(call.slot(), disp);
  call.data(1, etype);
  return run(call, object, [=] { return real::File_set_view(file, disp, etype, filetype, representation, info); });
}

PETRI_MPI(File_set_size)(MPI_File file, MPI_Offset size) {
  Call call(Op::file_set_size, PETRI_SITE);
  CommObject* object = describe_object(call, files, file);
  describe_size(call, size);
  return run(call, object, [=] { return real::File_set_size(file, size); });
}

PETRI_MPI(File_preallocate)(MPI_File file, MPI_Offset size) {
  Call call(Op::file_preallocate, PETRI_SITE);
  CommObject* object = describe_object(call, files, file);
  describe_size(call, size);
  return run(call, object, [=] { return real::File_preallocate(file, size); });
}

PETRI_MPI(File_set_info)(MPI_File file, MPI_Info info) {
  Call call(Op::file_set_info, PETRI_SITE);
  CommObject* object = describe_object(call, files, file);
  return run(call, object, [=] { return real::File_set_info(file, info); });
}

PETRI_MPI(File_set_atomicity)(MPI_File file, int atomic) {
  Call call(Op::file_set_atomicity, PETRI_SITE);
  CommObject* object = describe_object(call, files, file);
  call.flag(atomic != 0);
  return run(call, object, [=] { return real::File_set_atomicity(file, atomic); });
}

PETRI_MPI(File_seek_shared)(MPI_File file, MPI_Offset offset, int whence) {
  Call call(Op::file_seek_shared, PETRI_SITE);
  CommObject* object = describe_object(call, files, file);
  if (call.active()) {
    set_disp(call.slot(), offset);
    call.slot().count = whence == MPI_SEEK_SET ? 0 : whence == MPI_SEEK_CUR ? 1 : 2;
  }
  return run(call, object, [=] { return real::File_seek_shared(file, offset, whence); });
}

PETRI_MPI(File_sync)(MPI_File file) {
  Call call(Op::file_sync, PETRI_SITE);
  CommObject* object = describe_object(call, files, file);
  return run(call, object, [=] { return real::File_sync(file); });
}

// Reading and writing together. Each form below has the same arguments, but for an offset, a request and a status.

PETRI_MPI(File_read_all)(MPI_File file, void* buf, int count, MPI_Datatype type, MPI_Status* status) {
  Call call(Op::file_read_all, PETRI_SITE);
  CommObject* object = describe_read(call, file, {buf, count, type});
  return run(call, object, [=] { return real::File_read_all(file, buf, count, type, status); });
}

PETRI_MPI(File_write_all)(MPI_File file, const void* buf, int count, MPI_Datatype type, MPI_Status* status) {
  Call call(Op::file_write_all, PETRI_SITE);
  CommObject* object = describe_write(call, file, {buf, count, type});
  return run(call, object, [=] { return real::File_write_all(file, buf, count, type, status); });
}

PETRI_MPI(File_read_at_all)
(MPI_File file, MPI_Offset offset, void* buf, int count, MPI_Datatype type, MPI_Status* status) {
  Call call(Op::file_read_at_all, PETRI_SITE);
  CommObject* object = describe_read(call, file, {buf, count, type});
  describe_offset(call, file, offset);
  return run(call, object, [=] { return real::File_read_at_all(file, offset, buf, count, type, status); });
}

PETRI_MPI(File_write_at_all)
(MPI_File file, MPI_Offset offset, const void* buf, int count, MPI_Datatype type, MPI_Status* status) {
  Call call(Op::file_write_at_all, PETRI_SITE);
  CommObject* object = describe_write(call, file, {buf, count, type});
  describe_offset(call, file, offset);
  return run(call, object, [=] { return real::File_write_at_all(file, offset, buf, count, type, status); });
}

PETRI_MPI(File_read_ordered)(MPI_File file, void* buf, int count, MPI_Datatype type, MPI_Status* status) {
  Call call(Op::file_read_ordered, PETRI_SITE);
  CommObject* object = describe_read(call, file, {buf, count, type});
  return run(call, object, [=] { return real::File_read_ordered(file, buf, count, type, status); });
}

PETRI_MPI(File_write_ordered)(MPI_File file, const void* buf, int count, MPI_Datatype type, MPI_Status* status) {
  Call call(Op::file_write_ordered, PETRI_SITE);
  CommObject* object = describe_write(call, file, {buf, count, type});
  return run(call, object, [=] { return real::File_write_ordered(file, buf, count, type, status); });
}

PETRI_MPI(File_iread_all)(MPI_File file, void* buf, int count, MPI_Datatype type, MPI_Request* request) {
  Call call(Op::file_iread_all, PETRI_SITE);
  describe_position(call, describe_read(call, file, {buf, count, type}));
  return start(call, request, [=] { return real::File_iread_all(file, buf, count, type, request); });
}

PETRI_MPI(File_iwrite_all)(MPI_File file, const void* buf, int count, MPI_Datatype type, MPI_Request* request) {
  Call call(Op::file_iwrite_all, PETRI_SITE);
  describe_position(call, describe_write(call, file, {buf, count, type}));
  return start(call, request, [=] { return real::File_iwrite_all(file, buf, count, type, request); });
}

PETRI_MPI(File_iread_at_all)
(MPI_File file, MPI_Offset offset, void* buf, int count, MPI_Datatype type, MPI_Request* request) {
  Call call(Op::file_iread_at_all, PETRI_SITE);
  describe_position(call, describe_read(call, file, {buf, count, type}));
  describe_offset(call, file, offset);
  return start(call, request, [=] { return real::File_iread_at_all(file, offset, buf, count, type, request); });
}

PETRI_MPI(File_iwrite_at_all)
(MPI_File file, MPI_Offset offset, const void* buf, int count, MPI_Datatype type, MPI_Request* request) {
  Call call(Op::file_iwrite_at_all, PETRI_SITE);
  describe_position(call, describe_write(call, file, {buf, count, type}));
  describe_offset(call, file, offset);
  return start(call, request, [=] { return real::File_iwrite_at_all(file, offset, buf, count, type, request); });
}
