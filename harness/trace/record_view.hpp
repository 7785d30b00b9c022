// Read-only views of record files (record_layout.hpp), for the watcher of a running job and for the importer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "harness/trace/error.hpp"
#include "harness/trace/record_layout.hpp"

namespace petri::record {

// One mapped record. Moving keeps the mapping; the file may be removed meanwhile. The writer may be alive: whatever is
// read twice can differ. Every accessor stays inside the mapping, whatever the file holds.
class RecordView {
 public:
  // Nothing while the process is still making its file. Throws InputError for a file that is no record, is of another
  // layout or version, or whose sizes do not fit.
  static std::optional<RecordView> open(const std::filesystem::path& file);

  RecordView(RecordView&& other) noexcept;
  RecordView& operator=(RecordView&& other) noexcept;
  ~RecordView();

  const Header& header() const { return *header_; }
  const std::filesystem::path& file() const { return file_; }

  // Cheap loads for polling. A job makes no progress while none of its processes changes `begun` or `completed`.
  std::uint64_t events_begun() const { return header_->events_begun.load(std::memory_order_acquire); }
  std::uint64_t events_completed() const { return header_->events_completed.load(std::memory_order_acquire); }
  std::uint64_t failed_polls() const { return header_->failed_polls.load(std::memory_order_relaxed); }
  bool in_call() const { return events_completed() < events_begun(); }
  Ended ended() const { return header_->ended.load(std::memory_order_acquire); }
  std::int32_t world_rank() const { return header_->world_rank.load(std::memory_order_acquire); }
  std::int32_t world_size() const { return header_->world_size.load(std::memory_order_acquire); }

  std::uint64_t ring_slots() const { return ring_.size() / kSlotBytes; }

  // Numbers of the slots that may be there: [first, last). `last` counts also a slot that was committed when the writer
  // was killed just before it moved the head.
  std::uint64_t first_slot() const;
  std::uint64_t last_slot() const;

  // Copies slot `number` as raw bytes. False when it is torn, overwritten or was never written.
  bool copy_slot(std::uint64_t number, std::span<std::byte, kSlotBytes> to) const;

  // The bytes of the facts that are whole.
  std::span<const std::byte> facts() const;

 private:
  RecordView(std::filesystem::path file, const std::byte* base, std::size_t bytes);

  std::filesystem::path file_;
  const std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  const Header* header_ = nullptr;
  // Checked when the file was opened; the header in the file could change.
  std::span<const std::byte> ring_, facts_;
};

// The record files of a folder, by name. Empty for a folder that is not there.
std::vector<std::filesystem::path> record_files(const std::filesystem::path& folder);

// Notes that the process is gone without having said how it ends; `signal` is 0 where the number is not known. Does
// nothing when the record has another end already. Throws InputError as RecordView::open.
void note_death(const std::filesystem::path& file, int signal);

}  // namespace petri::record
