// Archives and compressed data as other programs write them, in memory.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace petri::test {

class ArchiveWriter {
 public:
  using Setting = int (*)(::archive*);

  ArchiveWriter(Setting format, Setting filter) : archive_(::archive_write_new()) {
    check(format(archive_));
    check(filter(archive_));
    check(::archive_write_set_bytes_per_block(archive_, 0));
    check(::archive_write_open(archive_, &bytes_, nullptr, &ArchiveWriter::keep, nullptr));
  }
  ~ArchiveWriter() { ::archive_write_free(archive_); }
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  void member(const std::string& name, std::string_view bytes, unsigned type = AE_IFREG,
              const char* hardlink = nullptr) {
    ::archive_entry* const entry = ::archive_entry_new();
    ::archive_entry_set_pathname(entry, name.c_str());
    ::archive_entry_set_filetype(entry, type);
    ::archive_entry_set_perm(entry, 0644);
    if (hardlink != nullptr) ::archive_entry_set_hardlink(entry, hardlink);
    ::archive_entry_set_size(entry, static_cast<la_int64_t>(bytes.size()));
    const int status = ::archive_write_header(archive_, entry);
    ::archive_entry_free(entry);
    check(status);
    if (!bytes.empty())
      check(::archive_write_data(archive_, bytes.data(), bytes.size()) < 0 ? ARCHIVE_FATAL : ARCHIVE_OK);
  }

  std::string finish() {
    check(::archive_write_close(archive_));
    return std::move(bytes_);
  }

 private:
  static la_ssize_t keep(::archive*, void* bytes, const void* from, std::size_t count) {
    static_cast<std::string*>(bytes)->append(static_cast<const char*>(from), count);
    return static_cast<la_ssize_t>(count);
  }
  void check(int status) const {
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN) throw std::runtime_error(::archive_error_string(archive_));
  }

  std::string bytes_;
  ::archive* archive_;
};

using Members = std::vector<std::pair<std::string, std::string>>;

inline std::string archive_of(const Members& members,
                              ArchiveWriter::Setting format = ::archive_write_set_format_pax_restricted,
                              ArchiveWriter::Setting filter = ::archive_write_add_filter_none) {
  ArchiveWriter writer(format, filter);
  for (const auto& [name, bytes] : members) writer.member(name, bytes);
  return writer.finish();
}

inline std::string compressed(std::string_view bytes, ArchiveWriter::Setting filter = ::archive_write_add_filter_gzip) {
  ArchiveWriter writer(::archive_write_set_format_raw, filter);
  writer.member("data", bytes);
  return writer.finish();
}

}  // namespace petri::test
