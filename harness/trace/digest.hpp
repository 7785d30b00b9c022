// Digests of bytes: XXH3 with 128 bits. They find identical bytes; they are no proof against an adversary.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace petri {

std::string digest_of(std::span<const std::byte> bytes);  // "xxh3-128:<32 hex digits>"
std::string digest_of(std::string_view text);
// The digest of bytes that come in pieces: of all of them, however they were cut.
class Digest {
 public:
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;
  void add(std::string_view bytes);
  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string digest_of_file(const std::filesystem::path& file);  // throws std::system_error

}  // namespace petri
