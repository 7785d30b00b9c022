#include "harness/report/gitlab.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/trace/digest.hpp"
#include "harness/trace/printable.hpp"

namespace petri {
namespace {

const char* severity_of(CheckState state) {
  switch (state) {
    case CheckState::missed: return "critical";
    case CheckState::unreadable: return "major";
    default: return "minor";
  }
}

std::string fingerprint_of(const CheckCase& check) {
  const char separator = '\0';
  const std::string digest =
      digest_of(check.reproducer.file + separator + check.mode + separator + std::string(name_of(check.state)));
  return digest.substr(digest.rfind(':') + 1);
}

nlohmann::ordered_json entry(const CheckCase& check) {
  const SourceLine place = place_of(check);
  return {{"description", printable_line(fmt::format("{}: {}", name_of(check), check.text))},
          {"check_name", fmt::format("petri-{}", name_of(check.state))},
          {"fingerprint", fingerprint_of(check)},
          {"severity", severity_of(check.state)},
          {"location", {{"path", printable_line(place.file)}, {"lines", {{"begin", place.line}}}}}};
}

}  // namespace

std::string render_gitlab(const std::vector<CheckCase>& checks) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const CheckCase& check : checks)
    if (!is_fine(check.state)) list.push_back(entry(check));
  return list.dump(2) + '\n';
}

}  // namespace petri
