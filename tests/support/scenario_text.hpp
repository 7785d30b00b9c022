// Scenarios for tests, written as the lines of a file between header and end line.
#pragma once

#include <fmt/core.h>

#include <sstream>
#include <string>
#include <string_view>

#include "harness/trace/read.hpp"

namespace petri::test {

// Builds the scenario of a job with `world` ranks. `lines` holds one JSON object a line: communicators, events and
// ends. `header` is put into the header object, e.g. R"("observed":{"verdict":"deadlock"})".
inline Scenario scenario(int world, std::string_view lines, std::string_view header = "") {
  std::string text = fmt::format("{{\"petri\":1,\"job\":\"test\",\"world\":{}{}{}}}\n{}\n", world,
                                 header.empty() ? "" : ",", header, lines);
  std::size_t events = 0;
  for (std::size_t at = text.find("\"op\""); at != std::string::npos; at = text.find("\"op\"", at + 1)) ++events;
  text += fmt::format("{{\"end\":true,\"events\":{}}}\n", events);
  std::erase(text, '\t');
  std::string compact;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (line.find('{') != std::string::npos) compact += line.substr(line.find('{')) + "\n";
  std::istringstream stream(compact);
  return read_scenario(stream, "test");
}

}  // namespace petri::test
