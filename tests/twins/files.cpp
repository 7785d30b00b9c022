// Files: opened, viewed, written and closed by all ranks of a communicator together.

#include "tests/twins/twin.h"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
MPI_Status* const no_status = MPI_STATUS_IGNORE;
constexpr int kMode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;

MPI_File open_all(const char* name) {
  MPI_File file;
  MPI_File_open(world, name, kMode, MPI_INFO_NULL, &file);
  return file;
}

}  // namespace

// A file is opened by the ranks that have something to write.
TWIN(opened_by_some, 3, missing, deadlock, "2") {
  MPI_File file;
  if (wrong && rank == 2) return;
  MPI_File_open(world, "twins-some.dat", kMode, MPI_INFO_NULL, &file);  // fault
  MPI_File_close(&file);
}

// A rank with nothing to write leaves the collective write out.
TWIN(write_left_out, 3, missing, deadlock, "1") {
  MPI_File file = open_all("twins-write.dat");
  if (!wrong || rank != 1) MPI_File_write_at_all(file, 4 * rank, &rank, 1, MPI_INT, no_status);  // fault
  MPI_File_close(&file);                                                                         // fault
}

// A file that one rank does not close.
TWIN(close_left_out, 3, missing, deadlock, "0") {
  MPI_File file = open_all("twins-close.dat");
  MPI_File_write_at_all(file, 4 * rank, &rank, 1, MPI_INT, no_status);
  if (!wrong || rank != 0) MPI_File_close(&file);  // fault
}

// One rank writes where the others read.
TWIN(write_meets_read, 3, argument, deadlock, "1") {
  MPI_File file = open_all("twins-meets.dat");
  int number = rank;
  if (wrong && rank == 1)
    MPI_File_write_at_all(file, 4, &number, 1, MPI_INT, no_status);  // fault
  else
    MPI_File_read_at_all(file, 4 * rank, &number, 1, MPI_INT, no_status);
  MPI_File_close(&file);
}

// One rank returns when its part cannot be computed, before a view is set.
TWIN(error_path_returns, 3, missing, deadlock, "2") {
  MPI_File file = open_all("twins-error.dat");
  if (wrong && rank == 2) return;
  MPI_File_set_view(file, 4 * rank, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);  // fault
  MPI_File_write_all(file, &rank, 1, MPI_INT, no_status);
  MPI_File_close(&file);
}

// Two files are closed in another order.
TWIN(closed_in_other_order, 2, order, deadlock, "0,1") {
  MPI_File one = open_all("twins-one.dat"), two = open_all("twins-two.dat");
  const bool swapped = wrong && rank == 1;
  MPI_File_write_all(swapped ? two : one, &rank, 1, MPI_INT, no_status);  // fault
  MPI_File_write_all(swapped ? one : two, &rank, 1, MPI_INT, no_status);
  MPI_File_close(&one);
  MPI_File_close(&two);
}

// A view is set while a write is under way.
TWIN(view_before_write_is_complete, 2, completion, misuse, "0,1") {
  MPI_File file = open_all("twins-view.dat");
  MPI_Request request;
  MPI_File_iwrite_at_all(file, 4 * rank, &rank, 1, MPI_INT, &request);  // fault
  if (!wrong) MPI_Wait(&request, no_status);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);  // fault
  if (wrong) MPI_Wait(&request, no_status);
  MPI_File_close(&file);
}

// Another collective write between the halves of a split one.
TWIN(write_inside_split_write, 2, order, misuse, "0,1") {
  MPI_File file = open_all("twins-split.dat");
  MPI_File_write_at_all_begin(file, 4 * rank, &rank, 1, MPI_INT);  // fault
  if (!wrong) MPI_File_write_at_all_end(file, &rank, no_status);
  MPI_File_write_at_all(file, 64 + 4 * rank, &rank, 1, MPI_INT, no_status);  // fault
  if (wrong) MPI_File_write_at_all_end(file, &rank, no_status);
  MPI_File_close(&file);
}

// Parts of any size, none among them, and independent calls between the collective ones.
LEGAL(parts_of_any_size, 3) {
  MPI_File file = open_all("twins-parts.dat");
  int numbers[4] = {};
  MPI_File_write_at_all(file, 16 * rank, numbers, rank, MPI_INT, no_status);
  if (rank == 1) MPI_File_write_at(file, 64, numbers, 1, MPI_INT, no_status);
  MPI_File_sync(file);
  MPI_File_read_at_all(file, 0, numbers, rank == 0 ? 0 : 1, MPI_INT, no_status);
  MPI_File_close(&file);
}

// A file of one rank alone.
LEGAL(own_file, 2) {
  if (rank == 1) return;
  MPI_File file;
  MPI_File_open(MPI_COMM_SELF, "twins-own.dat", kMode, MPI_INFO_NULL, &file);
  MPI_File_write_all(file, &rank, 1, MPI_INT, no_status);
  MPI_File_close(&file);
}
