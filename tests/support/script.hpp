// Scenarios for tests in one line a rank: "win_lock(win=w target=0 lock=exclusive); barrier".
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/scenario_text.hpp"

namespace petri::test {

// `calls` by rank: operations separated by ';', each with its keys as "key=value" in parentheses, separated by spaces.
// A value that is neither number, list, true nor false is a text. `declarations` are lines of communicators.
inline Scenario script(const std::vector<std::string>& calls, std::string_view declarations = "") {
  std::string lines(declarations);
  lines += '\n';
  const auto trimmed = [](std::string_view text) {
    const auto begin = text.find_first_not_of(' ');
    return begin == std::string_view::npos ? std::string_view{}
                                           : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
  };
  const auto quoted = [](std::string_view value) {
    const bool bare = value == "true" || value == "false" || value.front() == '[' || value.front() == '{' ||
                      value.find_first_not_of("0123456789") == std::string_view::npos;
    return bare ? std::string(value) : fmt::format("\"{}\"", value);
  };
  for (std::size_t rank = 0; rank < calls.size(); ++rank) {
    std::string_view rest = calls[rank];
    while (!rest.empty()) {
      const std::string_view call = trimmed(rest.substr(0, rest.find(';')));
      rest = rest.find(';') == std::string_view::npos ? std::string_view{} : rest.substr(rest.find(';') + 1);
      if (call.empty()) continue;
      const auto open = call.find('(');
      const std::string_view name = call.substr(0, open);
      if (name == "end") {
        lines += fmt::format("{{\"rank\":{},\"end\":\"{}\"}}\n", rank, call.substr(open + 1, call.size() - open - 2));
        continue;
      }
      lines += fmt::format("{{\"rank\":{},\"op\":\"{}\"", rank, name);
      std::string_view keys = open == std::string_view::npos ? "" : call.substr(open + 1, call.size() - open - 2);
      while (!(keys = trimmed(keys)).empty()) {
        const std::string_view pair = keys.substr(0, keys.find(' '));
        keys = keys.substr(pair.size());
        const auto equals = pair.find('=');
        lines += fmt::format(",\"{}\":{}", pair.substr(0, equals), quoted(pair.substr(equals + 1)));
      }
      lines += "}\n";
    }
  }
  return scenario(static_cast<int>(calls.size()), lines);
}

}  // namespace petri::test
