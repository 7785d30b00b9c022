// Text from an input, made safe to show: what it may contain must not steer a terminal or break a document.
#pragma once

#include <string>
#include <string_view>

namespace petri {

// UTF-8 without control characters but newline and tab, and without characters that reorder text. Everything else
// becomes U+FFFD.
std::string printable(std::string_view text);

// The same on one line.
std::string printable_line(std::string_view text);

// JSON text of well-formed UTF-8 with those characters written as escapes: the same data.
std::string printable_json(std::string_view json);

}  // namespace petri
