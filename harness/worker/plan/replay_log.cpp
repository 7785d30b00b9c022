#include "harness/worker/plan/replay_log.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace petri {
namespace {

using Cell = std::atomic<std::uint64_t>;
// In a cell that is not 0: one more than the number of events before, and this bit for an event that waits.
constexpr std::uint64_t kWaits = std::uint64_t{1} << 63;
static_assert(Cell::is_always_lock_free && sizeof(Cell) == 8, "shared between processes");

// The record that this process makes of itself, by the process number in its header.
std::optional<record::RecordView> own_record(const char* recording) {
  const std::string mark = "-" + std::to_string(getpid()) + "-";
  for (const std::filesystem::path& file : record::record_files(recording)) {
    if (file.filename().string().find(mark) == std::string::npos) continue;
    std::optional<record::RecordView> view = record::RecordView::open(file);
    if (view && view->header().pid == getpid()) return view;
  }
  return std::nullopt;
}

}  // namespace

std::filesystem::path replay_log_file(const std::filesystem::path& recording, std::int32_t rank) {
  return recording / ("replay-" + std::to_string(rank));
}

ReplayLog::ReplayLog(const char* recording, std::int32_t rank, std::size_t marks) {
  if (recording == nullptr) return;
  own_ = own_record(recording);
  if (!own_) return;
  size_ = marks * sizeof(Cell);
  const int file = open(replay_log_file(recording, rank).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return;
  if (ftruncate(file, static_cast<off_t>(size_)) == 0) {
    void* mapped = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) cells_ = static_cast<Cell*>(mapped);
  }
  close(file);
}

ReplayLog::~ReplayLog() {
  if (cells_ != nullptr) munmap(cells_, size_);
}

void ReplayLog::begin(std::size_t mark, bool waits) {
  if (cells_ == nullptr) return;
  cells_[mark].store((own_->events_begun() + 1) | (waits ? kWaits : 0), std::memory_order_release);
}

ReplayMarks read_replay_log(const std::filesystem::path& recording, std::int32_t rank) {
  std::ifstream file(replay_log_file(recording, rank), std::ios::binary);
  ReplayMarks marks;
  std::uint64_t cell = 0;
  while (file.read(reinterpret_cast<char*>(&cell), sizeof cell))
    marks.push_back(cell == 0 ? ReplayMark() : ReplayMark((cell & ~kWaits) - 1, (cell & kWaits) != 0));
  return marks;
}

}  // namespace petri
