#include "harness/cli/missing_records.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "harness/launch/elsewhere.hpp"
#include "harness/trace/rank_ranges.hpp"

namespace petri::cli {
namespace {

// srun hands the environment on, the recorder in it, unless it is told not to (srun(1), --export).
bool srun_exports_less(const std::vector<std::string>& command) {
  if (!is_srun(command)) return false;
  const auto limits = [](std::string_view list) { return list.find("ALL") == std::string_view::npos; };
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string_view argument = command[i];
    if (argument.starts_with("--export=")) return limits(argument.substr(9));
    if (argument == "--export" && i + 1 < command.size()) return limits(command[i + 1]);
  }
  return false;
}

constexpr const char* kExport =
    "srun's --export keeps the recorder from its tasks: leave it out, or add "
    "LD_PRELOAD,PETRI_RECORD_DIR to its list";

// Hosts that the command names and no record is of.
std::vector<std::string> silent_hosts(const Scenario& recorded, const std::vector<std::string>& command) {
  std::vector<std::string> silent;
  for (const std::string& host : named_hosts(command)) {
    const auto is_it = [&](const std::string& other) {
      return other == host || other.substr(0, other.find('.')) == host.substr(0, host.find('.'));
    };
    if (std::none_of(recorded.header.hosts.begin(), recorded.header.hosts.end(), is_it)) silent.push_back(host);
  }
  return silent;
}

}  // namespace

std::vector<std::int32_t> ranks_without_record(const Scenario& recorded) {
  std::vector<std::int32_t> ranks;
  for (std::int32_t rank = 0; rank < recorded.world(); ++rank)
    if (recorded.ranks[static_cast<std::size_t>(rank)].end.kind == EndKind::missing) ranks.push_back(rank);
  return ranks;
}

std::string explain_missing_records(const Scenario& recorded, const std::vector<std::string>& command,
                                    const RecordFolders& folders) {
  const std::vector<std::int32_t> missing = ranks_without_record(recorded);
  if (missing.empty()) return {};
  std::string text = fmt::format("petri: no record of {} came here.\n", ranks_in_words(missing));
  if (srun_exports_less(command)) return text + fmt::format("  {}.\n", kExport);
  const std::vector<std::string> silent = silent_hosts(recorded, command);
  text += fmt::format(
      "  {}\n  Where hosts share a folder: petri record --dir FOLDER -- …\n",
      silent.empty()
          ? std::string(
                "They ran on hosts that do not share the record's folder, or do not have petri in the same place.")
          : fmt::format("They ran on {}, where the record's folder is another one, or petri is not in the same place.",
                        fmt::join(silent, ", ")));
  if (folders.told.empty() || folders.kept.empty()) return text;
  const std::string kept = folders.kept.string();
  return text + fmt::format(
                    "  Where they do not: what each host recorded is there in {}. Copy these folders here, then\n"
                    "    petri import -o {}.jsonl {} COPY…\n",
                    folders.told.string(), (folders.kept.parent_path() / "gathered").string(), kept);
}

std::string why_no_record(const std::vector<std::string>& command) {
  if (srun_exports_less(command)) return kExport;
  if (!may_leave_this_host(command)) return {};
  return "its ranks may be on hosts that do not share a folder with this one (name one by --dir), or do not have petri "
         "in the same place";
}

}  // namespace petri::cli
