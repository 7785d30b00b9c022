// How much may come out of what is packed, and where it is put. Internal to harness/import.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "harness/import/spool.hpp"
#include "harness/trace/error.hpp"

namespace petri {

// More comes out than is taken of what goes in.
class UnpackBoundError : public InputError {
 public:
  using InputError::InputError;
};

// How much may come out of a source of so many bytes: what one layer of deflate can hold (1032 for each byte) always
// may. Dumps of text shrink to a tenth, or to a hundredth where ranks are alike.
inline constexpr std::uint64_t kUnpackedOfAny = std::uint64_t{256} << 20;
inline constexpr std::uint64_t kUnpackedOfByte = 1100;
std::uint64_t most_unpacked(std::uint64_t packed_bytes);
[[noreturn]] void fail_of_size(const std::string& name, std::uint64_t most);  // with UnpackBoundError

// Where all archives of some sources are unpacked to, and how much may come of them together.
class UnpackRoom {
 public:
  // A source of so many bytes is packed.
  void add_source(std::uint64_t bytes);

  const std::shared_ptr<Spool>& spool() const { return spool_; }

  // The rest of a stream, behind what is in the spool. Throws UnpackBoundError, which names `file`.
  void take(ByteStream& from, const std::string& file);

  // One more member of an archive, of whatever kind. Throws UnpackBoundError.
  void count_member(const std::string& archive);

 private:
  std::shared_ptr<Spool> spool_ = std::make_shared<Spool>();
  std::uint64_t packed_ = 0, unpacked_ = 0;
  std::size_t members_ = 0;
};

}  // namespace petri
