// Lists of words in an event's text, as in "noprecede,nosucceed".
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace petri {

inline std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace petri
