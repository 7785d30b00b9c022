#include "harness/cli/check_select.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>

#include "harness/cli/changed_files.hpp"
#include "harness/cli/project.hpp"
#include "harness/cli/shard.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/reproducer_command.hpp"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;
using Files = std::vector<fs::path>;

Files reproducers_at(const std::vector<std::string>& paths) {
  Files files;
  std::set<fs::path> seen;
  for (const std::string& path : paths)
    for (const fs::path& file : find_scenarios(path))
      if (seen.insert(fs::weakly_canonical(file)).second) files.push_back(file);
  return files;
}

fs::path folder_of(const fs::path& file) {
  return fs::weakly_canonical(fs::absolute(file).parent_path());
}

// Where each file lies in its folder, whether or not it is a link.
std::map<fs::path, std::vector<std::size_t>> by_folder(const Files& files) {
  std::map<fs::path, std::vector<std::size_t>> folders;
  for (std::size_t i = 0; i < files.size(); ++i) folders[folder_of(files[i])].push_back(i);
  return folders;
}

// A changed scenario stands for itself. Any other file, such as a command or a payload, belongs to the scenarios of the
// nearest folder at or above it that holds any.
std::set<std::size_t> touched(const Files& files, const Files& changed) {
  const auto folders = by_folder(files);
  std::map<fs::path, std::size_t> scenarios;
  for (std::size_t i = 0; i < files.size(); ++i) {
    scenarios[folder_of(files[i]) / files[i].filename()] = i;
    scenarios[fs::weakly_canonical(fs::absolute(files[i]))] = i;
  }
  std::set<std::size_t> found;
  for (const fs::path& file : changed) {
    if (const auto scenario = scenarios.find(file); scenario != scenarios.end()) {
      found.insert(scenario->second);
      continue;
    }
    for (fs::path folder = file.parent_path();; folder = folder.parent_path()) {
      const auto members = folders.find(folder);
      if (members != folders.end()) found.insert(members->second.begin(), members->second.end());
      if (members != folders.end() || !folder.has_relative_path()) break;
    }
  }
  return found;
}

// Reproducers may lie in several repositories.
std::set<std::size_t> changed_among(const Files& files, const std::string& ref, std::string& since) {
  std::set<std::string> seen;
  Files changed;
  for (const auto& [folder, members] : by_folder(files)) {
    const fs::path top = Project(folder).root();
    if (!seen.insert(top.string()).second) continue;
    ChangedFiles found = changed_files(folder, ref);
    since += (since.empty() ? "" : ", ") + found.since;
    changed.insert(changed.end(), found.files.begin(), found.files.end());
    if (!found.all) continue;
    for (const fs::path& file : files)
      if (Project(folder_of(file)).root() == top) changed.push_back(folder_of(file) / file.filename());
  }
  return touched(files, changed);
}

// The checks of one reproducer.
std::vector<Check> checks_of(const fs::path& file, const CheckOptions& options) {
  std::vector<Check> checks;
  if (!options.live_only && !options.commands_only) checks.push_back({file, CheckMode::model});
  if (!options.model_only && !options.commands_only) checks.push_back({file, CheckMode::live});
  if (command_file_of(file)) checks.push_back({file, CheckMode::command});
  return checks;
}

using Groups = std::vector<std::vector<Check>>;  // one for each reproducer

// Of those that did not change, the commands stay where they are run: what changed may be the program that they start,
// and of which files that is made, nobody knows.
Groups keep_changed(const Groups& groups, const CheckOptions& options, std::string& since) {
  Files files;
  for (const auto& group : groups) files.push_back(group.front().file);
  const std::set<std::size_t> changed = changed_among(files, *options.changed, since);
  Groups kept;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::vector<Check> group = groups[i];
    if (!changed.contains(i))
      std::erase_if(group, [&](const Check& check) {
        return check.mode != CheckMode::command || !options.reproducer.run_commands;
      });
    if (!group.empty()) kept.push_back(std::move(group));
  }
  return kept;
}

// By their names in the project: another machine may have checked it out elsewhere.
Groups keep_shard(const Groups& groups, const Shard& shard) {
  const Project project(".");
  std::vector<std::string> names;
  for (const auto& group : groups) names.push_back(project.within(group.front().file));
  Groups kept;
  for (const std::size_t i : members_of(shard, names)) kept.push_back(groups[i]);
  return kept;
}

}  // namespace

Selection select_checks(const CheckOptions& options) {
  Selection selection;
  Groups groups;
  const Files files = reproducers_at(options.paths);
  selection.found = files.size();
  for (const fs::path& file : files) {
    selection.inputs.push_back(file);
    if (const auto command = command_file_of(file)) selection.inputs.push_back(*command);
    if (auto group = checks_of(file, options); !group.empty()) groups.push_back(std::move(group));
  }
  selection.of = groups.size();
  if (options.changed) {
    std::string since;
    groups = keep_changed(groups, options, since);
    if (since.empty()) since = options.changed->empty() ? "the default branch" : *options.changed;  // nobody asked git
    selection.narrowed_by.emplace_back("changed since", since);
  }
  if (!options.shard.empty()) {
    groups = keep_shard(groups, parse_shard(options.shard));
    selection.narrowed_by.emplace_back("shard", options.shard);
  }
  selection.reproducers = groups.size();
  for (const auto& group : groups) selection.checks.insert(selection.checks.end(), group.begin(), group.end());
  return selection;
}

std::string text_of(const Selection& selection) {
  if (selection.of == 0 && selection.narrowed_by.empty())
    return fmt::format("none of {} has a command ({}): nothing to check", counted(selection.found, "reproducer"),
                       kReproducerFile);
  if (selection.narrowed_by.empty()) return {};
  std::string why;
  for (const auto& [name, value] : selection.narrowed_by)
    why += fmt::format("{}{} {}", why.empty() ? "" : "; ", name, value);
  return fmt::format("{} of {} ({}){}", selection.reproducers, counted(selection.of, "reproducer"), why,
                     selection.reproducers == 0 ? ": nothing to check" : "");
}

}  // namespace petri::cli
