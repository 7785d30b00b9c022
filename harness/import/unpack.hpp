// Archives and compressed files, by libarchive (gzip: gunzip.hpp), one layer at a time.
//
// What comes out is bounded by what goes in, so that no few bytes keep anybody busy: libarchive is told which one
// filter or format to take, instead of unpacking whatever it finds in what it unpacks, and every layer counts its
// bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/import/packing.hpp"
#include "harness/import/trace_files.hpp"
#include "harness/import/unpack_room.hpp"

namespace petri {

// What is compressed in a file that is no archive. The stream throws UnpackBoundError beyond `most` bytes, InputError
// where the compression is broken. Where it breaks off, so does the stream, and `file.broken_off` says so.
std::unique_ptr<ByteStream> unpacked(const TraceFile& file, Packing packing, std::uint64_t most);

struct ArchiveMember {
  std::string name;          // as the archive has it
  std::uint64_t begin, end;  // in the spool
};

// The regular files in an archive but hidden ones. An archive or a member that breaks off is taken as far as it goes,
// with a note. Throws InputError for an archive that breaks before its first member, and UnpackBoundError.
std::vector<ArchiveMember> unpack(const TraceFile& file, Packing packing, UnpackRoom& room,
                                  std::vector<FileNote>& notes);

}  // namespace petri
