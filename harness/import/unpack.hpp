// Archives and compressed files, by libarchive (gzip: gunzip.hpp), one layer at a time.
//
// What comes out is bounded by what goes in, so that no few bytes keep anybody busy: libarchive is told which one
// filter or format to take, instead of unpacking whatever it finds in what it unpacks, and every layer counts its
// bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/import/spool.hpp"
#include "harness/import/trace_files.hpp"
#include "harness/trace/error.hpp"

namespace petri {

// More comes out than is taken of what goes in.
class UnpackBoundError : public InputError {
 public:
  using InputError::InputError;
};

enum class Packing : std::uint8_t { none, gzip, zstd, xz, bzip2, lz4, tar, zip, seven_zip };

// By the first bytes of a file.
Packing packing_of(std::string_view head);

constexpr bool is_archive(Packing packing) {
  return packing >= Packing::tar;
}

// How much may come out of a source of so many bytes: what one layer of deflate can hold (1032 for each byte) always
// may. Dumps of text shrink to a tenth, or to a hundredth where ranks are alike.
inline constexpr std::uint64_t kUnpackedOfAny = std::uint64_t{256} << 20;
inline constexpr std::uint64_t kUnpackedOfByte = 1100;
std::uint64_t most_unpacked(std::uint64_t packed_bytes);
[[noreturn]] void fail_of_size(const std::string& name, std::uint64_t most);  // with UnpackBoundError

// What is compressed in a file that is no archive. The stream throws UnpackBoundError beyond `most` bytes, InputError
// where the compression is broken. Where it breaks off, so does the stream, and `file.broken_off` says so.
std::unique_ptr<ByteStream> unpacked(const TraceFile& file, Packing packing, std::uint64_t most);

// Where all archives of some sources are unpacked to, and how much may come of them together.
class UnpackRoom {
 public:
  // A source of so many bytes is packed.
  void add_source(std::uint64_t bytes);

  const std::shared_ptr<Spool>& spool() const { return spool_; }

  // The rest of a stream, behind what is in the spool. Throws UnpackBoundError, which names `file`.
  void take(ByteStream& from, const std::string& file);

  // One more member of an archive, of whatever kind. Throws UnpackBoundError.
  void count_member(const std::string& archive);

 private:
  std::shared_ptr<Spool> spool_ = std::make_shared<Spool>();
  std::uint64_t packed_ = 0, unpacked_ = 0;
  std::size_t members_ = 0;
};

struct ArchiveMember {
  std::string name;          // as the archive has it
  std::uint64_t begin, end;  // in the spool
};

// The regular files in an archive but hidden ones. An archive or a member that breaks off is taken as far as it goes,
// with a note. Throws InputError for an archive that breaks before its first member, and UnpackBoundError.
std::vector<ArchiveMember> unpack(const TraceFile& file, Packing packing, UnpackRoom& room,
                                  std::vector<FileNote>& notes);

}  // namespace petri
