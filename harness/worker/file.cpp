// Collective file operations (MPI 4.1, chapter 14), on files in the replay's own folder.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "harness/worker/arguments.hpp"
#include "harness/worker/file.hpp"
#include "harness/worker/perform.hpp"
#include "harness/worker/plan/memory.hpp"
#include "harness/worker/plan/words.hpp"
#include "harness/worker/types.hpp"

namespace petri {
namespace {

struct NamedMode {
  const char* name;
  int mode;
};
constexpr std::array kModes{
    NamedMode{"create", MPI_MODE_CREATE},
    NamedMode{"excl", MPI_MODE_EXCL},
    NamedMode{"rdonly", MPI_MODE_RDONLY},
    NamedMode{"wronly", MPI_MODE_WRONLY},
    NamedMode{"rdwr", MPI_MODE_RDWR},
    NamedMode{"delete_on_close", MPI_MODE_DELETE_ON_CLOSE},
    NamedMode{"append", MPI_MODE_APPEND},
    NamedMode{"unique_open", MPI_MODE_UNIQUE_OPEN},
    NamedMode{"sequential", MPI_MODE_SEQUENTIAL},
};

int mode_of(const std::string& words) {
  int mode = 0;
  for (const std::string& word : words_of(words)) {
    for (const NamedMode& known : kModes) mode |= word == known.name ? known.mode : 0;
  }
  return mode != 0 ? mode : MPI_MODE_CREATE | MPI_MODE_RDWR;
}

MPI_Offset offset_of(const Event& event) {
  return static_cast<MPI_Offset>(event.extras.disp().value_or(0));
}

// A size that a call sets: an offset, or a count where the record has that.
MPI_Offset size_in(const Event& event) {
  return event.extras.disp() ? offset_of(event) : std::max<MPI_Offset>(event.count, 0);
}

void perform_open(Replayer& replayer, const Event& event) {
  open_file(replayer.comm_of(event), replayer.path_of(event), mode_of(event.extras.mode()), &replayer.file(event));
}

void perform_close(Replayer& replayer, const Event& event) {
  MPI_File_close(&replayer.file(event));
}

// A view of bytes: offsets are recorded in bytes.
void perform_set_view(Replayer& replayer, const Event& event) {
  MPI_File_set_view(replayer.file(event), offset_of(event), MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
}

template <int (*call)(MPI_File, MPI_Offset)>
void perform_size(Replayer& replayer, const Event& event) {
  call(replayer.file(event), size_in(event));
}

void perform_set_info(Replayer& replayer, const Event& event) {
  MPI_Info none = MPI_INFO_NULL;
  PMPI_Info_create(&none);
  MPI_File_set_info(replayer.file(event), none);
  PMPI_Info_free(&none);
}

void perform_set_atomicity(Replayer& replayer, const Event& event) {
  MPI_File_set_atomicity(replayer.file(event), event.flag == 1 ? 1 : 0);
}

void perform_seek_shared(Replayer& replayer, const Event& event) {
  MPI_File_seek_shared(replayer.file(event), offset_of(event), MPI_SEEK_SET);
}

void perform_sync(Replayer& replayer, const Event& event) {
  MPI_File_sync(replayer.file(event));
}

enum class Direction { reads, writes };
using enum Direction;

// A transfer by any of MPI's calls: at the file pointer or at an offset, blocking or with a request.
template <auto call, Direction direction>
void perform_transfer(Replayer& replayer, const Event& event) {
  const Shape shape{event.count == kUnknownCount ? 1 : static_cast<int>(event.count), event.dtype};
  void* buffer = direction == reads ? room_for(replayer, event, shape) : bytes_to_send(replayer, event, shape);
  MPI_File file = replayer.file(event);
  const MPI_Datatype type = mpi_type(shape.type);
  using Call = decltype(call);
  if constexpr (std::is_invocable_v<Call, MPI_File, void*, int, MPI_Datatype, MPI_Status*>) {
    call(file, buffer, shape.count, type, MPI_STATUS_IGNORE);
  } else if constexpr (std::is_invocable_v<Call, MPI_File, void*, int, MPI_Datatype, MPI_Request*>) {
    call(file, buffer, shape.count, type, &replayer.request(event.request));
  } else if constexpr (std::is_invocable_v<Call, MPI_File, MPI_Offset, void*, int, MPI_Datatype, MPI_Status*>) {
    call(file, offset_of(event), buffer, shape.count, type, MPI_STATUS_IGNORE);
  } else {
    call(file, offset_of(event), buffer, shape.count, type, &replayer.request(event.request));
  }
}

// Split collectives (section 14.4.5): a file has one under way at a time, whose buffer stays until its end.
template <auto call, Direction direction>
void perform_begin(Replayer& replayer, const Event& event) {
  const Shape shape{event.count == kUnknownCount ? 1 : static_cast<int>(event.count), event.dtype};
  const auto elements = static_cast<std::size_t>(shape.count);
  Bytes& buffer = replayer.split_buffer(event);
  buffer = direction == reads ? Bytes(elements * bytes_of_element(shape.type))
                              : payload_of(event, replayer.rank(), shape.type, elements);
  if constexpr (std::is_invocable_v<decltype(call), MPI_File, void*, int, MPI_Datatype>) {
    call(replayer.file(event), buffer.data(), shape.count, mpi_type(shape.type));
  } else {
    call(replayer.file(event), offset_of(event), buffer.data(), shape.count, mpi_type(shape.type));
  }
}

template <auto call>
void perform_end(Replayer& replayer, const Event& event) {
  call(replayer.file(event), replayer.split_buffer(event).data(), MPI_STATUS_IGNORE);
}

constexpr std::array kTable{
    PerformerRow{Op::file_open, perform_open},
    PerformerRow{Op::file_close, perform_close},
    PerformerRow{Op::file_set_view, perform_set_view},
    PerformerRow{Op::file_set_size, perform_size<MPI_File_set_size>},
    PerformerRow{Op::file_preallocate, perform_size<MPI_File_preallocate>},
    PerformerRow{Op::file_set_info, perform_set_info},
    PerformerRow{Op::file_set_atomicity, perform_set_atomicity},
    PerformerRow{Op::file_seek_shared, perform_seek_shared},
    PerformerRow{Op::file_sync, perform_sync},
    PerformerRow{Op::file_read_all, perform_transfer<MPI_File_read_all, reads>},
    PerformerRow{Op::file_write_all, perform_transfer<MPI_File_write_all, writes>},
    PerformerRow{Op::file_read_ordered, perform_transfer<MPI_File_read_ordered, reads>},
    PerformerRow{Op::file_write_ordered, perform_transfer<MPI_File_write_ordered, writes>},
    PerformerRow{Op::file_read_at_all, perform_transfer<MPI_File_read_at_all, reads>},
    PerformerRow{Op::file_write_at_all, perform_transfer<MPI_File_write_at_all, writes>},
    PerformerRow{Op::file_iread_all, perform_transfer<MPI_File_iread_all, reads>},
    PerformerRow{Op::file_iwrite_all, perform_transfer<MPI_File_iwrite_all, writes>},
    PerformerRow{Op::file_iread_at_all, perform_transfer<MPI_File_iread_at_all, reads>},
    PerformerRow{Op::file_iwrite_at_all, perform_transfer<MPI_File_iwrite_at_all, writes>},
    PerformerRow{Op::file_read_all_begin, perform_begin<MPI_File_read_all_begin, reads>},
    PerformerRow{Op::file_read_all_end, perform_end<MPI_File_read_all_end>},
    PerformerRow{Op::file_write_all_begin, perform_begin<MPI_File_write_all_begin, writes>},
    PerformerRow{Op::file_write_all_end, perform_end<MPI_File_write_all_end>},
    PerformerRow{Op::file_read_at_all_begin, perform_begin<MPI_File_read_at_all_begin, reads>},
    PerformerRow{Op::file_read_at_all_end, perform_end<MPI_File_read_at_all_end>},
    PerformerRow{Op::file_write_at_all_begin, perform_begin<MPI_File_write_at_all_begin, writes>},
    PerformerRow{Op::file_write_at_all_end, perform_end<MPI_File_write_at_all_end>},
    PerformerRow{Op::file_read_ordered_begin, perform_begin<MPI_File_read_ordered_begin, reads>},
    PerformerRow{Op::file_read_ordered_end, perform_end<MPI_File_read_ordered_end>},
    PerformerRow{Op::file_write_ordered_begin, perform_begin<MPI_File_write_ordered_begin, writes>},
    PerformerRow{Op::file_write_ordered_end, perform_end<MPI_File_write_ordered_end>},
};

}  // namespace

void open_file(MPI_Comm comm, const std::filesystem::path& path, int mode, MPI_File* file) {
  // What was there when the job opened it without making it must be there now; its content is not known.
  if ((mode & MPI_MODE_CREATE) == 0) close(open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  MPI_File_open(comm, path.c_str(), mode, MPI_INFO_NULL, file);
}

std::span<const PerformerRow> file_table() {
  return kTable;
}

}  // namespace petri
