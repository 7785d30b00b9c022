#include "harness/import/unpack_room.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/import/trace_files.hpp"

namespace petri {
namespace {

constexpr std::size_t kChunk = 1 << 18;

}  // namespace

void fail_of_size(const std::string& name, std::uint64_t most) {
  throw UnpackBoundError(
      name, 0, 0,
      fmt::format("unpacks to more than {} bytes: {} MiB and {} times its own size are the most that is taken", most,
                  kUnpackedOfAny >> 20, kUnpackedOfByte));
}

std::uint64_t most_unpacked(std::uint64_t packed_bytes) {
  const std::uint64_t fitting = (kMostUnpackedBytes - kUnpackedOfAny) / kUnpackedOfByte;
  return kUnpackedOfAny + kUnpackedOfByte * std::min(packed_bytes, fitting);
}

void UnpackRoom::add_source(std::uint64_t bytes) {
  packed_ += bytes;
}

void UnpackRoom::take(ByteStream& from, const std::string& file) {
  const std::uint64_t most = most_unpacked(packed_);
  std::vector<char> chunk(kChunk);
  while (const std::size_t count = from.read(chunk.data(), chunk.size())) {
    unpacked_ += count;
    if (unpacked_ > most) fail_of_size(file, most);
    spool_->append({chunk.data(), count});
  }
}

void UnpackRoom::count_member(const std::string& archive) {
  if (++members_ > kMostTraceFiles)
    throw UnpackBoundError(archive, 0, 0, fmt::format("more than {} files are packed", kMostTraceFiles));
}

}  // namespace petri
