// The arguments of calls that read and write files together.
#pragma once

#include "harness/record/call_forms.hpp"
#include "harness/record/collective_arguments.hpp"
#include "harness/record/comm_objects.hpp"

namespace petri::record {

inline CommObject* describe_read(Call& call, MPI_File file, const Side& side) {
  CommObject* object = describe_object(call, files, file);
  call.data(side.count, side.type);
  call.out(side.buffer, side.count, side.type);
  return object;
}

inline CommObject* describe_write(Call& call, MPI_File file, const Side& side) {
  CommObject* object = describe_object(call, files, file);
  gives(call, side);
  return object;
}

// Where in the file: an offset counts elements of the view (MPI 4.1, section 14.4.1).
inline void describe_offset(Call& call, MPI_File file, MPI_Offset offset) {
  MPI_Offset place = -1;
  if (!call.active() || real::File_get_byte_offset(file, offset, &place) != MPI_SUCCESS) return;
  set_disp(call.slot(), place);
}

}  // namespace petri::record
