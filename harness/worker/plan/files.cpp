#include "harness/worker/plan/files.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

#include "harness/trace/event_words.hpp"
#include "harness/worker/plan/memory.hpp"
#include "harness/worker/plan/plan.hpp"
#include "harness/worker/plan/words.hpp"

namespace petri {
namespace {

using enum Op;

// No file grows beyond this, and all writes together bring no more: they may lie in memory.
constexpr std::int64_t kLastOffset = std::int64_t{1} << 32;

bool changes_the_file(const Event& event) {
  const std::string_view family = info(event.op).family;
  return family.starts_with("file_write") || event.op == file_preallocate;
}

std::optional<std::string> reason_against_mode(const Event& event) {
  for (const std::string& word : words_of(event.extras.mode())) {
    if (!is_access_mode(word)) return "access mode '" + word + "' is not known";
  }
  return std::nullopt;
}

std::optional<std::string> reason_against_plan(const Scenario& scenario, const FilePlan& file,
                                               const std::vector<std::int32_t>& at_start) {
  if (file.comm == kNoComm || !scenario.comms[static_cast<std::size_t>(file.comm)].known)
    return "the members of its communicator are not known";
  const bool there = file.comm == 0 || std::find(at_start.begin(), at_start.end(), file.comm) != at_start.end();
  if (!file.opened && !there) return "no event opens it, and its communicator is not there from the start";
  return std::nullopt;
}

}  // namespace

bool is_access_mode(const std::string& word) {
  return std::find(kModeWords.begin(), kModeWords.end(), word) != kModeWords.end();
}

std::map<std::string, FilePlan> files_of(const Scenario& scenario) {
  std::map<std::string, FilePlan> files;
  std::map<std::string, std::string> paths;  // by file
  for (const RankTrace& rank : scenario.ranks) {
    for (const Event& event : rank.events) {
      const EventExtras& extras = event.extras;
      if (extras.file().empty()) continue;
      FilePlan& file = files[extras.file()];
      if (file.comm == kNoComm || event.op == file_open) file.comm = event.comm;
      file.opened = file.opened || event.op == file_open;
      if (!extras.path().empty()) paths.try_emplace(extras.file(), extras.path());
    }
  }
  std::map<std::string, std::string> names;  // by path
  for (auto& [name, file] : files) {
    const auto path = paths.find(name);
    // A file without a path is one of its own: no path begins with a null character.
    const std::string key = path != paths.end() ? path->second : std::string(1, '\0') + name;
    file.name = names.try_emplace(key, "file-" + std::to_string(names.size())).first->second;
  }
  return files;
}

std::optional<Refusal> reason_against_files(const Scenario& scenario) {
  const std::vector<std::int32_t> at_start = communicators_made_at_start(scenario);
  const std::map<std::string, FilePlan> files = files_of(scenario);
  std::uint64_t written = 0;
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank) {
    const std::vector<Event>& events = scenario.ranks[rank].events;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Event& event = events[i];
      const EventExtras& extras = event.extras;
      if (kind_of(event.op) != OpKind::file || extras.file().empty()) continue;
      if (event.op == file_preallocate)
        written += static_cast<std::uint64_t>(std::max(extras.disp().value_or(0), std::int64_t{0}));
      if (changes_the_file(event)) written += std::min(bytes_of_call(scenario, event), kMostBytesAtOnce + 1);
      std::optional<std::string> reason = reason_against_plan(scenario, files.at(extras.file()), at_start);
      if (!reason) reason = reason_against_mode(event);
      if (!reason && extras.disp().value_or(0) > kLastOffset) reason = "an offset beyond 4 GiB";
      if (!reason && written > kMostBytesAtOnce)
        reason = "with it, all files take more than the " + std::to_string(kMostBytesAtOnce >> 20) +
                 " MiB that a replay allows";
      if (reason)
        return Refusal{"file " + extras.file() + ": " + *reason,
                       EventRef{static_cast<std::int32_t>(rank), static_cast<std::uint32_t>(i)}};
    }
  }
  return std::nullopt;
}

}  // namespace petri
