#include "harness/import/foreign.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

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

[[noreturn]] void reject(const std::vector<std::filesystem::path>& sources) {
  std::vector<std::string_view> names;
  for (const ForeignFormat& format : foreign_formats()) names.push_back(format.name);
  throw InputError(
      sources.front().string(), 0, 0,
      fmt::format("no trace is there in a format that is read: a scenario file, Petri's own recordings, {}",
                  fmt::join(names, ", ")));
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

bool is_foreign(const std::filesystem::path& file) {
  try {
    const std::vector<TraceFile> files = trace_files({file});
    return std::any_of(files.begin(), files.end(),
                       [](const TraceFile& one) { return format_of(one) < foreign_formats().size(); });
  } catch (const InputError&) {
    return false;
  }
}

Imported import_foreign(const std::vector<std::filesystem::path>& sources) {
  std::vector<TraceFile> files = trace_files(sources);
  const auto& formats = foreign_formats();
  std::vector<std::vector<TraceFile>> by_format(formats.size() + 1);
  for (TraceFile& file : files) by_format[format_of(file)].push_back(std::move(file));
  const auto first = std::find_if(by_format.begin(), by_format.end() - 1, [](const auto& of) { return !of.empty(); });
  if (first == by_format.end() - 1) reject(sources);
  const ForeignFormat& format = formats[static_cast<std::size_t>(first - by_format.begin())];
  Imported imported{Scenario(), format.name, {}};
  for (std::size_t other = 0; other < by_format.size(); ++other) {
    if (&by_format[other] == &*first || by_format[other].empty()) continue;
    std::vector<std::string> names;
    for (const TraceFile& file : by_format[other]) names.push_back(file.name);
    imported.notes.facts.push_back(
        other == formats.size()
            ? fmt::format("left out, as it is no trace: {}", some_of(names))
            : fmt::format("left out, as it is another format ({}): {}", formats[other].name, some_of(names)));
  }
  imported.scenario = format.read(*first, imported.notes);
  return imported;
}

}  // namespace petri
