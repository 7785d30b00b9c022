// Arrays in NumPy's file format, versions 1.0 to 3.0 (numpy.lib.format): a magic string, a header that is the text of a
// Python dictionary, and the elements.
//
// What the header claims is not believed: everything is held against the size of the file before any of it is used. An
// array is read piece by piece, so that no file is too large.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/types/element_type.hpp"

namespace petri {

struct NpyHeader {
  ElementType type = ElementType::unknown;  // "V2" is what NumPy makes of a bfloat16 that it does not know
  bool big_endian = false;
  bool fortran_order = false;        // the first axis varies fastest
  std::vector<std::uint64_t> shape;  // empty: a scalar
  std::uint64_t elements = 1;
  std::uint64_t data = 0;  // where the elements begin in the file
};

inline constexpr std::size_t kMostNpyHeader = 65536 + 12;  // with the magic string, the version and the length

// `start` is what a file of `size` bytes begins with: up to kMostNpyHeader bytes of it. Throws std::invalid_argument
// with the reason for what is no such array, has elements that are no numbers, or does not fill the file exactly.
NpyHeader parse_npy_header(std::string_view start, std::uint64_t size);

// Opened for each piece: there may be one for each of many ranks. Several threads may read one.
class NpyFile {
 public:
  // Throws InputError.
  explicit NpyFile(std::string path);

  const std::string& path() const { return path_; }
  const NpyHeader& header() const { return header_; }

  // `count` elements from `first` on, the last axis varying fastest, in this machine's byte order. They must be there.
  // Throws InputError where the file has become shorter.
  void read(std::uint64_t first, std::size_t count, std::byte* out) const;
  // The same as numbers: integers beyond 2^53 are rounded.
  void read(std::uint64_t first, std::span<double> out) const;

 private:
  void gather(std::uint64_t first, std::size_t count, std::byte* out) const;

  std::string path_;
  NpyHeader header_;
};

}  // namespace petri
