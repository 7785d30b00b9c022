// Numbers in front of nouns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace petri {

// "1 rank", "2 ranks", "0 processes": for nouns that take -s, or -es after an s.
std::string counted(std::uint64_t number, std::string_view noun);

}  // namespace petri
