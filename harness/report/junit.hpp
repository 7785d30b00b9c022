// JUnit XML, as CI systems read it: test suites with their cases.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace petri {

struct JunitCase {
  // `failed`: an expectation was not met. `error`: it could not be judged. `skipped`: what it needs is missing here.
  enum class Result : std::uint8_t { passed, failed, error, skipped };

  std::string name;
  std::string classname;  // the group that viewers show it under, e.g. the folder
  double seconds = 0;
  Result result = Result::passed;
  std::string message;  // one line: why it is not passed
  std::string detail;   // the whole story, e.g. a diagnosis
  std::string output;   // what the run printed
};

struct JunitSuite {
  std::string name;
  std::vector<JunitCase> cases;
};

// The document's text. Characters that XML 1.0 cannot carry become U+FFFD.
std::string render_junit(const std::vector<JunitSuite>& suites);

// Throws std::system_error where the file cannot be written.
void write_junit(const std::vector<JunitSuite>& suites, const std::filesystem::path& file);

}  // namespace petri
