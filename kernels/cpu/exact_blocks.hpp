// Error-free sums of short blocks by vector instructions: the fast path of ExactSum.
//
// With A = 1.5·2^e, adding x to it rounds x to a multiple of u = 2^(e-52): t = fl(A + x), q = fl(t - A), r = fl(x - q).
// As long as every such t has the exponent of A, all |x| are at most |A|, so q and r are exact (Dekker's FastTwoSum,
// Numer. Math. 18, 1971) and |r| <= u/2. t takes the place of A, and r goes to the next level, whose exponent is lower
// by 52 less the bits that the number of additions needs; after the last level r must be zero. Then the sum of the
// block is that of the levels' differences from their anchors, and since no sum left its binade, these are the
// differences of the bit patterns as integers, in units of u. Both conditions are checked, not assumed: the exponents
// of the first level's sums, and what is left after the last level. So a window may be guessed from an earlier block.
// (Extraction by a large constant is from Rump, Ogita and Oishi, "Accurate floating-point summation", SIAM J. Sci.
// Comput. 31, 2008.)
//
// Floats need no extraction where their exponents lie close enough together that double holds their sum exactly; this
// again is checked.
//
// A device kernel may do it in any other way: an exact sum is one value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace petri::kernels {

// The largest number of elements of a block.
inline constexpr std::size_t kExactBlock = 4096;
inline constexpr int kMaxLevels = 4;

// The binary places that a block's elements lie in.
struct Window {
  int top = 0;     // all magnitudes are below 2^top
  int levels = 0;  // as many as reach down to the last bit of all elements
  friend bool operator==(const Window&, const Window&) = default;
};

// Levels that float and double data with an ordinary spread of magnitudes need: the number to guess.
template <class T>
inline constexpr int kUsualLevels = sizeof(T) == sizeof(double) ? 2 : 1;

// A sum: that of integers[j] · 2^exponents[j] for all j < levels.
struct LevelSums {
  std::array<std::int64_t, kMaxLevels> integers{};
  std::array<int, kMaxLevels> exponents{};
};

// How many blocks of one window may be added to one LevelSums without overflow.
inline constexpr int kBlocksInLevelSums = 8;

// For T float and double, in the default floating-point environment (round to nearest, no flush to zero), and on the
// widest vectors that there are, or those of a ForcedSimdTarget.

// The smallest window that holds these elements; nothing where one is NaN or infinite, the largest too near to the end
// of double's range, or the smallest too far below it.
template <class T>
std::optional<Window> window_of(const T* elements, std::size_t count);

// Adds the sum of at most kExactBlock elements to `sums`, which holds those of other blocks of the same window, or
// zero. False, and `sums` as it was, where the window does not hold these elements.
template <class T>
bool add_block(const T* elements, std::size_t count, const Window& window, LevelSums& sums);

}  // namespace petri::kernels
