// The files of which a foreign trace consists, as they come: in folders, in archives, compressed or not.
//
// Folders are searched with all that is below them, hidden files left out, in the order of names in which numbers
// count as numbers (rank_2 before rank_10). Members of archives (tar, zip, …) are files like others, and a compressed
// file is what is compressed in it. Nothing is written anywhere but to a temporary file without a name, into which
// archives are unpacked once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace petri {

// Bytes from their beginning to their end. Methods throw InputError where the medium fails or the compression is
// broken.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  virtual std::size_t read(char* to, std::size_t most) = 0;  // 0 at the end only

  // Streams of bytes that lie somewhere also know how many they are, and go to a place among them.
  virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
  virtual bool seek(std::uint64_t) { return false; }  // false where that is not possible
};

struct TraceFile {
  std::string name;            // as messages call it: "dumps/rank_3", "dumps.tar.gz/rank_3"
  std::string leaf;            // its own name, without folders and without the suffix of a compression: "rank_3"
  std::string head;            // its first bytes, unpacked: up to kHeadBytes of them, by which its format is recognized
  std::filesystem::path path;  // where it lies unpacked; empty: in an archive, or compressed
  std::function<std::unique_ptr<ByteStream>()> open;   // at its beginning; several may be open, in several threads
  std::shared_ptr<std::atomic<bool>> broken_off = {};  // set where a stream ended since its compression breaks off
};

inline constexpr std::size_t kHeadBytes = 4096;
inline constexpr std::size_t kMostTraceFiles = 1 << 20;
inline constexpr std::uint64_t kMostUnpackedBytes = std::uint64_t{1} << 38;  // of all archives together

class Spool;

// A file or folder; or bytes that lie nowhere, such as those of a pipe, which have no name that could tell a rank.
struct TraceSource {
  TraceSource(std::filesystem::path place) : path(std::move(place)) {}
  TraceSource(const std::string& name, std::shared_ptr<const Spool> kept) : path(name), bytes(std::move(kept)) {}

  std::filesystem::path path;  // of bytes, what messages call them
  std::shared_ptr<const Spool> bytes;
};

// What is to be said of a file or folder that is left out, or used in part.
struct FileNote {
  std::string name;
  std::string text;
};

// Throws InputError for a source that is not there, for one given alone that cannot be read or unpacked, and above the
// limits here and in unpack.hpp. Of several sources, or of what is in a folder, a file that cannot be read or unpacked
// is left out: the others may tell all the same. A file that several sources name is taken once.
std::vector<TraceFile> trace_files(const std::vector<TraceSource>& sources, std::vector<FileNote>& notes);

// All bytes of a file; throws InputError where there are more than `most`.
std::string read_whole(const TraceFile& file, std::uint64_t most);

// A digest by which the same files are known again: of their own names and bytes, in this order. One that breaks off
// counts as far as it can be read.
std::string digest_of_files(const std::vector<TraceFile>& files);

}  // namespace petri
