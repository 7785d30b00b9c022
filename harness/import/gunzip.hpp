// Files compressed by gzip, by zlib: libarchive neither checks their checksums nor gives what comes before a break.
#pragma once

#include <cstdint>
#include <memory>

#include "harness/import/trace_files.hpp"

namespace petri {

// As unpacked() (unpack.hpp), for RFC 1952: all members that follow each other; what follows them and is none is
// ignored, as gzip does.
std::unique_ptr<ByteStream> gunzipped(const TraceFile& file, std::uint64_t most);

}  // namespace petri
