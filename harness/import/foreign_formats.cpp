#include "harness/import/foreign.hpp"

namespace petri {

const std::vector<ForeignFormat>& foreign_formats() {
  static const std::vector<ForeignFormat> formats{};
  return formats;
}

}  // namespace petri
