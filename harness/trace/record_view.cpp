#include "harness/trace/record_view.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

namespace petri::record {
namespace {

[[noreturn]] void reject(const std::filesystem::path& file, const std::string& reason) {
  throw InputError(file.string(), 0, 0, reason);
}

struct FileDescriptor {
  int number;
  ~FileDescriptor() {
    if (number >= 0) ::close(number);
  }
};

// How many bytes of the magic are there: all, none yet, or something else.
enum class Magic { ours, absent, foreign };

Magic magic_of(const Header& header) {
  std::atomic_thread_fence(std::memory_order_acquire);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) == 0) return Magic::ours;
  const bool blank = std::all_of(std::begin(header.magic), std::end(header.magic), [](char c) { return c == 0; });
  return blank ? Magic::absent : Magic::foreign;
}

void check_area(const std::filesystem::path& file, const char* what, std::uint64_t offset, std::uint64_t bytes,
                std::uint64_t file_bytes) {
  if (offset < kHeaderBytes || offset % kSlotBytes != 0 || offset > file_bytes || bytes > file_bytes - offset)
    reject(file, std::string("damaged record: the ") + what + " lies outside the file");
}

void check_header(const std::filesystem::path& file, const Header& header, std::uint64_t file_bytes) {
  if (header.layout != kLayoutVersion || header.op_table != op_table_fingerprint())
    reject(file, "this record was written by another version of libpetri_record.so");
  check_area(file, "fact area", header.fact_offset, header.fact_bytes, file_bytes);
  const std::uint64_t slots = header.ring_slots;
  if (slots == 0 || (slots & (slots - 1)) != 0 || slots > kMaxRingMiB * (1 << 20) / kSlotBytes)
    reject(file, "damaged record: a ring of " + std::to_string(slots) + " slots");
  check_area(file, "ring", header.ring_offset, slots * kSlotBytes, file_bytes);
}

// Maps the whole file, or returns nothing where it is too short to hold a header yet.
std::pair<void*, std::size_t> map_file(const std::filesystem::path& file, bool writable) {
  const FileDescriptor fd{::open(file.c_str(), (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC)};
  struct stat status {};
  if (fd.number < 0 || ::fstat(fd.number, &status) != 0) reject(file, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) reject(file, "not a regular file");
  const auto bytes = static_cast<std::size_t>(status.st_size);
  if (bytes < kHeaderBytes) return {nullptr, bytes};
  void* base = ::mmap(nullptr, bytes, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, fd.number, 0);
  if (base == MAP_FAILED) reject(file, std::strerror(errno));
  return {base, bytes};
}

}  // namespace

std::optional<RecordView> RecordView::open(const std::filesystem::path& file) {
  const auto [base, bytes] = map_file(file, false);
  if (base == nullptr) {
    if (bytes == 0) return std::nullopt;
    reject(file, "not a record: shorter than its header");
  }
  RecordView view(file, static_cast<const std::byte*>(base), bytes);
  const Magic magic = magic_of(*view.header_);
  if (magic == Magic::absent) return std::nullopt;
  if (magic == Magic::foreign) reject(file, "not a record of libpetri_record.so");
  check_header(file, *view.header_, bytes);
  const std::span<const std::byte> whole(view.base_, bytes);
  view.ring_ = whole.subspan(view.header_->ring_offset, view.header_->ring_slots * kSlotBytes);
  view.facts_ = whole.subspan(view.header_->fact_offset, view.header_->fact_bytes);
  return view;
}

RecordView::RecordView(std::filesystem::path file, const std::byte* base, std::size_t bytes)
    : file_(std::move(file)), base_(base), bytes_(bytes), header_(reinterpret_cast<const Header*>(base)) {}

RecordView::RecordView(RecordView&& other) noexcept
    : file_(std::move(other.file_)),
      base_(std::exchange(other.base_, nullptr)),
      bytes_(other.bytes_),
      header_(std::exchange(other.header_, nullptr)),
      ring_(other.ring_),
      facts_(other.facts_) {}

RecordView& RecordView::operator=(RecordView&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
  std::swap(header_, other.header_);
  std::swap(ring_, other.ring_);
  std::swap(facts_, other.facts_);
  return *this;
}

RecordView::~RecordView() {
  if (base_ != nullptr) ::munmap(const_cast<std::byte*>(base_), bytes_);
}

bool RecordView::copy_slot(std::uint64_t number, std::span<std::byte, kSlotBytes> to) const {
  const std::byte* place = ring_.data() + (number % ring_slots()) * kSlotBytes;
  const auto& stamp = reinterpret_cast<const Slot*>(place)->stamp;
  const auto expected = static_cast<std::uint32_t>(number + 1);
  if (stamp.load(std::memory_order_acquire) != expected) return false;
  std::memcpy(to.data(), place, kSlotBytes);
  std::atomic_thread_fence(std::memory_order_acquire);
  return stamp.load(std::memory_order_relaxed) == expected;
}

std::uint64_t RecordView::last_slot() const {
  std::uint64_t last = header_->ring_head.load(std::memory_order_acquire);
  alignas(Slot) std::array<std::byte, kSlotBytes> scratch;
  for (std::uint64_t ahead = 0; ahead < ring_slots() && copy_slot(last, scratch); ++ahead) ++last;
  return last;
}

std::uint64_t RecordView::first_slot() const {
  const std::uint64_t head = header_->ring_head.load(std::memory_order_acquire);
  return head > ring_slots() ? head - ring_slots() : 0;
}

std::span<const std::byte> RecordView::facts() const {
  const std::uint64_t used = header_->facts_used.load(std::memory_order_acquire);
  return facts_.first(static_cast<std::size_t>(std::min<std::uint64_t>(used, facts_.size())));
}

std::vector<std::filesystem::path> record_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (entry.path().extension() == kFileSuffix) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

void note_death(const std::filesystem::path& file, int signal) {
  if (!RecordView::open(file)) return;
  const auto [base, bytes] = map_file(file, true);
  if (base == nullptr) return;
  auto& header = *static_cast<Header*>(base);
  header.signal.store(signal, std::memory_order_relaxed);
  auto running = Ended::running;
  header.ended.compare_exchange_strong(running, Ended::signal, std::memory_order_release);
  ::munmap(base, bytes);
}

}  // namespace petri::record
