// Programs with files. Each works in a file of its own below the folder PETRI_TEST_FILES.
#include <mpi.h>

#include <cstdlib>
#include <string>

#include "tests/record/operations.hpp"

namespace petri::test {
namespace {

MPI_File open_file(const char* name) {
  const char* folder = std::getenv("PETRI_TEST_FILES");
  const std::string path = std::string(folder != nullptr ? folder : ".") + "/" + name;
  MPI_File file;
  if (MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                    MPI_INFO_NULL, &file) != MPI_SUCCESS)
    std::abort();
  return file;
}

void file_states() {
  MPI_File file = open_file("states");
  MPI_File_set_size(file, 4096);
  // Not beyond the size: Open MPI 5.0's ranks look it up while the first may already have made the file longer, and who
  // sees that leaves out a broadcast, so that all later ones are off by one.
  MPI_File_preallocate(file, 2048);
  MPI_File_set_view(file, 64, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_set_atomicity(file, 1);
  MPI_File_set_atomicity(file, 0);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_File_set_info(file, info);
  MPI_Info_free(&info);
  MPI_File_seek_shared(file, 2, MPI_SEEK_SET);
  const int data = 0;
  MPI_File_write_shared(file, &data, 1, MPI_INT, MPI_STATUS_IGNORE);  // alone: no event
  MPI_File_sync(file);
  MPI_File_close(&file);
}

// What a process does alone stands in no record.
void file_access() {
  const int rank = world_rank();
  int data[2] = {rank, rank}, room[4] = {};
  MPI_File file = open_file("access");
  MPI_File_set_view(file, 64, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_write_at(file, 10 + rank, data, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_seek(file, 2 * rank, MPI_SEEK_SET);
  MPI_File_write_all(file, data, 2, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write_at_all(file, 2 * rank, data, 2, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write_shared(file, data, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write_ordered(file, data, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_read_ordered(file, room, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_read_all(file, room, 2, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_read_at_all(file, 2 * rank, room, 8, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_Request r;
  MPI_File_iwrite_all(file, data, 1, MPI_INT, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_File_iwrite_at_all(file, 3, data, 1, MPI_INT, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_File_iread_all(file, room, 1, MPI_INT, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_File_iread_at_all(file, 3, room, 1, MPI_INT, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

void split_file_access() {
  const int rank = world_rank();
  int data[2] = {rank, rank}, room[2] = {};
  MPI_File file = open_file("split");
  MPI_File_write_all_begin(file, data, 2, MPI_INT);
  MPI_File_write_all_end(file, data, MPI_STATUS_IGNORE);
  MPI_File_write_at_all_begin(file, 8 * rank, data, 2, MPI_INT);
  MPI_File_write_at_all_end(file, data, MPI_STATUS_IGNORE);
  MPI_File_write_ordered_begin(file, data, 1, MPI_INT);
  MPI_File_write_ordered_end(file, data, MPI_STATUS_IGNORE);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_seek_shared(file, -4, MPI_SEEK_CUR);
  MPI_File_read_all_begin(file, room, 2, MPI_INT);
  MPI_File_read_all_end(file, room, MPI_STATUS_IGNORE);
  MPI_File_read_at_all_begin(file, 8 * rank, room, 2, MPI_INT);
  MPI_File_read_at_all_end(file, room, MPI_STATUS_IGNORE);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_read_ordered_begin(file, room, 1, MPI_INT);
  MPI_File_read_ordered_end(file, room, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

// Rank 1 stays away.
void file_hang() {
  end_soon();
  MPI_File file = open_file("hang");
  int data[4096] = {};
  if (world_rank() == 0) MPI_File_write_all(file, data, 4096, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

constexpr Program kPrograms[] = {
    {"file_states", file_states},
    {"file_access", file_access},
    {"split_file_access", split_file_access},
    {"file_hang", file_hang},
};

const Programs programs(kPrograms);

}  // namespace
}  // namespace petri::test
