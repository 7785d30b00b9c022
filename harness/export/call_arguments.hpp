// The arguments of a call by name, for formats that show them. Internal to harness/export.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "harness/trace/scenario.hpp"

namespace petri {

// Takes one argument after the other: a text or a number.
struct ArgumentTaker {
  std::function<void(std::string_view name, std::string_view text)> text;
  std::function<void(std::string_view name, std::int64_t number)> number;
};

// Those that are recorded, by the names of a scenario file; lists of numbers as text, of the first hundred.
void give_arguments(const Scenario& scenario, const Event& event, const ArgumentTaker& take);

}  // namespace petri
