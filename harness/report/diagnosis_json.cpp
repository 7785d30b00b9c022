#include <nlohmann/json.hpp>

#include "harness/report/diagnosis.hpp"
#include "harness/report/text.hpp"
#include "harness/trace/write.hpp"

namespace petri {
namespace {

using json = nlohmann::ordered_json;

// An implied finalize has the number that the next event would have.
json place(const Scenario& scenario, EventRef ref) {
  if (const Event* event = event_of(scenario, ref)) return {{"rank", ref.rank}, {"seq", event->seq}};
  const auto& events = scenario.ranks[static_cast<std::size_t>(ref.rank)].events;
  return {{"rank", ref.rank}, {"seq", events.empty() ? 0 : events.back().seq + 1}};
}

// The call at a place: what a program needs to show it or to find it in the source. Its arguments have the names and
// meanings of the scenario file; what was in its buffers is left there.
json call(const Scenario& scenario, EventRef ref) {
  json object = place(scenario, ref);
  const Event* event = event_of(scenario, ref);
  object["op"] = event != nullptr ? name_of(event->op) : "finalize";
  object["comm"] = event != nullptr ? scenario.comm_of(*event).name : "world";
  if (event == nullptr) return object;
  const json line = json::parse(line_of(scenario, ref));
  for (const auto& [key, value] : line.items())
    if (key != "values" && key != "fill" && key != "npy" && key != "time") object[key] = value;
  return object;
}

json finding(const Scenario& scenario, const Finding& finding) {
  json object{{"kind", name_of(finding.kind)}, {"signature", finding.signature}, {"culprits", finding.culprits}};
  if (finding.call)
    object["call"] = call(scenario, *finding.call);
  else if (!finding.events.empty())
    object["call"] = call(scenario, finding.events.front());
  object["events"] = json::array();
  for (const EventRef ref : finding.events) object["events"].push_back(call(scenario, ref));
  object["expected"] = finding.expected;
  object["actual"] = finding.actual;
  object["text"] = finding.text;
  object["evidence"] = finding.evidence;
  return object;
}

}  // namespace

std::string render_json(const Diagnosis& diagnosis, const Scenario& scenario) {
  json out;
  out["verdict"] = name_of(diagnosis.verdict);
  out["signature"] = diagnosis.signature;
  out["assumptions"] = diagnosis.assumptions;
  out["certainty"] = name_of(diagnosis.certainty);
  out["orders"] = diagnosis.orders;
  out["findings"] = json::array();
  for (const Finding& each : diagnosis.findings) out["findings"].push_back(finding(scenario, each));
  out["notes"] = diagnosis.notes;
  out["blocked"] = json::array();
  for (std::size_t rank = 0; rank < diagnosis.blocked.size(); ++rank)
    if (const auto index = diagnosis.blocked[rank])
      out["blocked"].push_back(call(scenario, {static_cast<std::int32_t>(rank), *index}));
  return printable_json(out.dump(-1, ' ', false, json::error_handler_t::replace)) + '\n';
}

}  // namespace petri
