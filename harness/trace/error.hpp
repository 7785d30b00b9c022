// The two errors that a user meets: unreadable input and a missing part of the environment.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace petri {

// Input that cannot be read or is broken inside: exit status 2. `what()` is "file:line:column: reason"; line and column
// count from 1 and are left out when they are 0.
class InputError : public std::runtime_error {
 public:
  InputError(const std::string& file, std::size_t line, std::size_t column, const std::string& reason);

  const std::string& file() const { return file_; }  // as it was named
  std::size_t line() const { return line_; }         // 0: the file as a whole

 private:
  std::string file_;
  std::size_t line_;
};

// A needed program, library, device or permission is missing: exit status 3. The text names it and what to do.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace petri
