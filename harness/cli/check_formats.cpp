#include "harness/cli/check_formats.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "harness/cli/command.hpp"
#include "harness/cli/output.hpp"
#include "harness/cli/project.hpp"
#include "harness/cli/words.hpp"
#include "harness/report/github.hpp"
#include "harness/report/gitlab.hpp"
#include "harness/report/tap.hpp"
#include "harness/trace/whole_file.hpp"

namespace petri::cli {

namespace fs = std::filesystem;

struct ReportFormat {
  std::string_view name;
  std::string_view file;  // where it goes unless told otherwise; empty: it has to be told
  std::string (*render)(const std::vector<CheckCase>& cases, const Properties& properties);
};

namespace {

constexpr std::string_view kStepSummary = "$GITHUB_STEP_SUMMARY";

template <std::string (*Render)(const std::vector<CheckCase>&)>
std::string without_properties(const std::vector<CheckCase>& cases, const Properties&) {
  return Render(cases);
}

constexpr std::array kFormats{
    ReportFormat{"junit", "", render_junit},
    ReportFormat{"github", "-", without_properties<render_github_annotations>},
    ReportFormat{"github-summary", kStepSummary, without_properties<render_github_summary>},
    ReportFormat{"gitlab", "gl-code-quality-report.json", without_properties<render_gitlab>},
    ReportFormat{"tap", "-", without_properties<render_tap>},
};

ReportTarget target_of(const std::string& request) {
  const std::size_t colon = request.find(':');
  const std::string name = request.substr(0, colon);
  const auto* const format =
      std::find_if(kFormats.begin(), kFormats.end(), [&](const ReportFormat& f) { return f.name == name; });
  if (format == kFormats.end())
    throw UsageError{fmt::format("--report: no format is called '{}'; there are {}", name, report_formats())};
  if (colon != std::string::npos && colon + 1 < request.size()) return {format, request.substr(colon + 1)};
  if (format->file.empty() || colon != std::string::npos)
    throw UsageError{fmt::format("--report {0}: needs a file, as in --report {0}:FILE", name)};
  if (format->file != kStepSummary) return {format, std::string(format->file)};
  const char* const summary = std::getenv("GITHUB_STEP_SUMMARY");
  if (summary == nullptr || *summary == '\0')
    throw UsageError{fmt::format("--report {0}: outside of GitHub Actions it needs a file, as in {0}:FILE", name)};
  return {format, summary, true};
}

// /dev/stdout and its like are stdout, where then nothing else may go.
ReportTarget with_stdout_known(ReportTarget target) {
  if (target.file != "-" && place_of(target.file).descriptor == STDOUT_FILENO) target.file = "-";
  return target;
}

fs::path path_of(const std::string& file) {
  return file == "-" ? "/proc/self/fd/1" : file;
}

// The command that makes this check alone.
std::string again(const Check& check, const std::string& file, const CheckOptions& options) {
  std::string command = "petri check";
  if (check.mode == CheckMode::command) {
    command += " --run-commands --commands-only";
    for (const fs::path& folder : options.reproducer.program_path)
      command += " --program-path " + quoted_word(folder.string());
  } else {
    command += fmt::format(" --{}-only", name_of(check.mode));
  }
  return command + ' ' + quoted_word(file);
}

std::vector<CheckCase> cases_of(const std::vector<Check>& checks, const CheckOptions& options) {
  const Project project(".");
  std::vector<CheckCase> cases;
  for (const Check& check : checks) {
    const CheckResult& result = check.result;
    CheckCase made;
    made.reproducer = {project.within(check.file), result.line};
    // The scenario names lines of the source as it was once; only a run of today's program names those of today.
    if (check.mode == CheckMode::command) made.source = project.line_of(result.site, check.file.parent_path());
    made.mode = name_of(check.mode);
    made.state = result.state;
    made.text = result.text;
    made.expected = result.expected;
    made.actual = result.actual;
    made.detail = result.detail;
    made.again = again(check, made.reproducer.file, options);
    made.seconds = check.seconds;
    cases.push_back(std::move(made));
  }
  return cases;
}

void append(const fs::path& file, const std::string& text) {
  errno = 0;
  std::FILE* const out = std::fopen(file.c_str(), "ab");
  const bool written = out != nullptr && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  const bool closed = out == nullptr || std::fclose(out) == 0;
  if (!written || !closed) throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(), file.string());
}

}  // namespace

std::string report_formats() {
  std::string names;
  for (const ReportFormat& format : kFormats) {
    if (!names.empty()) names += ", ";
    names += format.name;
  }
  return names;
}

std::vector<ReportTarget> report_targets(const CheckOptions& options) {
  std::vector<ReportTarget> targets;
  if (!options.junit.empty()) targets.push_back(with_stdout_known(target_of("junit:" + options.junit)));
  for (const std::string& request : options.reports) targets.push_back(with_stdout_known(target_of(request)));
  for (std::size_t i = 0; i < targets.size(); ++i) {
    for (std::size_t before = 0; before < i; ++before) {
      const std::string& file = targets[i].file;
      if (file == "-" && targets[before].file == "-")
        throw UsageError{"two reports cannot share stdout: give one a file"};
      if (same_place(path_of(file), path_of(targets[before].file)))
        throw UsageError{fmt::format("two reports cannot share the file {}", file)};
    }
  }
  if (options.json && takes_stdout(targets)) throw UsageError{"--json and a report cannot share stdout"};
  return targets;
}

bool takes_stdout(const std::vector<ReportTarget>& targets) {
  return std::any_of(targets.begin(), targets.end(), [](const ReportTarget& target) { return target.file == "-"; });
}

void require_writable(const std::vector<ReportTarget>& targets) {
  for (const ReportTarget& target : targets)
    if (target.file != "-") require_writable(fs::path(target.file), Content::text);
}

void require_other_than(const std::vector<ReportTarget>& targets, const std::vector<fs::path>& inputs) {
  for (const ReportTarget& target : targets)
    if (target.file != "-" && fs::exists(target.file))
      for (const fs::path& input : inputs) require_other_than_input(target.file, {input.string()});
}

void write_reports(const std::vector<Check>& checks, const CheckOptions& options, const Properties& properties,
                   const std::vector<ReportTarget>& targets) {
  if (targets.empty()) return;
  const std::vector<CheckCase> cases = cases_of(checks, options);
  for (const ReportTarget& target : targets) {
    const std::string text = target.format->render(cases, properties);
    if (target.file == "-") {
      std::fwrite(text.data(), 1, text.size(), stdout);
      std::fflush(stdout);
    } else if (target.append) {
      append(target.file, text);
    } else {
      write_file(target.file, text);
    }
  }
}

}  // namespace petri::cli
