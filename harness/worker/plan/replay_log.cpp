#include "harness/worker/plan/replay_log.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace petri {
namespace {

using Cell = std::atomic<std::uint64_t>;
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

ReplayLog::ReplayLog(const char* recording, std::int32_t rank, std::size_t events) {
  if (recording == nullptr) return;
  own_ = own_record(recording);
  if (!own_) return;
  // Cell 0 counts the events that began; one cell for each of them, and one for what follows.
  size_ = (events + 2) * sizeof(Cell);
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

void ReplayLog::begin(std::size_t index) {
  if (cells_ == nullptr) return;
  cells_[index + 1].store(own_->events_begun(), std::memory_order_relaxed);
  cells_[0].store(index + 1, std::memory_order_release);
}

std::vector<std::uint64_t> read_replay_log(const std::filesystem::path& recording, std::int32_t rank) {
  std::ifstream file(replay_log_file(recording, rank), std::ios::binary);
  std::uint64_t count = 0;
  if (!file.read(reinterpret_cast<char*>(&count), sizeof count)) return {};
  std::vector<std::uint64_t> before;
  std::uint64_t cell = 0;
  while (before.size() < count && file.read(reinterpret_cast<char*>(&cell), sizeof cell)) before.push_back(cell);
  return before;
}

}  // namespace petri
