#include "harness/trace/counted.hpp"

namespace petri {

std::string counted(std::uint64_t number, std::string_view noun) {
  std::string text = std::to_string(number) + " ";
  text += noun;
  if (number != 1) text += noun.ends_with('s') ? "es" : "s";
  return text;
}

}  // namespace petri
