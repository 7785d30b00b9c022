// libarchive reading from a stream of ours, in one format or through one filter. Internal to harness/import.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/import/packing.hpp"
#include "harness/import/spool.hpp"

namespace petri {

class Unpacker {
 public:
  // What the members throw.
  struct Failure {
    std::string reason;
    bool final;  // nothing can be read behind it
  };

  Unpacker(Packing packing, std::unique_ptr<ByteStream> source);
  ~Unpacker();
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  bool source_ended() const { return source_ended_; }
  std::uint64_t source_bytes() const { return static_cast<std::uint64_t>(read_); }  // that were read of it

  // The next member, or nothing at the end. It is libarchive's, until the next call.
  ::archive_entry* next();

  // Of the member. Block by block, so that nothing is lost that comes before a failure; holes of sparse files are
  // zeros. 0 at its end.
  std::size_t read(char* to, std::size_t most);

 private:
  void open(Packing packing);
  bool fetch();
  void check(int status) const;

  // libarchive's callbacks (archive_read_open(3)).
  static la_ssize_t more(::archive* archive, void* self, const void** bytes);
  static la_int64_t seek(::archive* archive, void* self, la_int64_t offset, int whence);

  std::unique_ptr<ByteStream> source_;
  la_int64_t read_ = 0;  // of the source
  bool source_ended_ = false;
  int empty_blocks_ = 0;  // in a row
  ::archive* archive_;
  std::vector<char> chunk_;         // of the source
  std::string_view block_;          // of the member, what was fetched and not yet read
  std::uint64_t gap_ = 0, at_ = 0;  // the hole before it, and the place in the member
};

}  // namespace petri
