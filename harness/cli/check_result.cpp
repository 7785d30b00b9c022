#include "harness/cli/check_result.hpp"

#include <nlohmann/json.hpp>

#include "harness/report/text.hpp"

namespace petri::cli {

std::optional<EventRef> culprit_of(const Diagnosis& diagnosis, const Scenario& judged) {
  if (diagnosis.findings.empty()) return std::nullopt;
  const Finding& root = diagnosis.findings.front();
  if (!root.call && root.events.empty()) return std::nullopt;
  const EventRef ref = root.call ? *root.call : root.events.front();
  if (event_of(judged, ref) == nullptr) return std::nullopt;
  return ref;
}

std::string site_of_culprit(const Diagnosis& diagnosis, const Scenario& judged) {
  const std::optional<EventRef> ref = culprit_of(diagnosis, judged);
  return ref ? judged.symbols.text(at(judged, *ref).site) : std::string();
}

std::string to_text(const CheckResult& result) {
  const nlohmann::json json{
      {"state", result.state},       {"text", result.text},     {"detail", result.detail},
      {"expected", result.expected}, {"actual", result.actual}, {"site", result.site},
      {"line", result.line},         {"lacks", result.lacks},   {"passed_over", result.passed_over}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

CheckResult check_result_from(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text);
  CheckResult result{json.at("state").get<CheckState>(), json.at("text").get<std::string>()};
  json.at("detail").get_to(result.detail);
  json.at("expected").get_to(result.expected);
  json.at("actual").get_to(result.actual);
  json.at("site").get_to(result.site);
  json.at("line").get_to(result.line);
  json.at("lacks").get_to(result.lacks);
  json.at("passed_over").get_to(result.passed_over);
  return result;
}

}  // namespace petri::cli
