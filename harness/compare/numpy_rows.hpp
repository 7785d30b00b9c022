// What ranks contribute, from NumPy files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "harness/trace/npy.hpp"
#include "kernels/cpu/payload.hpp"
#include "kernels/types/element_type.hpp"

namespace petri::compare {

// A pattern as a shell has it, "rank-*.npy", or else a list: "a.npy,b.npy".
bool is_pattern(const std::string& text);
// The files that a text names; of a pattern those that match, in the order of the numbers in their names: rank-2 before
// rank-10. A pattern that matches nothing names itself.
std::vector<std::string> files_named(const std::string& text);

// Several threads may write from one.
class NumpyRows {
 public:
  // Of one file, the first axis is the ranks; of several, each is one rank's. Throws InputError for what is no array of
  // numbers, for files of different lengths or types, and for more ranks than 2^20.
  explicit NumpyRows(const std::vector<std::string>& paths);

  std::int32_t rows() const { return rows_; }
  std::uint64_t count() const { return count_; }  // of each
  ElementType type() const { return files_.front().header().type; }
  // The type to reduce them in where nobody says: their own, or the next wider one that can be reduced.
  ElementType usual_type() const;

  // Elements [first, first + count) of a row: as they are in their own type; in another one rounded to nearest,
  // integers kept within its range, and what is lost so added to `loss`. Integers beyond 2^53 are rounded on the way to
  // a floating-point type.
  void write(std::int32_t row, ElementType type, std::uint64_t first, std::size_t count, std::byte* out,
             kernels::ConversionLoss* loss) const;

 private:
  std::deque<NpyFile> files_;
  std::int32_t rows_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace petri::compare
