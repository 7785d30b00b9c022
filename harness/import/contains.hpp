// A search for texts whose first letter is frequent, such as a quote in JSON: there std::string_view::find is slow.
#pragma once

#include <string.h>  // memmem, of POSIX 2024 and of glibc before

#include <string_view>

namespace petri {

// Texts without a place (a default std::string_view) have nothing in them; memmem must not be asked about them.
inline bool contains(std::string_view text, std::string_view part) {
  return part.size() <= text.size() &&
         (part.empty() || ::memmem(text.data(), text.size(), part.data(), part.size()) != nullptr);
}

}  // namespace petri
