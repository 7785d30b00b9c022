#include "harness/import/natural_order.hpp"

#include <cctype>
#include <cstddef>
#include <string_view>

namespace petri {

bool natural_less(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::size_t i = 0, k = 0;
  while (i < a.size() && k < b.size()) {
    if (!digit(a[i]) || !digit(b[k])) {
      if (a[i] != b[k]) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[k]);
      ++i, ++k;
      continue;
    }
    const auto number = [&](const std::string& text, std::size_t& at) {
      while (at < text.size() && text[at] == '0') ++at;
      const std::size_t begin = at;
      while (at < text.size() && digit(text[at])) ++at;
      return std::string_view(text).substr(begin, at - begin);
    };
    const std::string_view one = number(a, i), other = number(b, k);
    if (one.size() != other.size()) return one.size() < other.size();
    if (one != other) return one < other;
  }
  if (i == a.size() && k == b.size()) return a < b;  // they differ in leading zeros at most
  return i == a.size();
}

}  // namespace petri
