#include "harness/cli/filing.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <exception>
#include <fstream>
#include <system_error>
#include <utility>

#include "harness/cli/draft_folder.hpp"
#include "harness/cli/reproducer.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/printable.hpp"
#include "harness/trace/rank_ranges.hpp"
#include "harness/trace/read.hpp"
#include "harness/trace/write.hpp"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestQuote = 600;  // bytes of a command or name that a README repeats

// On one line, and cut short at a character's border.
std::string quoted(const std::string& text) {
  std::string line = printable_line(text);
  if (line.size() <= kLongestQuote) return line;
  std::size_t end = kLongestQuote;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80) --end;
  return line.substr(0, end) + "…";
}

std::string what_it_is(const NewReproducer& reproducer) {
  const auto& findings = reproducer.diagnosis.findings;
  const std::string size =
      fmt::format("{} and {}", counted(static_cast<std::uint64_t>(reproducer.scenario.world()), "rank"),
                  counted(reproducer.scenario.event_count(), "event"));
  if (findings.empty()) return fmt::format("A schedule of {} in which nothing is wrong.", size);
  return fmt::format("{} ({}.)", quoted(findings.front().text), size);
}

std::string where_from(const Scenario& scenario) {
  if (!scenario.header.origin) return "Written by hand.";
  const Origin& origin = *scenario.header.origin;
  std::string text = "From " + quoted(origin.source.empty() ? "an unnamed source" : origin.source);
  if (!origin.ranks.empty() && origin.ranks.size() <= 16)
    text += fmt::format(", where its ranks were {}", fmt::join(origin.ranks, ", "));
  return text + '.';
}

std::string how_it_is_checked(const NewReproducer& reproducer) {
  const auto& expect = reproducer.scenario.header.expect;
  const bool absent = expect->absent || !expect->verdict;
  std::string text = fmt::format("Expected: {}.", absent ? "absent" : name_of(*expect->verdict));
  if (reproducer.command)
    text += fmt::format(" With --run-commands, `{}` must stay free of it.",
                        quoted(fmt::format("{}", fmt::join(reproducer.command->arguments, " "))));
  return text;
}

void write_readme(const NewReproducer& reproducer, const fs::path& file) {
  errno = 0;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << what_it_is(reproducer) << '\n'
      << where_from(reproducer.scenario) << '\n'
      << how_it_is_checked(reproducer) << '\n';
  out.close();
  if (!out) throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(), file.string());
}

// The user names a program from where they stand; the reproducer will be looked at from anywhere.
void name_program_from(const fs::path& folder, std::vector<std::string>& arguments) {
  const fs::path program = arguments.front();
  if (program.is_absolute() || !program.has_parent_path()) return;
  const fs::path named = fs::relative(fs::absolute(program), folder);
  arguments.front() = (named.has_parent_path() ? named : "." / named).string();
}

}  // namespace

void file_reproducer(NewReproducer reproducer, const fs::path& folder) {
  const fs::path place = fs::absolute(folder).lexically_normal();
  std::error_code error;
  fs::create_directories(place.parent_path(), error);
  if (error) throw EnvironmentError(fmt::format("{}: {}", place.parent_path().string(), error.message()));
  DraftFolder draft(place.parent_path());
  write_scenario(reproducer.scenario, draft.file("scenario.jsonl"));
  if (reproducer.command) {
    name_program_from(place, reproducer.command->arguments);
    write_reproducer_command(*reproducer.command, draft.file(kReproducerFile));
    read_reproducer_command(draft.file(kReproducerFile));  // what is not to be read is not to be filed
  }
  write_readme(reproducer, draft.file("README.md"));
  draft.become(place);
}

std::vector<fs::path> filed_with(const std::string& signature, const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  if (signature.empty() || !fs::is_directory(folder, error)) return found;
  std::vector<fs::path> files;
  try {
    files = find_scenarios(folder);
  } catch (const std::exception&) {
    return found;  // none there yet
  }
  for (const fs::path& file : files) {
    try {
      const auto expect = read_scenario(file).header.expect;
      if (expect && expect->signature == signature) found.push_back(file);
    } catch (const std::exception&) {
      continue;
    }
  }
  return found;
}

}  // namespace petri::cli
