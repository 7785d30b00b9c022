// Files that are written as a whole, or not at all, and small ones that are read as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>

namespace petri {

// Where writing to a path leads, all its links followed.
struct WritePlace {
  std::filesystem::path file;  // no link; it need not exist
  int descriptor = -1;         // an open one of this process that the path names, such as 3 by /dev/fd/3
  bool special = false;        // a descriptor, device, pipe or socket: nothing that a new file may take the place of
};

// Throws std::system_error where the links go round in a circle.
WritePlace place_of(const std::filesystem::path& file);

// Writing to one would overwrite, or mix with, what is written to the other. Devices such as /dev/null take both.
bool same_place(const std::filesystem::path& a, const std::filesystem::path& b);

// `put` writes the text to the stream. It goes to a temporary file beside its place, which is renamed at the end, so
// that no half-written file ever has the final name; a link stays, and what it leads to is replaced. To what is
// special, the text is written as it is. Throws std::system_error when the system refuses; no temporary file is left.
void write_whole(const std::filesystem::path& file, const std::function<void(std::ostream&)>& put);

// All that a regular file has, if that is no more than `most` bytes. Throws InputError where it has more, is no file,
// or cannot be read; says what the system says.
std::string read_whole(const std::filesystem::path& file, std::uint64_t most = std::uint64_t{64} << 20);

// The same into a place that it fills exactly.
void read_whole(const std::filesystem::path& file, std::span<std::byte> into);

}  // namespace petri
