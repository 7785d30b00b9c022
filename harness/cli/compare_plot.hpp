// A picture of a comparison: error by number of ranks, a line for each order or kernel in each type.
#pragma once

#include <filesystem>
#include <string>

#include "harness/compare/side_by_side.hpp"

namespace petri::cli {

// Throws UsageError for a name that ends neither in .svg nor in .png, and EnvironmentError where gnuplot is missing: to
// be called before hours of work.
void require_plotter(const std::filesystem::path& file);

// Writes the picture as a whole or not at all. Why nothing is drawn, where there is nothing to draw. Throws
// EnvironmentError where gnuplot fails.
std::string plot(const compare::Reductions& reductions, const compare::Comparison& comparison,
                 const std::filesystem::path& file);

}  // namespace petri::cli
