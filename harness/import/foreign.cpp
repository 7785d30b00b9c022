#include "harness/import/foreign.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "harness/import/copies.hpp"
#include "harness/import/flight_recorder.hpp"
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

// By its first bytes: of a binary protocol, or of a text one that imports something at once ("cos\nsystem\n").
bool begins_as_pickle(std::string_view head) {
  if (head.size() >= 2 && head[0] == '\x80') return head[1] >= 2 && head[1] <= 5;
  const std::size_t module = head.find('\n');
  if (!head.starts_with("c") || module == std::string_view::npos) return false;
  const std::string_view names = head.substr(1, head.find('\n', module + 1) - 1);
  return std::all_of(names.begin(), names.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '\n'; });
}

// What has no name counts as some rank.
std::string taken_rank(const std::string& name, const Scenario& scenario) {
  std::vector<std::size_t> there;
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank)
    if (scenario.ranks[rank].end.kind != EndKind::missing) there.push_back(rank);
  return fmt::format(
      "{}: has no file name, which in this format may be what tells the rank; it {}", name,
      there.size() == 1 ? fmt::format("counts as rank {}", there.front()) : "counts as one that was free");
}

}  // namespace

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 3;
  const std::size_t named = std::min(names.size(), kNamed);
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<long>(named), ", "));
  if (names.size() > named)
    text += fmt::format(" and {} other{}", names.size() - named, names.size() - named == 1 ? "" : "s");
  return text;
}

bool begins_as_scenario(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  const std::string_view line = head.substr(0, head.find('\n'));
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos || line[begin] != '{') return false;
  return line.find("\"petri\"") != std::string_view::npos || line.size() == kHeadBytes;
}

ForeignFiles::ForeignFiles(const std::vector<TraceSource>& sources)
    : sources_(sources), by_format_(foreign_formats().size() + 1) {
  for (TraceFile& file : trace_files(sources, notes_)) by_format_[format_of(file)].push_back(std::move(file));
}

// The number of formats where there is none.
std::size_t ForeignFiles::first() const {
  const auto found = std::find_if(by_format_.begin(), by_format_.end() - 1, [](const auto& of) { return !of.empty(); });
  return static_cast<std::size_t>(found - by_format_.begin());
}

bool ForeignFiles::any() const {
  return first() < foreign_formats().size();
}

bool ForeignFiles::begins_as_scenario() const {
  return std::any_of(by_format_.back().begin(), by_format_.back().end(),
                     [](const TraceFile& file) { return petri::begins_as_scenario(file.head); });
}

Imported ForeignFiles::import() const {
  if (!any()) reject();
  const ForeignFormat& format = foreign_formats()[first()];
  Imported imported{Scenario(), format.name, {}};
  const std::vector<TraceFile> files =
      format.file_of_each_rank ? without_copies(by_format_[first()], imported.notes) : by_format_[first()];
  say_left_out(first(), imported.notes);
  const auto nameless = std::find_if(files.begin(), files.end(), [](const auto& file) { return file.leaf.empty(); });
  const bool rank_is_lost = format.name_may_tell_rank && nameless != files.end();
  try {
    imported.scenario = format.read(files, imported.notes);
  } catch (const InputError& error) {
    if (!rank_is_lost || error.file() != nameless->name) throw;
    throw InputError(error.what(), 0, 0, "name the file itself, or send an archive, in which files have names");
  }
  if (rank_is_lost) imported.notes.warnings.push_back(taken_rank(nameless->name, imported.scenario));
  std::vector<std::string> broken;
  for (const TraceFile& file : files)
    if (file.broken_off != nullptr && *file.broken_off) broken.push_back(file.name);
  if (!broken.empty())
    imported.notes.warnings.push_back(
        fmt::format("the compression breaks off, and what is there is used: {}", some_of(broken)));
  return imported;
}

std::vector<ForeignFiles::OfFormat> ForeignFiles::formats() const {
  std::vector<OfFormat> all;
  for (std::size_t format = 0; format < foreign_formats().size(); ++format) {
    if (by_format_[format].empty()) continue;
    OfFormat& of = all.emplace_back(OfFormat{foreign_formats()[format].name, {}});
    for (const TraceFile& file : by_format_[format]) of.files.push_back(file.name);
  }
  return all;
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

// What was looked at says why nothing was found.
void ForeignFiles::reject() const {
  const std::vector<TraceFile>& files = by_format_.back();
  for (const TraceFile& file : files) {
    if (file.leaf.ends_with(".petri-record"))
      throw InputError(file.name, 0, 0, "is a part of a recording of Petri's own: name the folder that it is in");
    if (petri::begins_as_scenario(file.head))
      throw InputError(file.name, 0, 0, "is a scenario, which is read by itself: name it alone");
  }
  // The Flight Recorder's are the only pickles that are read; their reader says with which byte one is none.
  if (!files.empty() &&
      std::all_of(files.begin(), files.end(), [](const auto& f) { return begins_as_pickle(f.head); })) {
    ImportNotes none;
    read_flight_dumps({files.front()}, none);
  }
  std::vector<std::string_view> formats;
  for (const ForeignFormat& format : foreign_formats()) formats.push_back(format.name);
  std::string there;
  if (files.empty() && notes_.empty()) {
    there = "no file is there";
  } else if (std::all_of(files.begin(), files.end(), [](const TraceFile& file) { return file.head.empty(); })) {
    there = files.empty()       ? "no file that can be read is there"
            : files.size() == 1 ? "the file is empty"
                                : "all files are empty";
  } else {
    there = "by its content, this is no trace that is read";
    if (files.size() > 1)
      there = fmt::format("{} were looked at, and none is a trace that is read", counted(files.size(), "file"));
  }
  std::string text =
      there + ": expected a scenario file (its first line is a header such as {\"petri\":1,\"world\":2}), ";
  text += fmt::format("a folder of Petri's own recordings, {}", fmt::join(formats, ", "));
  constexpr std::size_t kTold = 3;
  for (std::size_t i = 0; i < std::min(notes_.size(), kTold); ++i)
    text += fmt::format("; {}: {}", notes_[i].name, notes_[i].text);
  if (notes_.size() > kTold) text += fmt::format("; and {} like this", counted(notes_.size() - kTold, "other"));
  throw InputError(sources_.front().path.string(), 0, 0, text);
}

bool is_foreign(const std::filesystem::path& file) {
  try {
    return ForeignFiles({TraceSource(file)}).any();
  } catch (const InputError&) {
    return false;
  }
}

Imported import_foreign(const std::vector<std::filesystem::path>& sources) {
  return ForeignFiles({sources.begin(), sources.end()}).import();
}

}  // namespace petri
