#include "harness/import/nccl_log.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "harness/import/nccl_log_line.hpp"
#include "harness/import/nccl_log_scenario.hpp"
#include "harness/trace/error.hpp"

namespace petri {
namespace {

constexpr std::size_t kLookedAt = 4 << 20;  // of a text in which a program wrote much before NCCL did

bool has_message(std::string_view text) {
  for (std::size_t at = text.find("NCCL "); at != std::string_view::npos; at = text.find("NCCL ", at)) {
    const std::size_t begin = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    const std::size_t first = begin == std::string_view::npos ? 0 : begin + 1;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string room;
    const std::string_view line = without_escapes(text.substr(first, end - first), room);
    if (LogLine(line).next()) return true;
    at = end;
  }
  return false;
}

}  // namespace

bool is_nccl_log(const TraceFile& file) {
  if (file.head.find('\0') != std::string::npos || file.head.starts_with("{\"petri\"")) return false;
  if (has_message(file.head)) return true;
  if (file.head.size() < kHeadBytes) return false;
  std::string text(kLookedAt, '\0');
  const auto stream = file.open();
  std::size_t held = 0;
  while (held < text.size()) {
    const std::size_t count = stream->read(text.data() + held, text.size() - held);
    if (count == 0) break;
    held += count;
  }
  return has_message(std::string_view(text).substr(0, held));
}

Scenario read_nccl_log(const std::vector<TraceFile>& files, ImportNotes& notes) {
  const std::string& source = files.front().name;
  LogJob job = read_log_job(files);
  LogRanks ranks = ranks_of(job, source, notes);
  if (ranks.world == 0)
    throw InputError(source, 0, 0,
                     "no communicator is in the log: it takes NCCL_DEBUG=INFO with NCCL_DEBUG_SUBSYS=INIT,COLL");
  Scenario scenario = scenario_of(std::move(job), std::move(ranks), notes);
  scenario.header.job = files.front().leaf;
  return scenario;
}

}  // namespace petri
