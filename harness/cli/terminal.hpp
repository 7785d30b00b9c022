// What standard output is connected to.
#pragma once

#include <cstddef>

namespace petri::cli {

// Colour is for terminals only, and for nobody who asked not to have it (NO_COLOR, TERM=dumb).
bool stdout_takes_colour();

// Columns of the terminal, or of COLUMNS, or 100 where there is neither.
std::size_t stdout_width();

}  // namespace petri::cli
