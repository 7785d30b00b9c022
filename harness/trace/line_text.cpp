#include "harness/trace/line_text.hpp"

#include <algorithm>

namespace petri {

InputError LineText::error_at(const char* at, const std::string& reason) const {
  const std::string_view before = text_.substr(0, static_cast<std::size_t>(at - start()));
  const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return InputError(file_, number_ + lines, before.size() - line_start + 1, reason);
}

}  // namespace petri
