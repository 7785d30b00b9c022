#include "harness/cli/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <istream>
#include <sstream>
#include <utility>

#include "harness/cli/command.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/import/recording.hpp"
#include "harness/import/unpack.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/digest.hpp"
#include "harness/trace/npy_payload.hpp"
#include "harness/trace/printable.hpp"
#include "harness/trace/read.hpp"
#include "harness/trace/record_view.hpp"
#include "harness/trace/write.hpp"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPartsOfOne =
    "several sources must all be folders of recorded ranks, or all parts of one foreign trace";

bool is_recording(const std::string& source) {
  std::error_code ignored;
  return fs::is_directory(source, ignored) && !record::record_files(source).empty();
}

// Neither file nor folder: it comes once, and may never end.
bool is_pipe(const std::string& source) {
  std::error_code ignored;
  const fs::file_status status = fs::status(source, ignored);
  return is_stdin(source) || (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status));
}

std::vector<fs::path> paths(const std::vector<std::string>& sources) {
  return {sources.begin(), sources.end()};
}

// What a single source holds; nothing where that is, or may have been, a scenario, whose reader knows best what is
// wrong with it: what is compressed by zstd can be one that was cut.
std::optional<ForeignFiles> look_at(const TraceSource& source, Packing packing) {
  try {
    ForeignFiles files({source});
    if (!is_archive(packing) && !files.any() && files.begins_as_scenario()) return std::nullopt;
    return files;
  } catch (const InputError&) {
    if (packing == Packing::zstd) return std::nullopt;
    throw;
  }
}

// All that comes through a pipe.
TraceSource whole(Piped& piped) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 36;
  piped.keep(kMost);
  if (!piped.ended()) throw InputError(piped.name(), 0, 0, fmt::format("goes on beyond {} bytes", kMost));
  return {piped.name(), piped.kept()};
}

}  // namespace

Input::Input(std::vector<std::string> sources) : sources_(std::move(sources)) {
  const auto recordings = std::count_if(sources_.begin(), sources_.end(), is_recording);
  if (recordings > 0) {
    if (static_cast<std::size_t>(recordings) != sources_.size()) throw UsageError{kPartsOfOne};
    kind_ = InputKind::recording;
    return;
  }
  std::error_code ignored;
  if (sources_.size() == 1 && !fs::is_directory(sources_.front(), ignored)) {
    is_pipe(sources_.front()) ? look_at_pipe() : look_at_file();
    return;
  }
  std::vector<TraceSource> traces;
  for (const std::string& source : sources_) {
    if (!is_pipe(source)) {
      traces.emplace_back(fs::path(source));
      continue;
    }
    Piped piped(source);
    traces.push_back(whole(piped));
  }
  foreign_.emplace(traces);
  kind_ = InputKind::foreign;
}

// A scenario is read as it comes; of all else enough is kept to know what it is, and all of what is read.
void Input::look_at_pipe() {
  constexpr std::uint64_t kLookedAt = std::uint64_t{17} << 20;  // formats that are told late are told by then
  piped_ = std::make_shared<Piped>(sources_.front());
  piped_->keep(kHeadBytes);
  head_ = piped_->head();
  if (begins_as_scenario(head_)) return;
  const Packing packing = packing_of(head_);
  if (packing == Packing::none) piped_->keep(kLookedAt);
  foreign_ = look_at(packing == Packing::none ? TraceSource(piped_->name(), piped_->kept()) : whole(*piped_), packing);
  if (!foreign_) return;
  kind_ = InputKind::foreign;
  if (packing == Packing::none && foreign_->any()) foreign_.emplace(std::vector{whole(*piped_)});
}

void Input::look_at_file() {
  const std::string& source = sources_.front();
  std::error_code error;
  if (!fs::is_regular_file(source, error)) return;  // its reader says that it is not there
  std::ifstream in(source, std::ios::binary);
  head_.resize(kHeadBytes);
  head_.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.read(head_.data(), kHeadBytes).gcount(), 0)));
  if (!in.is_open() || in.bad() || begins_as_scenario(head_)) return;
  foreign_ = look_at(fs::path(source), packing_of(head_));
  if (foreign_) kind_ = InputKind::foreign;
}

std::string Input::name() const {
  const std::string first = is_stdin(sources_.front()) ? "standard input" : sources_.front();
  return sources_.size() == 1 ? first : fmt::format("{} and {}", first, counted(sources_.size() - 1, "other"));
}

Scenario Input::load() const {
  switch (kind_) {
    case InputKind::recording: return import_recording(paths(sources_));
    case InputKind::foreign: {
      Imported imported = import();
      say_notes(imported, false);
      return std::move(imported.scenario);
    }
    case InputKind::scenario: break;
  }
  if (piped_ == nullptr) return read_scenario(sources_.front());
  const std::unique_ptr<std::streambuf> bytes = piped_->stream();
  std::istream in(bytes.get());
  return read_scenario(in, piped_->name());
}

Scenario Input::load_with_payload() const {
  Scenario scenario = load();
  if (kind_ != InputKind::scenario) return scenario;
  const std::string& source = sources_.front();
  if (is_stdin(source))
    take_in_npy(scenario, ".", {});
  else
    take_in_npy(scenario, fs::path(source).parent_path(), source);
  return scenario;
}

std::string Input::digest(const Scenario& scenario) const {
  if (sources_.size() == 1 && !is_stdin(sources_.front()) && fs::is_regular_file(sources_.front()))
    return digest_of_file(sources_.front());
  if (foreign_) return foreign_->digest();
  std::ostringstream text;
  write_scenario(scenario, text);
  return digest_of(std::string_view(text.str()));
}

// A thousand ranks may have a warning each: import tells them all.
void say_notes(const Imported& imported, bool all) {
  constexpr std::size_t kMostWarnings = 20, kMostOfOne = 2000;
  const std::vector<std::string>& warnings = imported.notes.warnings;
  const std::size_t told = all ? warnings.size() : std::min(warnings.size(), kMostWarnings);
  for (std::size_t i = 0; i < told; ++i) {
    const bool whole = all || warnings[i].size() <= kMostOfOne;
    say(stderr, "petri: {}{}\n", printable_line(whole ? warnings[i] : warnings[i].substr(0, kMostOfOne)),
        whole ? "" : "…");
  }
  if (told < warnings.size())
    say(stderr, "petri: {}: `petri import` tells all\n", counted(warnings.size() - told, "more warning"));
  if (!all) return;
  say(stderr, "petri: {} of {}\n", imported.format,
      counted(static_cast<std::uint64_t>(imported.scenario.world()), "rank"));
  for (const std::string& fact : imported.notes.facts) say(stderr, "  {}\n", printable_line(fact));
}

}  // namespace petri::cli
