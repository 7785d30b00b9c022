// Any scenario that can be read has a diagnosis, the same each time, whose findings point at events that are there.
#include <cstdint>
#include <sstream>
#include <string>

#include "harness/diagnose/diagnose.hpp"
#include "harness/report/diagnosis.hpp"
#include "tests/fuzz/hold.hpp"
#include "tests/trace/text.hpp"

namespace {

using namespace petri;
using fuzz::require;

constexpr std::int32_t kMostRanks = 64;  // more are legal, and slow
constexpr std::uint64_t kMostOrders = 100;

// The end line counts events, which hardly any change of an input leaves right.
std::string with_an_end_line(const std::string& text) {
  std::istringstream in(text);
  std::string whole;
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with("{\"end\"")) whole += line + '\n';
  return whole + "{\"end\":true}\n";
}

bool is_there(const Scenario& scenario, const EventRef& ref) {
  if (ref.rank < 0 || ref.rank >= scenario.world()) return false;
  return ref.index <= scenario.ranks[static_cast<std::size_t>(ref.rank)].events.size();  // its end: finalize
}

void require_sound(const Diagnosis& diagnosis, const Scenario& scenario) {
  const bool fails = diagnosis.verdict != Verdict::completes && diagnosis.verdict != Verdict::ambiguous;
  require(!fails || (!diagnosis.signature.empty() && !diagnosis.findings.empty()), "a failure has its name and story");
  for (const Finding& finding : diagnosis.findings) {
    for (const std::int32_t rank : finding.culprits)
      require(rank >= 0 && rank < scenario.world(), "a culprit is a rank");
    for (const EventRef& ref : finding.events) require(is_there(scenario, ref), "an event that is there");
    require(!finding.call || is_there(scenario, *finding.call), "a call that is there");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = with_an_end_line({reinterpret_cast<const char*>(data), size});
  if (text.find("00000") != std::string::npos) return 0;  // a million ranks may be named
  try {
    const Scenario scenario = test::read_text(text);
    if (scenario.world() > kMostRanks) return 0;
    const DiagnoseOptions options{.buffered = {}, .max_orders = kMostOrders};
    const Diagnosis diagnosis = diagnose(scenario, options);
    require_sound(diagnosis, scenario);
    require(diagnose(scenario, options).signature == diagnosis.signature, "the same diagnosis each time");
    require(!render_text(diagnosis, scenario).empty(), "something to read");
  } catch (const InputError&) {
    return 0;
  }
  return 0;
}
