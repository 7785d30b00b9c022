#include "harness/trace/error.hpp"

#include <fmt/format.h>

#include "harness/trace/printable.hpp"

namespace petri {
namespace {

std::string place(const std::string& file, std::size_t line, std::size_t column) {
  if (line == 0) return file;
  if (column == 0) return fmt::format("{}:{}", file, line);
  return fmt::format("{}:{}:{}", file, line, column);
}

}  // namespace

InputError::InputError(const std::string& file, std::size_t line, std::size_t column, const std::string& reason)
    : std::runtime_error(printable_line(place(file, line, column) + ": " + reason)), file_(file), line_(line) {}

}  // namespace petri
