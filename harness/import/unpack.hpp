// Archives and compressed files, by libarchive.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/import/trace_files.hpp"

namespace petri {

// Do these first bytes belong to a compressed file or an archive that libarchive unpacks?
bool is_packed(std::string_view head);

// Are there members in a packed file, or is one file compressed in it?
bool is_archive(const TraceFile& file);

// What is compressed in a file that is no archive.
std::unique_ptr<ByteStream> unpacked(const TraceFile& file);

struct ArchiveMember {
  std::string name;  // as the archive has it
  std::function<std::unique_ptr<ByteStream>()> open;
};

// The regular files in an archive, unpacked into one temporary file that has no name and goes with the last of them.
std::vector<ArchiveMember> unpack(const TraceFile& file);

}  // namespace petri
