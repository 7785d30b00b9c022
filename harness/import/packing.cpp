#include "harness/import/packing.hpp"

#include <array>
#include <cstddef>

namespace petri {
namespace {

using namespace std::string_view_literals;

struct Magic {
  Packing packing;
  std::size_t at;
  std::string_view bytes;
};

constexpr std::array kMagics{
    Magic{Packing::gzip, 0, "\x1f\x8b"sv},                 // RFC 1952, section 2.3.1
    Magic{Packing::zstd, 0, "\x28\xb5\x2f\xfd"sv},         // RFC 8878, section 3.1.1
    Magic{Packing::xz, 0, "\xfd\x37zXZ\0"sv},              // The .xz File Format, section 2.1.1.1
    Magic{Packing::bzip2, 0, "BZh"sv},                     // bzip2 1.0, compress.c, BZ2_compressBlock
    Magic{Packing::lz4, 0, "\x04\x22\x4d\x18"sv},          // LZ4 Frame Format, General Structure
    Magic{Packing::zip, 0, "PK\x03\x04"sv},                // APPNOTE.TXT, section 4.3.7
    Magic{Packing::zip, 0, "PK\x05\x06"sv},                // section 4.3.16: nothing is in it
    Magic{Packing::seven_zip, 0, "7z\xbc\xaf\x27\x1c"sv},  // 7zFormat.txt, Signature Header
    Magic{Packing::tar, 257, "ustar"sv},                   // POSIX.1-2017, pax, "ustar Interchange Format"
};

}  // namespace

Packing packing_of(std::string_view head) {
  for (const Magic& magic : kMagics)
    if (head.size() > magic.at && head.substr(magic.at).starts_with(magic.bytes)) return magic.packing;
  return Packing::none;
}

}  // namespace petri
