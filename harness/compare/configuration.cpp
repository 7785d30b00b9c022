#include "harness/compare/configuration.hpp"

#include <algorithm>
#include <cctype>

namespace petri::compare {
namespace {

// An order's name in its parts.
struct Parts {
  std::string algorithm, version, chunking, accumulator;
};

// What stands behind `mark`, which is taken off `text`.
std::string taken_behind(std::string& text, char mark) {
  const auto at = text.find(mark);
  if (at == std::string::npos) return {};
  std::string behind = text.substr(at + 1);
  text.resize(at);
  return behind;
}

Parts parts_of(const std::string& name) {
  Parts parts;
  parts.algorithm = name;
  parts.accumulator = taken_behind(parts.algorithm, '@');
  // A library's colon may stand before an algorithm's number or before channels; options follow a plus.
  const auto slash = parts.algorithm.find('/');
  const auto dash = parts.algorithm.find('-');
  if (slash != std::string::npos && dash < slash) {
    parts.version = parts.algorithm.substr(dash + 1, slash - dash - 1);
    parts.algorithm.erase(dash, slash - dash);
  }
  if (!parts.algorithm.starts_with("openmpi/")) {
    parts.chunking = taken_behind(parts.algorithm, ':');
    return parts;
  }
  const auto segment = parts.algorithm.find("+segment=");
  if (segment == std::string::npos) return parts;
  const auto end = std::min(parts.algorithm.find('+', segment + 1), parts.algorithm.size());
  parts.chunking = parts.algorithm.substr(segment + 1, end - segment - 1);
  parts.algorithm.erase(segment, end - segment);
  return parts;
}

}  // namespace

std::string_view name_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::algorithm: return "algorithm";
    case Dimension::library: return "library version";
    case Dimension::chunking: return "channels, pieces, arity or seed";
    case Dimension::accumulator: return "type that is summed in";
    case Dimension::kernel: return "kernel";
    case Dimension::ranks: return "number of ranks";
    case Dimension::layout: return "layout over hosts";
    case Dimension::type: return "element type";
    case Dimension::execution: return "predicted or measured";
  }
  return "";
}

std::string Configuration::how() const {
  return (kernel ? "kernel " + std::string(kernels::name_of(*kernel)) : order) + (measured ? ", measured" : "");
}

std::string value_of(const Configuration& c, Dimension dimension) {
  switch (dimension) {
    case Dimension::algorithm: return c.kernel ? "" : parts_of(c.order).algorithm;
    case Dimension::library: return c.kernel ? "" : parts_of(c.order).version;
    case Dimension::chunking: return c.kernel ? "" : parts_of(c.order).chunking;
    case Dimension::accumulator: return c.kernel ? "" : parts_of(c.order).accumulator;
    case Dimension::kernel: return c.kernel ? std::string(kernels::name_of(*c.kernel)) : "";
    case Dimension::ranks: return std::to_string(c.ranks);
    case Dimension::layout: return c.layout;
    case Dimension::type: return std::string(petri::name_of(c.type));
    case Dimension::execution: return c.measured ? "measured" : "";
  }
  return {};
}

std::vector<Dimension> differences(const Configuration& one, const Configuration& other) {
  std::vector<Dimension> found;
  for (const Dimension dimension : kDimensions)
    if (value_of(one, dimension) != value_of(other, dimension)) found.push_back(dimension);
  return found;
}

}  // namespace petri::compare
