// Digests of bytes: XXH3 with 128 bits. They find identical bytes; they are no proof against an adversary.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace petri {

std::string digest_of(std::span<const std::byte> bytes);  // "xxh3-128:<32 hex digits>"
std::string digest_of(std::string_view text);
std::string digest_of_file(const std::filesystem::path& file);  // throws std::system_error

}  // namespace petri
