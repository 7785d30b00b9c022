// How large an order may become.
//
// Trees and parts are small by themselves, but some algorithms have one for each rank and others one for each piece of
// the vector: a name on a command line can stand for terabytes. What makes them tells how much it makes, and is stopped
// at the limit.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace petri::order {

inline constexpr std::uint64_t kMostOrderBytes = std::uint64_t{512} << 20;
// count · ranks of a shape: bytes and the traffic of bytes stay within 64 bits.
inline constexpr std::uint64_t kMostContributions = std::uint64_t{1} << 56;

// An order, or several of them together, would be larger than that.
class TooLarge : public std::length_error {
 public:
  using std::length_error::length_error;
};

// While one of them lives, its thread may make so many bytes of trees and parts. Without one there is no limit.
class Allowance {
 public:
  explicit Allowance(std::uint64_t bytes);
  ~Allowance();
  Allowance(const Allowance&) = delete;
  Allowance& operator=(const Allowance&) = delete;

  // Throws TooLarge where less is left.
  static void spend(std::uint64_t bytes);
  // The same for what will be spent piece by piece, of which so much is sure: it is refused before it is made.
  static void require(std::uint64_t bytes);

 private:
  Allowance* outer_;
  std::uint64_t left_;
};

}  // namespace petri::order
