// How a file is packed. Internal to harness/import.
#pragma once

#include <cstdint>
#include <string_view>

namespace petri {

enum class Packing : std::uint8_t { none, gzip, zstd, xz, bzip2, lz4, tar, zip, seven_zip };

// By the first bytes of a file.
Packing packing_of(std::string_view head);

constexpr bool is_archive(Packing packing) {
  return packing >= Packing::tar;
}

}  // namespace petri
