// "Did you mean …": the known name nearest to a mistyped one.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace petri {

// The name with the smallest edit distance (insertion, removal, change, swap of neighbours) to `text`, the first of
// equals; nothing where even that one is too far off to be meant.
std::optional<std::string_view> nearest(std::string_view text, std::span<const std::string_view> names);

}  // namespace petri
