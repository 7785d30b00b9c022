#include "harness/report/check_case.hpp"

namespace petri {

std::string_view name_of(CheckState state) {
  switch (state) {
    case CheckState::met: return "met";
    case CheckState::missed: return "missed";
    case CheckState::inconclusive: return "inconclusive";
    case CheckState::unreadable: return "unreadable";
    case CheckState::skipped: break;
  }
  return "skipped";
}

}  // namespace petri
