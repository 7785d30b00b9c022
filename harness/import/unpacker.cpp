#include "harness/import/unpacker.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <utility>

namespace petri {
namespace {

constexpr std::size_t kChunk = 1 << 18;
constexpr int kMostEmptyBlocks = 1000;

int filter_of(Packing packing) {
  switch (packing) {
    case Packing::zstd: return ARCHIVE_FILTER_ZSTD;
    case Packing::xz: return ARCHIVE_FILTER_XZ;
    case Packing::bzip2: return ARCHIVE_FILTER_BZIP2;
    case Packing::lz4: return ARCHIVE_FILTER_LZ4;
    default: return ARCHIVE_FILTER_NONE;
  }
}

}  // namespace

Unpacker::Unpacker(Packing packing, std::unique_ptr<ByteStream> source)
    : source_(std::move(source)), archive_(::archive_read_new()), chunk_(kChunk) {
  if (archive_ == nullptr) throw std::bad_alloc();
  try {
    open(packing);
  } catch (...) {
    ::archive_read_free(archive_);
    throw;
  }
}

Unpacker::~Unpacker() {
  ::archive_read_free(archive_);
}

::archive_entry* Unpacker::next() {
  block_ = {};
  gap_ = at_ = 0;
  ::archive_entry* entry = nullptr;
  const int status = ::archive_read_next_header(archive_, &entry);
  if (status == ARCHIVE_EOF) return nullptr;
  check(status);
  return entry;
}

std::size_t Unpacker::read(char* to, std::size_t most) {
  while (gap_ == 0 && block_.empty())
    if (!fetch()) return 0;
  const bool of_gap = gap_ > 0;
  const std::size_t count =
      of_gap ? static_cast<std::size_t>(std::min<std::uint64_t>(gap_, most)) : block_.copy(to, most);
  at_ += count;
  if (!of_gap) {
    block_.remove_prefix(count);
  } else {
    std::fill_n(to, count, '\0');
    gap_ -= count;
  }
  return count;
}

void Unpacker::open(Packing packing) {
  if (is_archive(packing)) {
    check(packing == Packing::tar   ? ::archive_read_support_format_tar(archive_)
          : packing == Packing::zip ? ::archive_read_support_format_zip(archive_)
                                    : ::archive_read_support_format_7zip(archive_));
  } else {
    check(::archive_read_append_filter(archive_, filter_of(packing)));
    check(::archive_read_support_format_raw(archive_));
    check(::archive_read_support_format_empty(archive_));
  }
  check(::archive_read_set_callback_data(archive_, this));
  check(::archive_read_set_read_callback(archive_, &Unpacker::more));
  if (source_->size()) check(::archive_read_set_seek_callback(archive_, &Unpacker::seek));
  check(::archive_read_open1(archive_));
}

bool Unpacker::fetch() {
  const void* bytes = nullptr;
  std::size_t size = 0;
  la_int64_t offset = 0;
  const int status = ::archive_read_data_block(archive_, &bytes, &size, &offset);
  if (status == ARCHIVE_EOF) return false;
  check(status);
  empty_blocks_ = size == 0 ? empty_blocks_ + 1 : 0;
  if (empty_blocks_ > kMostEmptyBlocks) throw Failure{"it does not go on", true};
  if (offset < 0 || static_cast<std::uint64_t>(offset) < at_) throw Failure{"its parts are out of order", true};
  gap_ = static_cast<std::uint64_t>(offset) - at_;
  block_ = {static_cast<const char*>(bytes), size};
  return true;
}

la_ssize_t Unpacker::more(::archive* archive, void* self, const void** bytes) {
  auto& unpacker = *static_cast<Unpacker*>(self);
  try {
    *bytes = unpacker.chunk_.data();
    const std::size_t count = unpacker.source_->read(unpacker.chunk_.data(), unpacker.chunk_.size());
    unpacker.read_ += static_cast<la_int64_t>(count);
    unpacker.source_ended_ = count == 0;
    return static_cast<la_ssize_t>(count);
  } catch (const std::exception& error) {  // no exception may pass through C
    ::archive_set_error(archive, EIO, "%s", error.what());
    return ARCHIVE_FATAL;
  }
}

la_int64_t Unpacker::seek(::archive* archive, void* self, la_int64_t offset, int whence) {
  auto& unpacker = *static_cast<Unpacker*>(self);
  const auto size = static_cast<la_int64_t>(unpacker.source_->size().value_or(0));
  const la_int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? unpacker.read_ : size;
  const la_int64_t place = std::clamp<la_int64_t>(offset, -from, size - from) + from;
  try {
    if (!unpacker.source_->seek(static_cast<std::uint64_t>(place))) return ARCHIVE_FATAL;
  } catch (const std::exception& error) {
    ::archive_set_error(archive, EIO, "%s", error.what());
    return ARCHIVE_FATAL;
  }
  return unpacker.read_ = place;
}

void Unpacker::check(int status) const {
  if (status == ARCHIVE_OK || status == ARCHIVE_WARN) return;
  const char* reason = ::archive_error_string(archive_);
  throw Failure{reason != nullptr ? reason : "it is broken", status == ARCHIVE_FATAL};
}

}  // namespace petri
