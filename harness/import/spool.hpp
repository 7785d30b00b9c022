// Bytes that are kept to be read again, from any place and by several threads: in memory as long as they are few, then
// in a temporary file that has no name and is gone with its descriptor, whatever happens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "harness/import/trace_files.hpp"

namespace petri {

class Spool {
 public:
  Spool() = default;
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  std::uint64_t size() const { return size_; }

  // Not beside a read. Throws EnvironmentError where the temporary file cannot be made or written.
  void append(std::string_view bytes);

  // Up to `most` bytes from `at` on; 0 at the end only.
  std::size_t read(std::uint64_t at, char* to, std::size_t most) const;

 private:
  void move_to_file();

  std::string memory_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

// The bytes of a spool from `begin` to `end`, which it keeps.
std::unique_ptr<ByteStream> stream_of(std::shared_ptr<const Spool> spool, std::uint64_t begin, std::uint64_t end);

}  // namespace petri
