// A file for readers that take a path: in memory alone, so that nothing is left and nothing waits for a disk.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "tests/fuzz/hold.hpp"

namespace petri::fuzz {

class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) { require(descriptor_ >= 0, "a file in memory"); }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

  void write(std::string_view text) const {
    require(ftruncate(descriptor_, 0) == 0, "emptied");
    const auto size = static_cast<ssize_t>(text.size());
    require(pwrite(descriptor_, text.data(), text.size(), 0) == size, "written");
  }

  std::string read() const {
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t got = 0; (got = pread(descriptor_, part.data(), part.size(), static_cast<off_t>(text.size()))) > 0;)
      text.append(part.data(), static_cast<std::size_t>(got));
    return text;
  }

 private:
  int descriptor_;
};

}  // namespace petri::fuzz
