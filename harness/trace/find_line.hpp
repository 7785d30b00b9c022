// Where an event stands in its file: for messages about it after it was read.
#pragma once

#include <cstddef>
#include <filesystem>

#include "harness/trace/scenario.hpp"

namespace petri {

// The line, from 1; 0 where the event is not there. Reads the file again up to it; throws as read_scenario does.
std::size_t line_of(const std::filesystem::path& file, EventRef event);

}  // namespace petri
