#include "harness/import/foreign.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "harness/trace/counted.hpp"
#include "harness/trace/error.hpp"

namespace petri {
namespace {

// Which format a file is of: its place in foreign_formats(), or their number for none.
std::size_t format_of(const TraceFile& file) {
  const auto& formats = foreign_formats();
  const auto found =
      std::find_if(formats.begin(), formats.end(), [&](const auto& format) { return format.recognizes(file); });
  return static_cast<std::size_t>(found - formats.begin());
}

// "a.log, b.txt and 3 others".
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 3;
  const std::size_t named = std::min(names.size(), kNamed);
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<long>(named), ", "));
  if (names.size() > named)
    text += fmt::format(" and {} other{}", names.size() - named, names.size() - named == 1 ? "" : "s");
  return text;
}

}  // namespace

ForeignFiles::ForeignFiles(const std::vector<std::filesystem::path>& sources)
    : sources_(sources), by_format_(foreign_formats().size() + 1) {
  for (TraceFile& file : trace_files(sources, notes_)) by_format_[format_of(file)].push_back(std::move(file));
}

bool ForeignFiles::any() const {
  return std::any_of(by_format_.begin(), by_format_.end() - 1, [](const auto& of) { return !of.empty(); });
}

Imported ForeignFiles::import() const {
  if (!any()) reject();
  const auto taken = static_cast<std::size_t>(
      std::find_if(by_format_.begin(), by_format_.end(), [](const auto& of) { return !of.empty(); }) -
      by_format_.begin());
  const ForeignFormat& format = foreign_formats()[taken];
  Imported imported{Scenario(), format.name, {}};
  say_left_out(taken, imported.notes);
  imported.scenario = format.read(by_format_[taken], imported.notes);
  std::vector<std::string> broken;
  for (const TraceFile& file : by_format_[taken])
    if (file.broken_off != nullptr && *file.broken_off) broken.push_back(file.name);
  if (!broken.empty())
    imported.notes.warnings.push_back(
        fmt::format("the compression breaks off, and what is there is used: {}", some_of(broken)));
  return imported;
}

std::string ForeignFiles::digest() const {
  std::vector<TraceFile> all;
  for (const auto& of : by_format_) all.insert(all.end(), of.begin(), of.end());
  return digest_of_files(all);
}

void ForeignFiles::say_left_out(std::size_t taken, ImportNotes& notes) const {
  const auto& formats = foreign_formats();
  for (std::size_t other = 0; other < by_format_.size(); ++other) {
    if (other == taken || by_format_[other].empty()) continue;
    std::vector<std::string> names;
    for (const TraceFile& file : by_format_[other]) names.push_back(file.name);
    notes.warnings.push_back(other == formats.size() ? fmt::format("left out, as it is no trace: {}", some_of(names))
                                                     : fmt::format("left out, as it is another format ({}): {}",
                                                                   formats[other].name, some_of(names)));
  }
  constexpr std::size_t kTold = 5;
  for (std::size_t i = 0; i < std::min(notes_.size(), kTold); ++i)
    notes.warnings.push_back(fmt::format("{}: {}", notes_[i].name, notes_[i].text));
  if (notes_.size() > kTold)
    notes.warnings.push_back(fmt::format("{} of files and folders", counted(notes_.size() - kTold, "more note")));
}

void ForeignFiles::reject() const {
  std::vector<std::string_view> names;
  for (const ForeignFormat& format : foreign_formats()) names.push_back(format.name);
  throw InputError(
      sources_.front().string(), 0, 0,
      fmt::format("no trace is there in a format that is read: a scenario file, Petri's own recordings, {}",
                  fmt::join(names, ", ")));
}

bool is_foreign(const std::filesystem::path& file) {
  try {
    return ForeignFiles({file}).any();
  } catch (const InputError&) {
    return false;
  }
}

Imported import_foreign(const std::vector<std::filesystem::path>& sources) {
  return ForeignFiles(sources).import();
}

}  // namespace petri
