// Any bytes as a RAS report: a scenario whose text says it all, or an InputError. A zero byte divides the input into
// several reports.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/import/nccl_ras.hpp"
#include "harness/trace/error.hpp"
#include "tests/fuzz/hold.hpp"
#include "tests/import/memory_trace.hpp"
#include "tests/trace/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace petri;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::vector<TraceFile> files;
  while (files.size() < 3) {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    files.push_back(test::memory_trace("report", std::string(rest.substr(0, end))));
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  ImportNotes notes;
  try {
    const Scenario scenario = read_ras_reports(files, notes);
    if (scenario.world() > 1000) return 0;  // no lines of its ranks are worth the time
    const std::string text = test::written(scenario);
    fuzz::require(test::written(test::read_text(text)) == text, "what is written is read as what it is");
  } catch (const InputError&) {
    return 0;
  }
  return 0;
}
